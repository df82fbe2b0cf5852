#pragma once

/// A picture of what was learned: the page itself, warm where it differs from its earlier version, with its regions and
/// records outlined and the fields of each record named.

#include "stitch/template/stitch.hpp"

#include <string>

namespace cistern::stitch::templates {

[[nodiscard]] std::string draw_heatmap(std::string_view base, std::vector<snapshot> const& snapshots, outcome const& o);

}  // namespace cistern::stitch::templates
