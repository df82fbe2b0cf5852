#pragma once

/// Saved pages and feeds in, the next page out. Pure: no I/O, no clock, nothing kept between calls.

#include "stitch/feed/feed.hpp"
#include "stitch/html/document.hpp"

#include <string>
#include <vector>

namespace cistern::stitch::templates {

/// A page and what its feeds said at the same time.
struct snapshot {
  html::document page;
  std::vector<feed::feed> feeds;
};

struct region_report {
  std::string place;      // tags, ids and classes down to the list
  std::string rule;       // which items, in words
  std::string excerpt;    // what of their text, in words
  std::size_t shown = 0;  // records now
  std::size_t made = 0;   // records that are new
  double confidence = 0;
  bool stitched = false;
  std::vector<std::string> reasons;
};

struct outcome {
  bool declined = true;
  std::string page;  // the stitched page, or the last snapshot's as it was
  double confidence = 0;
  std::vector<region_report> regions;
};

struct options {
  double threshold = 0.5;
};

/// Brings the last snapshot's page up to date with `feeds`. Snapshots are oldest first.
[[nodiscard]] outcome stitch(std::string_view base, std::vector<snapshot> const& snapshots,
                             std::vector<feed::feed> const& feeds, options const& o = {});

}  // namespace cistern::stitch::templates
