#pragma once

/// What looks like an entry, or like the end of one, but belongs to the page: it keeps its place while items come and
/// go. Notices and advertisements between the records, a link to all the others below them.

#include "stitch/template/lists.hpp"

#include <vector>

namespace cistern::stitch::templates {

/// Takes it out of the lists of the last page and of their counterparts. `pages` and `lists` are by time.
void drop_static_entries(std::vector<html::document const*> const& pages, std::vector<std::vector<list>>& lists);

}  // namespace cistern::stitch::templates
