#pragma once

/// How close a stitched page came to the page that was served later.

#include "stitch/feed/feed.hpp"
#include "stitch/html/document.hpp"

#include <string_view>
#include <vector>

namespace cistern::stitch::templates {

/// Shares from 0 to 1; 1 is as it was served.
struct check {
  double items = 1;                     // items that are on both pages
  double order = 1;                     // of the row of item links over the whole page
  double words = 1;                     // of the records of items on both pages
  double outside = 1;                   // of the words outside all records
  double score = 1;                     // all of it together
  std::size_t shown = 0, expected = 0;  // item links on the stitched and on the served page
  [[nodiscard]] bool right() const noexcept { return order == 1 && words >= 0.8 && outside >= 0.95; }
};

/// `feeds` are all feeds that tell of items of either page.
[[nodiscard]] check self_check(html::document const& stitched, html::document const& served, std::string_view base,
                               std::vector<feed::feed> const& feeds);

}  // namespace cistern::stitch::templates
