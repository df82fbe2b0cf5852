#pragma once

/// Records under dates: years, months or days as headings, with containers of their own or among the records.

#include "stitch/template/lists.hpp"

#include <set>
#include <string>

namespace cistern::stitch::templates {

/// An element that says nothing but a date and has no link.
[[nodiscard]] bool is_heading(html::document const& page, html::node_id n);

/// Tags and classes of the headings that stand before a child of a container. The dates of single records look different.
[[nodiscard]] std::set<std::string> kinds_of_headings(html::document const& page, html::node_id container,
                                                      html::node_id before);
[[nodiscard]] bool is_heading_of(html::document const& page, html::node_id n, std::set<std::string> const& kinds);

/// Finds the headings of the list's groups, or makes groups of one container's records by the headings among them.
void set_headings(html::document const& page, list& l);

}  // namespace cistern::stitch::templates
