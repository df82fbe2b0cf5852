#pragma once

#include <cstdint>

namespace cistern::sync {

/// The depth of a job for a picture: nothing is behind it, and it may have to wait while the link is metered.
inline constexpr std::uint32_t image_part = 1'000;

}  // namespace cistern::sync
