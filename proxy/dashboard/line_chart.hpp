#pragma once

/// Shares over time as SVG, in the manner of bar_chart.hpp: 0 % at the bottom, 100 % at the top, a dot a measurement.

#include <string>
#include <vector>

namespace cistern::proxy {

struct chart_point {
  double share = 0;     // 0 to 1
  std::string label{};  // shown under it
  std::string title{};  // shown on hover
};

/// `name` is what a screen reader says it is. Everything is escaped.
[[nodiscard]] std::string draw_shares(std::vector<chart_point> const& points, std::string const& name);

}  // namespace cistern::proxy
