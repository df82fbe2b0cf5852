#pragma once

#include "stitch/template/stitch.hpp"

#include <string>
#include <vector>

namespace cistern::tools {

/// Saved pages and feeds, read and parsed. Failures are exceptions whose text names the file.
[[nodiscard]] stitch::html::document load_page(std::string const& file);
[[nodiscard]] stitch::feed::feed load_feed(std::string const& file, std::string const& base);
[[nodiscard]] stitch::templates::snapshot load_snapshot(std::vector<std::string> const& page_and_feeds,
                                                        std::string const& base);

void save(std::string const& file, std::string_view bytes);

/// Regions, fields, confidences and reasons as one JSON object.
[[nodiscard]] std::string report_json(stitch::templates::outcome const& o);

}  // namespace cistern::tools
