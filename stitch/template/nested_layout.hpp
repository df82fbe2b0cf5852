#pragma once

/// Groups in groups: a heading with a date over containers that have a caption each, whose posts of that day they are.
/// An item goes under the heading of its day and the caption of its author; both are opened where they are missing.

#include "stitch/template/layout.hpp"
#include "stitch/template/record_bytes.hpp"

namespace cistern::stitch::templates {

/// As lay_out, for a list whose groups have captions.
[[nodiscard]] std::optional<std::vector<page_edit>> lay_out_nested(html::document const& page, list const& l,
                                                                   sequence const& entries, sequence const& next,
                                                                   entry_writer const& text_of,
                                                                   heading_writer const& heading);

}  // namespace cistern::stitch::templates
