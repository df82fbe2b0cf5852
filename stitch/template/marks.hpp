#pragma once

/// The links of a page that lead to items of the feeds.

#include "stitch/html/document.hpp"
#include "stitch/template/items.hpp"

#include <vector>

namespace cistern::stitch::templates {

struct mark {
  html::node_id link;
  item_id item;
  bool titled;  // its text is the item's title
};

/// In page order. Untitled ones count only where an item has no titled one.
[[nodiscard]] std::vector<mark> find_marks(html::document const& page, item_table const& items);

}  // namespace cistern::stitch::templates
