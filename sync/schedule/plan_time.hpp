#pragma once

/// The axis the planner thinks on: hours since a Monday 00:01 UTC.
/// One minute late on purpose. Publishers post on the hour and the half hour (12 % of the postings of real feeds carry
/// minute 0), so a bin that ends at 10:01 holds what a visit at 10:01 collects, and every bin edge is a good time to
/// visit.

#include <chrono>
#include <cmath>
#include <cstdint>

namespace cistern::sync::schedule {

using std::chrono::sys_seconds;

inline constexpr int hours_a_day = 24;
inline constexpr int hours_a_week = 168;
inline constexpr int minute_bins = 12;  // of five minutes

inline double to_plan(sys_seconds t) { return static_cast<double>(t.time_since_epoch().count() - 60) / 3600.0 + 72.0; }

/// Rounded up: a visit is never earlier than planned.
inline sys_seconds from_plan(double hours) {
  return sys_seconds{std::chrono::seconds{static_cast<std::int64_t>(std::ceil((hours - 72.0) * 3600.0 - 1e-3)) + 60}};
}

inline int hour_of_week(double hours) {
  double const inside = hours - std::floor(hours / hours_a_week) * hours_a_week;
  return inside >= hours_a_week ? 0 : static_cast<int>(inside);
}

inline int minute_bin(double hours) {
  int const bin = static_cast<int>((hours - std::floor(hours)) * minute_bins);
  return bin >= minute_bins ? minute_bins - 1 : bin;
}

}  // namespace cistern::sync::schedule
