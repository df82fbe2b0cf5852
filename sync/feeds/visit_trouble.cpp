#include "sync/feeds/visit_trouble.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

using std::chrono::sys_seconds;
using outcome = visit_report::outcome;

std::string words_for(visit_report const& report) {
  switch (report.how) {
    case outcome::gone:
      return "The publisher says that this feed is gone for good (410). What was stored stays.";
    case outcome::not_a_feed:
      return "What came is no feed; perhaps a log-in or maintenance page. Check the address if this goes on.";
    case outcome::empty:
      return "The feed came without any item; the ones that were stored stay.";
    case outcome::failed:
      return "It could not be reached: " + report.error.message() + '.';
    default:
      break;
  }
  auto const status = std::to_string(report.status);
  if (report.status == 401) return "It wants a user name and a password (401).";
  if (report.status == 403) return "The server refuses us (403).";
  if (report.status == 404) return "The server does not know this address (404).";
  if (report.status == 429) return "The server asks us to come less often (429).";
  if (report.status >= 500) return "The server has a problem of its own (" + status + ").";
  return "The server answered " + status + " and no feed.";
}

/// Between three quarters and all of it, so that feeds which failed together do not come back together.
std::chrono::seconds with_jitter(std::chrono::seconds wait, std::mt19937_64& dice) {
  std::uniform_real_distribution<double> part{0.75, 1.0};
  return std::chrono::seconds{static_cast<std::int64_t>(static_cast<double>(wait.count()) * part(dice))};
}

}  // namespace

std::optional<sys_seconds> host_wish(visit_report const& report, sys_seconds now, visit_floors const& floors) {
  if (report.status != 429 && report.status != 503) return std::nullopt;
  auto const asked = retry_after(report.fields, now);
  if (!asked) return std::nullopt;
  return std::min(*asked, now + floors.longest_retry_after);
}

void note_trouble(store::subscription& feed, visit_report const& report, bool certain, sys_seconds now,
                  visit_floors const& floors, std::mt19937_64& dice) {
  feed.last_status = report.status;
  if (report.how == outcome::failed && !certain) return;  // nobody knows whose failure it was
  feed.last_visit = now;
  feed.last_error = words_for(report);
  if (report.how == outcome::gone) {
    feed.gone = true;
    return;
  }
  ++feed.failures;
  auto const wait = with_jitter(stay_away(report.status, feed.failures, floors), dice);
  auto const asked = retry_after(report.fields, now);
  auto const longest = now + floors.longest_retry_after;
  feed.not_before = asked ? std::min(std::max(*asked, now + std::chrono::seconds{1}), longest) : now + wait;
}

}  // namespace cistern::sync
