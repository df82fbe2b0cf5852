#pragma once

/// Groups in groups: under each date the posts of one author after the other, below his name. The name stands in a
/// container with his posts, or among the records.

#include "stitch/template/lists.hpp"

namespace cistern::stitch::templates {

/// Finds the authors' names among the records of a container with dates over them, before runs are set.
void find_author_names(html::document const& page, item_table const& items, std::size_t time, list& l);

/// Finds the captions of the list's groups and makes groups of those among the records, after headings are set.
/// Containers that share a heading and have no captions are no groups under dates.
void set_captions(html::document const& page, item_table const& items, std::size_t time, list& l);

}  // namespace cistern::stitch::templates
