#pragma once

/// A first record unlike the others, in the same list: shown whole where the others are cut, or dressed differently.

#include "stitch/template/lists.hpp"

#include <vector>

namespace cistern::stitch::templates {

/// Splits such first records off as lists of their own, where every page agrees. `lists[t]` belong to `pages[t]`.
void split_featured(std::vector<html::document const*> const& pages, item_table const& items,
                    std::vector<std::vector<list>>& lists);

/// The list of an earlier page that is the same as this one: same place first, then most items in common; or null.
[[nodiscard]] list const* counterpart(list const& l, std::vector<list> const& earlier);

}  // namespace cistern::stitch::templates
