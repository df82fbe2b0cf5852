#pragma once

/// Puts a planned sequence into the page: the bytes of one list, redrawn. Records that stay keep theirs, and so does
/// all that stands between them.

#include "stitch/template/lists.hpp"
#include "stitch/template/plan.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

struct page_edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

struct record_writer {
  std::function<std::string(item_id)> write;    // a record that is not there yet
  std::map<entry, std::string> const& revised;  // records that are there and must change
};
/// The text of the heading under which an item belongs, or nothing when it is not known.
struct heading_writer {
  std::function<std::optional<std::string>(item_id)> text;
  std::function<int(entry)> year;  // 0 when it is not known
  /// The bytes of the caption over an item, where groups lie in groups.
  std::function<std::optional<std::string>(item_id)> caption;
};

/// The edits that turn the list into `next`. `entries[i]` is what record i shows now. Nothing when the markup does not
/// allow it: records the parser moved, an order of groups that nothing explains.
[[nodiscard]] std::optional<std::vector<page_edit>> lay_out(html::document const& page, list const& l,
                                                            sequence const& entries, sequence const& next,
                                                            record_writer const& writer, heading_writer const& heading);

[[nodiscard]] std::string apply(std::string_view source, std::vector<page_edit> edits);

}  // namespace cistern::stitch::templates
