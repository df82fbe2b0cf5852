#pragma once

/// Where the bytes of a record are, for those who put records together.

#include "stitch/template/lists.hpp"
#include "stitch/template/plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

/// The bytes of an entry's record, whether it is there already or made.
using entry_writer = std::function<std::string(entry)>;

[[nodiscard]] inline std::uint32_t begin_of(html::document const& page, record const& r) { return page[r.first].begin; }
[[nodiscard]] inline std::uint32_t end_of(html::document const& page, record const& r) { return page[r.last].finish; }

/// What mostly stands between two neighbours; a line break when there are none.
[[nodiscard]] std::string most_common(std::vector<std::string> const& gaps);

/// What to put between two neighbours that had none: the most common, but no notice that stands in one place only.
[[nodiscard]] std::string usual_gap(std::vector<std::string> const& gaps);

}  // namespace cistern::stitch::templates
