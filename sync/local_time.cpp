#include "sync/local_time.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace cistern::sync {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

std::optional<minutes> take_time(std::string_view text) {
  auto const colon = std::min(text.find(':'), text.size());
  auto const number = [](std::string_view digits, int most) -> std::optional<int> {
    int value{};
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.size() > 2) return {};
    if (value < 0 || value > most) return {};
    return value;
  };
  auto const hour = number(text.substr(0, colon), 24);
  auto const minute = colon == text.size() ? std::optional{0} : number(text.substr(colon + 1), 59);
  if (!hour || !minute || (*hour == 24 && *minute != 0)) return {};
  return hours{*hour} + minutes{*minute};
}

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::string clock_text(minutes of_day) { return two_digits(of_day / 1h) + ":" + two_digits((of_day % 1h).count()); }

}  // namespace

local_zone system_zone() {
  return [](sys_seconds moment) {
    auto const since = static_cast<std::time_t>(moment.time_since_epoch().count());
    std::tm civil{};
    if (::localtime_r(&since, &civil) == nullptr) return local_seconds{moment.time_since_epoch()};
    return local_seconds{moment.time_since_epoch() + seconds{civil.tm_gmtoff}};
  };
}

sys_seconds moment_of(local_seconds wanted, sys_seconds now, local_zone const& zone) {
  // Right unless the clocks are changed between: then one of the two offsets is, or none is, in a skipped hour.
  auto const first = now + (wanted - zone(now));
  auto const second = first + (wanted - zone(first));
  auto const earlier = std::min(first, second);
  return earlier > now && zone(earlier) >= wanted ? earlier : std::max(first, second);
}

bool day_hours::contains(local_seconds time) const {
  auto const of_day = time - floor<days>(time);
  if (from < to) return of_day >= from && of_day < to;
  return of_day >= from || of_day < to;
}

std::optional<day_hours> parse_day_hours(std::string_view text) {
  auto const dash = text.find('-');
  if (dash == text.npos) return {};
  auto const from = take_time(text.substr(0, dash));
  auto const to = take_time(text.substr(dash + 1));
  if (!from || !to || *from == 24h) return {};
  return day_hours{*from, *to};
}

std::string to_text(day_hours const& hours) { return clock_text(hours.from) + "-" + clock_text(hours.to); }

}  // namespace cistern::sync
