#pragma once

/// Groups within groups, as planets have them: days, and in each day the items of one author after the other under a
/// heading with his name.

#include "stitch/template/layout.hpp"

#include <functional>
#include <optional>
#include <string>

namespace cistern::stitch::templates {

/// Whether the list's records stand in groups below their dates that say something of their own.
[[nodiscard]] bool has_inner_groups(html::document const& page, list const& l);

/// The one edit that turns such a list into `next`. Nothing when the inner headings are not the authors' names.
[[nodiscard]] std::optional<page_edit> lay_out_nested(html::document const& page, list const& l,
                                                      sequence const& entries, sequence const& next,
                                                      std::function<std::string(entry)> const& text_of,
                                                      heading_writer const& heading);

}  // namespace cistern::stitch::templates
