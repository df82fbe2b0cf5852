#pragma once

/// Stitching as the paper did it, to compare with: the most novel area is filled with one subtree per feed item.

#include "stitch/template/stitch.hpp"

namespace cistern::stitch::templates {

/// The area's children that show an item of the old feed become place-holders: title, link and description of the old
/// item are replaced by those of the item at the same place in the new feed, and subtrees are added or removed when the
/// number of items has changed. The whole area is redrawn.
[[nodiscard]] outcome stitch_by_novelty(std::string_view base, std::vector<snapshot> const& snapshots,
                                        std::vector<feed::feed> const& feeds);

}  // namespace cistern::stitch::templates
