#include "sync/schedule/hints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::seconds a_week = 168h;
constexpr std::chrono::seconds patience = 24h;

int hour_of(sys_seconds t) { return static_cast<int>((t - std::chrono::floor<std::chrono::days>(t)) / 1h); }

int day_of(sys_seconds t) {
  auto const weekday = std::chrono::weekday{std::chrono::floor<std::chrono::days>(t)};
  return static_cast<int>(weekday.iso_encoding()) - 1;
}

/// Hours and days may wrap: 22 to 6, Saturday to Monday.
bool covers(interval_rule const& rule, sys_seconds t) {
  int const hour = hour_of(t);
  int const day = day_of(t);
  bool const in_hours = rule.start_hour < rule.end_hour ? hour >= rule.start_hour && hour < rule.end_hour
                                                        : hour >= rule.start_hour || hour < rule.end_hour;
  bool const in_days = rule.start_day <= rule.end_day ? day >= rule.start_day && day <= rule.end_day
                                                      : day >= rule.start_day || day <= rule.end_day;
  return in_hours && in_days;
}

std::optional<int> day_named(std::string_view name) {
  constexpr std::array<std::string_view, 7> names{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  std::string start;
  for (char const c : name.substr(0, 3)) start += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  auto const found = std::find(names.begin(), names.end(), start);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

std::optional<std::chrono::seconds> period_named(std::string_view name) {
  if (name == "hourly") return 1h;
  if (name == "daily") return 24h;
  if (name == "weekly") return a_week;
  if (name == "monthly") return 30 * 24h;
  if (name == "yearly") return 365 * 24h;
  return std::nullopt;
}

bool sound(interval_rule const& rule) {
  auto const in = [](int value, int low, int high) { return value >= low && value <= high; };
  return rule.interval >= 1min && rule.interval <= a_week && in(rule.start_hour, 0, 23) && in(rule.end_hour, 0, 24) &&
         in(rule.start_day, 0, 6) && in(rule.end_day, 0, 6);
}

}  // namespace

publisher_hints hints_of(stitch::feed::feed const& feed) {
  publisher_hints hints;
  if (feed.ttl_minutes && *feed.ttl_minutes >= 1 && *feed.ttl_minutes <= 7 * 24 * 60)
    hints.ttl = std::chrono::minutes{*feed.ttl_minutes};
  if (auto const period = period_named(feed.update_period)) {
    auto const each = *period / std::clamp(feed.update_frequency.value_or(1), 1, 100000);
    if (each >= 1min) hints.period = std::min(each, a_week);
  }
  for (int const hour : feed.skip_hours)
    if (hour >= 0 && hour <= 24) hints.skip_hours.set(static_cast<std::size_t>(hour % 24));
  for (auto const& name : feed.skip_days)
    if (auto const day = day_named(name)) hints.skip_days.set(static_cast<std::size_t>(*day));
  if (hints.skip_hours.all()) hints.skip_hours.reset();
  if (hints.skip_days.all()) hints.skip_days.reset();
  for (auto const& rule : feed.intervals)
    if (sound(rule) && hints.rules.size() < 64) hints.rules.push_back(rule);
  return hints;
}

bool skipped(publisher_hints const& hints, sys_seconds at) {
  return hints.skip_hours.test(static_cast<std::size_t>(hour_of(at))) ||
         hints.skip_days.test(static_cast<std::size_t>(day_of(at)));
}

sys_seconds earliest_by_hints(publisher_hints const& hints, sys_seconds last_visit) {
  std::chrono::seconds wait{0};
  if (hints.ttl) wait = std::max<std::chrono::seconds>(wait, *hints.ttl);
  if (hints.period) wait = std::max(wait, *hints.period);
  auto earliest = last_visit + wait;
  if (auto const by_rule = next_update(hints.rules, last_visit)) earliest = std::max(earliest, *by_rule);
  auto const latest = last_visit + patience;
  if (hints.skip_hours.any() || hints.skip_days.any())
    while (earliest < latest && skipped(hints, earliest))
      earliest = std::chrono::floor<std::chrono::hours>(earliest) + 1h;
  return std::min(earliest, latest);
}

std::optional<std::chrono::minutes> interval_at(std::span<interval_rule const> rules, sys_seconds at) {
  std::optional<std::chrono::minutes> shortest;
  for (auto const& rule : rules)
    if (covers(rule, at) && (!shortest || rule.interval < *shortest)) shortest = rule.interval;
  return shortest;
}

std::optional<sys_seconds> next_update(std::span<interval_rule const> rules, sys_seconds time, double jitter) {
  if (rules.empty()) return std::nullopt;
  std::optional<sys_seconds> next;
  std::chrono::minutes in_force{};
  // Rules begin on the hour, so beyond `time` itself only full hours can bring a new one.
  auto const limit = time + a_week;
  for (auto at = time; at < std::min(limit, next.value_or(limit));
       at = std::chrono::floor<std::chrono::hours>(at) + 1h) {
    auto const interval = interval_at(rules, at);
    if (!interval || (next && at + *interval >= *next)) continue;
    next = at + *interval;
    in_force = *interval;
  }
  if (!next) return std::nullopt;
  auto const moved = std::chrono::duration<double>(std::chrono::seconds{in_force}) * std::clamp(jitter, -0.5, 0.5);
  return std::max(time, *next + std::chrono::seconds{std::llround(moved.count())});
}

}  // namespace cistern::sync::schedule
