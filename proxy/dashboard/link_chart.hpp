#pragma once

/// The link's states over time as one bar of SVG, in the manner of bar_chart.hpp.

#include <chrono>
#include <string>
#include <vector>

namespace cistern::proxy {

struct link_span {
  std::string style{};  // "up", "down", "portal": a class of the style sheet
  std::string title{};  // shown on hover
  std::chrono::sys_seconds from{};
  std::chrono::sys_seconds until{};
};

/// In order, each from where the one before it ends. `name` is what a screen reader says it is. Everything is escaped.
[[nodiscard]] std::string draw_link(std::vector<link_span> const& spans, std::string const& name);

}  // namespace cistern::proxy
