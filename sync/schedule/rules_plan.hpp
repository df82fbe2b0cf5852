#pragma once

/// Publisher schedules as a policy of the lab: each feed's interval rules are estimated from the learnt part, and
/// visits follow them by DETERMINE-NEXT-UPDATE, all intervals stretched alike until the visits fit the budget.

#include "sync/schedule/frozen_plan.hpp"

namespace cistern::sync::schedule {

/// `seed` drives the jitter of half an interval either way.
[[nodiscard]] std::vector<std::vector<sys_seconds>> rules_plan(std::span<feed_history const> feeds, plan_window window,
                                                               std::int64_t visits, std::uint32_t seed);

}  // namespace cistern::sync::schedule
