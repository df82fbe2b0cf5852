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

/// One varying part of a region's records.
struct field_report {
  std::string what;  // e.g. "{title}", "{day} {month} {year}"
  double support = 0;
  std::vector<html::node_id> nodes;  // where, in the last snapshot's page
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
  html::node_id container = html::no_node;
  std::vector<html::node_id> records;  // the roots of the records, in the last snapshot's page
  std::vector<field_report> fields;
};

struct outcome {
  bool declined = true;
  std::string page;  // the stitched page, or the last snapshot's as it was
  double confidence = 0;
  std::vector<region_report> regions;
};

enum class method { full, novelty };

struct options {
  templates::method method = method::full;
  double threshold = 0.5;
};

/// Brings the last snapshot's page up to date with `feeds`. Snapshots are oldest first.
[[nodiscard]] outcome stitch(std::string_view base, std::vector<snapshot> const& snapshots,
                             std::vector<feed::feed> const& feeds, options const& o = {});

}  // namespace cistern::stitch::templates
