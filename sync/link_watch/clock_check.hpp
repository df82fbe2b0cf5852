#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace cistern::sync {

/// When this program was built: no clock that is right shows less.
[[nodiscard]] std::chrono::sys_days build_day();

/// A sentence when the clock is plainly wrong (a board without a battery shows 1970 until somebody tells it the time),
/// nothing when it may be right. `newest` is the newest time that was written down before.
[[nodiscard]] std::optional<std::string> clock_trouble(std::chrono::sys_seconds now, std::chrono::sys_days built,
                                                       std::chrono::sys_seconds newest);

/// The kernel knows that something (NTP) keeps its clock right.
[[nodiscard]] bool clock_is_kept_right();

}  // namespace cistern::sync
