#pragma once

/// A feed's texts as a page may have them, one feed's at a fixed cost at most.

#include "stitch/feed/feed.hpp"
#include "stitch/feed/limits.hpp"

#include <string>

namespace cistern::stitch::feed {

/// Passes `html` through the sanitiser when what is `left` of limits::sanitizing covers it. Otherwise its markup goes,
/// its text stays, and the answer is false.
bool sanitize(std::string& html, allowance& left);

/// The same for summary and content of an item. What is plain text is escaped.
bool sanitize(item& one, allowance& left);

}  // namespace cistern::stitch::feed
