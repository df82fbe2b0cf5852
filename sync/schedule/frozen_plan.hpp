#pragma once

/// The published policies as whole plans: learn from the history before `score_from`, then say every visit until
/// `until`. They never look at what happens in between; that is what `planner` is measured against.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cistern::sync::schedule {

using std::chrono::sys_seconds;

/// What a frozen policy may know of one feed.
struct feed_history {
  std::vector<sys_seconds> postings{};  // sorted; only those before `score_from` are looked at
  std::int64_t capacity = 15;           // S_i, the most items it shows at once
  double weight = 1.0;
};

struct plan_window {
  sys_seconds learn_from{};
  sys_seconds score_from{};
  sys_seconds until{};
};

enum class frozen_policy { uniform, scheduling_only, allocation_only, min_delay, min_missing };

/// `uniform`, `scheduling`, `allocation`, `min-delay`, `min-missing`.
[[nodiscard]] std::optional<frozen_policy> frozen_policy_named(std::string_view name);

/// Visit times per feed, sorted, inside (score_from, until], `visits` in all.
[[nodiscard]] std::vector<std::vector<sys_seconds>> frozen_plan(frozen_policy policy,
                                                                std::span<feed_history const> feeds, plan_window window,
                                                                std::int64_t visits);

}  // namespace cistern::sync::schedule
