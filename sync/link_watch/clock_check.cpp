#include "sync/link_watch/clock_check.hpp"

#include "store/http_date.hpp"

#include <sys/timex.h>

namespace cistern::sync {

using namespace std::chrono_literals;

std::chrono::sys_days build_day() {
  constexpr int date = CISTERN_BUILD_DATE;  // 20240229
  using std::chrono::year_month_day;
  return year_month_day{std::chrono::year{date / 10000}, std::chrono::month{static_cast<unsigned>(date / 100 % 100)},
                        std::chrono::day{static_cast<unsigned>(date % 100)}};
}

std::optional<std::string> clock_trouble(std::chrono::sys_seconds now, std::chrono::sys_days built,
                                         std::chrono::sys_seconds newest) {
  // A day for zones and a builder's clock, and an hour for one that was set back a little.
  auto const before_built = now < built - 24h;
  auto const before_newest = now < newest - 1h;
  if (!before_built && !before_newest) return {};
  return "The clock shows " + store::format_http_date(now) + ", which is before " +
         (before_built ? "this program was built" : "the newest thing in the repository") +
         ". Secure sites cannot be reached until it is set (NTP, a GPS, or `date -s`).";
}

bool clock_is_kept_right() {
  timex state{};  // reads only
  return ::adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

}  // namespace cistern::sync
