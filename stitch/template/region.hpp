#pragma once

/// One list of the page to be stitched, from its history over its plan to the bytes that change.

#include "stitch/template/layout.hpp"
#include "stitch/template/lists.hpp"
#include "stitch/template/plan.hpp"
#include "stitch/template/record_template.hpp"
#include "stitch/template/stitch.hpp"

#include <optional>
#include <set>
#include <vector>

namespace cistern::stitch::templates {

struct region {
  list const* shown_now = nullptr;
  list const* twin = nullptr;   // the list of its first record, or of the others, where the first looks different
  std::vector<list const*> at;  // the same list on every page, null where it was not found; the last is shown_now
  std::vector<sequence> shown;  // what it showed at those times
  std::optional<templates::plan> plan;
  std::optional<std::vector<page_edit>> edits;
  region_report report;
};

/// What drawing needs to know besides the region.
struct drawing {
  std::vector<snapshot> const& snapshots;
  item_table const& items;
  item_cache& cache;
  std::set<entry> const& on_page;  // what the page shows now, in any list
};

/// Learns how the region's records and headings are written and puts the planned sequence into the page; leaves the
/// edits, and what was learned with how far it can be trusted, in the region.
void draw(region& r, drawing const& with);

}  // namespace cistern::stitch::templates
