#pragma once

#include "stitch/html/arena.hpp"

#include <gumbo.h>

#include <string_view>

namespace cistern::stitch::html {

/// Parses with all memory from the arena. Null when the arena's limit was reached, or when a node lies deeper than
/// `depth`. The tree lives as long as the arena.
/// Private to html/document.cpp (and measured by tools/bench): nothing else may see Gumbo.
[[nodiscard]] GumboOutput const* gumbo_parse(std::string_view page, bool fragment, std::size_t depth,
                                             arena& memory) noexcept;

}  // namespace cistern::stitch::html
