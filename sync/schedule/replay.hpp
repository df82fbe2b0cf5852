#pragma once

/// Replays a trace through the planner, showing it only what a visit at that moment would show.

#include "sync/schedule/frozen_plan.hpp"
#include "sync/schedule/planner.hpp"

namespace cistern::sync::schedule {

/// When the link is up. Sorted, apart from each other; empty means always.
struct link_window {
  sys_seconds from{}, until{};
};

struct replay_options {
  plan_window window;
  std::int64_t visits = 0;  // never more than these
  std::chrono::seconds average_interval = std::chrono::hours{6};
  /// For all feeds together. Nothing: `visits` over the scored part, which an end that moves would change.
  std::optional<double> visits_an_hour = std::nullopt;
  std::span<link_window const> link;
};

/// Visits per feed, sorted. The planner learns the history before `score_from` day by day, all feeds in step.
[[nodiscard]] std::vector<std::vector<sys_seconds>> replay_adaptive(std::span<feed_history const> feeds,
                                                                    replay_options const& options);

/// What becomes of a plan when visits can only be made while the link is up: each waits for the next window, and those
/// of one feed that wait together become one.
[[nodiscard]] std::vector<std::vector<sys_seconds>> executed_in_windows(std::span<std::vector<sys_seconds> const> plan,
                                                                        std::span<link_window const> link);

}  // namespace cistern::sync::schedule
