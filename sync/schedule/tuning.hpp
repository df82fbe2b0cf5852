#pragma once

/// The numbers of the adaptive policy, in one place. Chosen by hand on two real traces; docs/polling.md says how, and
/// what a search over half of the sources did and did not find. Memories are time constants in hours; beliefs are
/// weights in postings.

#include <array>

namespace cistern::sync::schedule::tuning {

// How long counts are remembered.
inline constexpr double rhythm_memory = 1500.0;  // what all feeds share
inline constexpr double week_memory = 1200.0;    // a feed's hours of the week
inline constexpr double blend_memory = 2000.0;   // which shape explains a feed best
inline constexpr double minute_memory = 2000.0;

// Five shapes of the week: shared, flat, smooth hours by days, sharp hours by days, hour of the week.
inline constexpr std::array<double, 5> shape_belief{6.0, 1.0, 6.0, 30.0, 2.0};
// Three shapes of the hour: shared, flat, own.
inline constexpr std::array<double, 3> minute_belief{6.0, 10.0, 2.0};
inline constexpr double day_belief = 4.0;    // of the shared days of the week, in postings
inline constexpr double smooth_hours = 1.0;  // weight of the neighbouring hours
inline constexpr double smooth_week = 1.0;
inline constexpr double unseen_hours = 0.1;  // weeks of mean rate assumed for an hour that was never watched

// The level, from slow to fast: each is pulled towards the slower one by `level_belief` postings.
inline constexpr std::array<double, 5> level_memory{1000.0, 250.0, 60.0, 16.0, 4.0};
inline constexpr std::array<double, 5> level_belief{0.5, 8.0, 6.0, 3.0, 1.5};
inline constexpr double first_rate = 0.02;  // postings an hour of a feed nobody has seen

// Burstiness: variance of a count is mean + burst * mean^2.
inline constexpr double first_burst = 0.3;

// What a lost item costs, in hours of delay.
inline constexpr double lost_item = 2.0;

// How far ahead the next visits are laid out: in usual gaps, and at least this many hours.
inline constexpr double look_ahead = 5.0;
inline constexpr double look_ahead_at_least = 18.0;

}  // namespace cistern::sync::schedule::tuning
