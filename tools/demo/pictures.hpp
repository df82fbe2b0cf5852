#pragma once

/// Pictures made by us, so that nobody's have to be shipped: a landscape that depends on nothing but its number.

#include <cstdint>
#include <string>

namespace cistern::demo {

/// A PNG.
[[nodiscard]] std::string draw_landscape(std::uint32_t number, std::uint32_t width = 640, std::uint32_t height = 320);

}  // namespace cistern::demo
