#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cistern::tools {

/// What somebody who wrote `name` may have meant: the one of `known` that the fewest slips of the finger (a letter
/// more, less, other, or two swapped) lead to, or nothing when none is near.
[[nodiscard]] std::string nearest(std::string_view name, std::vector<std::string> const& known);

}  // namespace cistern::tools
