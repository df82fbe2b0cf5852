#pragma once

/// When the link is up, for the lab: a file of windows (`from,until` in unix seconds, one a line), or a pattern of
/// hours of the day: `07,13,20` (UTC), each window reaching 45 minutes either way, 15 % of them lost at random. Other
/// widths and losses are written behind it: `07,13,20+-30m/10%`.

#include "sync/schedule/replay.hpp"

#include <string>

namespace cistern::tools {

/// Sorted windows that overlap [from, until). Throws with what was wrong.
[[nodiscard]] std::vector<sync::schedule::link_window> link_windows(std::string const& what,
                                                                    std::chrono::sys_seconds from,
                                                                    std::chrono::sys_seconds until, std::uint32_t seed);

}  // namespace cistern::tools
