#include "sync/account.hpp"

#include "sync/budget.hpp"
#include "sync/ledger.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>

namespace cistern::sync {
namespace {

void write_down(downloads& from, std::string const& host, traffic const& counted) {
  ledger_facts facts{.host = host, .link = from.link().state() == link_state::up ? "up" : "down"};
  facts.what.purpose = store::job_class::person;
  facts.received = counted.received.load();
  facts.sent = counted.sent.load();
  if (facts.received + facts.sent == 0) return;
  auto const day = from.settings().spending->period().day;
  auto task = [line = ledger_line(std::move(facts), day)](store::write_batch& b) { b.charge(line); };
  from.repository().write(std::move(task), [](store::result<void> const& written) {
    if (!written) spdlog::debug("ledger.not_written error={}", log_value(written.error().message()));
  });
}

}  // namespace

void put_on_account(downloads& from, request_options& options, std::string const& url, std::string const& host) {
  auto* const spending = from.settings().spending;
  if (!spending) return;
  expense on{.purpose = store::job_class::person};
  on.url = url;
  options.spends = spending->open(std::move(on));
  options.meter = std::shared_ptr<traffic>{new traffic, [&from, host](traffic* counted) {
                                             write_down(from, host, *counted);
                                             delete counted;
                                           }};
}

}  // namespace cistern::sync
