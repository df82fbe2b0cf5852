#pragma once

/// Which siblings of a record's root belong to the record: a heading and its paragraph, a term and its text, two rows.

#include "stitch/template/lists.hpp"

namespace cistern::stitch::templates {

/// Sets first and last of every record of the list.
void set_runs(html::document const& page, list& l);

}  // namespace cistern::stitch::templates
