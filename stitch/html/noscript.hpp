#pragma once

/// <noscript> is read in two ways: as elements where scripts are off (and by our parser), as text up to the first end
/// tag where they are on. An end tag that is an attribute or a comment in the first reading ends it in the second, and
/// what follows is then something that nobody has looked at.

#include "stitch/html/document.hpp"

#include <string>

namespace cistern::stitch::html {

/// Some <noscript> of this page does not end in the same place in both readings.
[[nodiscard]] bool has_ambiguous_noscript(document const& page);

/// The page with an ordinary element in the place of every <noscript>, which has one reading.
[[nodiscard]] std::string without_noscript(std::string_view source);

}  // namespace cistern::stitch::html
