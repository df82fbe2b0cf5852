#pragma once

#include <cstddef>
#include <string>

namespace cistern::stitch::html {

/// Blanks out, byte for byte, the start tags that would nest deeper than `depth`, unclosed formatting elements beyond
/// a few (each is cloned into every later paragraph), attributes beyond a few hundred in one tag (they are compared
/// pairwise), and most tags of a page that has a great many far down. One pass, linear; offsets stay as they were. Ordinary pages come out unchanged.
void cut_nesting(std::string& page, std::size_t depth);

}  // namespace cistern::stitch::html
