#pragma once

/// Numbers on the page that count what a list shows: "12 posts". They are counted up where both snapshots prove the
/// rule.

#include "stitch/html/document.hpp"
#include "stitch/template/layout.hpp"

#include <vector>

namespace cistern::stitch::templates {

/// What a list that is stitched counts.
struct tally {
  std::size_t before = 0, now = 0, next = 0;  // its length on the earlier page, on the page to be stitched, and then
};

/// The edits to `now` that bring such numbers up to date. `taken`: ranges that are edited already.
[[nodiscard]] std::vector<page_edit> count_up(html::document const& before, html::document const& now,
                                              std::vector<tally> const& tallies, std::vector<page_edit> const& taken);

}  // namespace cistern::stitch::templates
