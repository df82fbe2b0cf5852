#include "sync/schedule/hints.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;

struct hour_tally {
  double postings = 0.0;
  double hours = 0.0;
  [[nodiscard]] double rate() const { return hours > 0.0 ? postings / hours : 0.0; }
};

using day_tally = std::array<hour_tally, 24>;

bool weekend(sys_seconds t) {
  return std::chrono::weekday{std::chrono::floor<std::chrono::days>(t)}.iso_encoding() >= 6;
}

/// A full day's rate makes a rule of minutes; silence makes the longest, a day.
std::chrono::minutes interval_for(double rate) {
  constexpr double longest = 24.0 * 60.0;
  double const minutes = rate <= 0.0 ? longest : std::clamp(60.0 / rate, 5.0, longest);
  // Rounded to what a person would write: 5 minutes below 2 hours, else half hours.
  double const grain = minutes < 120.0 ? 5.0 : 30.0;
  return std::chrono::minutes{static_cast<long>(std::lround(minutes / grain) * static_cast<long>(grain))};
}

/// Do two stretches of hours differ by more than chance? Compared by their rates, against the spread of their counts.
bool differ(hour_tally const& a, hour_tally const& b) {
  if (a.hours <= 0.0 || b.hours <= 0.0) return false;
  double const pooled = (a.postings + b.postings) / (a.hours + b.hours);
  double const spread = std::sqrt((pooled + 1e-9) * (1.0 / a.hours + 1.0 / b.hours));
  return std::abs(a.rate() - b.rate()) > 2.0 * spread && (a.rate() > 1.5 * b.rate() || b.rate() > 1.5 * a.rate());
}

void append_rules(day_tally const& hours, int first_day, int last_day, std::vector<interval_rule>& rules) {
  for (std::size_t h = 0; h < 24;) {
    hour_tally group = hours[h];
    std::size_t end = h + 1;
    while (end < 24 && !differ(group, hours[end])) {
      group.postings += hours[end].postings;
      group.hours += hours[end].hours;
      ++end;
    }
    interval_rule rule;
    rule.start_hour = static_cast<int>(h);
    rule.end_hour = static_cast<int>(end);
    rule.start_day = first_day;
    rule.end_day = last_day;
    rule.interval = interval_for(group.rate());
    rules.push_back(rule);
    h = end;
  }
}

}  // namespace

std::vector<interval_rule> estimate_rules(std::span<sys_seconds const> postings, sys_seconds from, sys_seconds until) {
  std::array<day_tally, 2> tally{};  // working days, weekends
  auto const hour_in_day = [](sys_seconds t) {
    return static_cast<std::size_t>((t - std::chrono::floor<std::chrono::days>(t)) / 1h);
  };
  auto const longest = 400 * 24h;  // a year is enough to learn a week from
  from = std::max(from, until - std::chrono::seconds{longest});
  for (auto t = std::chrono::ceil<std::chrono::hours>(from); t + 1h <= until; t += 1h)
    tally[weekend(t) ? 1 : 0][hour_in_day(t)].hours += 1.0;
  for (auto const t : postings)
    if (t >= from && t < until) tally[weekend(t) ? 1 : 0][hour_in_day(t)].postings += 1.0;

  hour_tally working, free;
  for (std::size_t h = 0; h < 24; ++h) {
    working.postings += tally[0][h].postings;
    working.hours += tally[0][h].hours;
    free.postings += tally[1][h].postings;
    free.hours += tally[1][h].hours;
  }
  std::vector<interval_rule> rules;
  if (working.hours + free.hours <= 0.0) return rules;
  if (differ(working, free)) {
    append_rules(tally[0], 0, 4, rules);
    append_rules(tally[1], 5, 6, rules);
  } else {
    day_tally all{};
    for (std::size_t h = 0; h < 24; ++h)
      all[h] = {tally[0][h].postings + tally[1][h].postings, tally[0][h].hours + tally[1][h].hours};
    append_rules(all, 0, 6, rules);
  }
  return rules;
}

}  // namespace cistern::sync::schedule
