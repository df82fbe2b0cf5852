#include "sync/ledger.hpp"

#include "store/codec.hpp"

namespace cistern::sync {
namespace {

/// A clock before 1970 is wrong anyway.
std::uint32_t day_number(std::chrono::local_days day) {
  auto const days = day.time_since_epoch().count();
  return days < 0 ? 0 : static_cast<std::uint32_t>(days);
}

}  // namespace

store::ledger_entry ledger_line(ledger_facts facts, std::chrono::local_days day) {
  store::ledger_entry out{.day = day_number(day), .purpose = facts.what.purpose};
  out.link = std::move(facts.link);
  out.subscription = facts.what.subscription;
  out.host = std::move(facts.host);
  out.received = facts.received;
  out.sent = facts.sent;
  out.saved = facts.saved;
  out.requests = facts.requests;
  return out;
}

spent_sums read_ledger(store::repository& kept, budget_period const& period) {
  spent_sums out;
  auto const today = day_number(period.day);
  std::string first;
  store::append_key(first, day_number(std::min(period.month, period.day)));
  auto const add = [&](store::ledger_entry const& line) {
    if (line.day > today) return false;  // written by a clock that was ahead
    if (index_of(line.purpose) >= job_classes) return true;
    auto const bytes = line.received + line.sent;
    auto& of_class = out.of_class[index_of(line.purpose)];
    out.all.month += bytes;
    of_class.month += bytes;
    if (line.day != today) return true;
    out.all.day += bytes;
    of_class.day += bytes;
    if (line.subscription != 0) out.of_subscription[line.subscription] += bytes;
    return true;
  };
  // A ledger that cannot be read must not stop anything: the repository's own state tells of that.
  static_cast<void>(kept.scan<store::ledger_entry>({}, add, first));
  return out;
}

}  // namespace cistern::sync
