#pragma once

/// A bar for each day as SVG, made here so that it shows without scripts and nothing has to be vendored. Colours come
/// from the style sheet: the class of a part is its name.

#include <cstdint>
#include <string>
#include <vector>

namespace cistern::proxy {

struct bar_part {
  std::string style{};  // "feeds": a class of the style sheet
  std::uint64_t value = 0;
};

struct bar {
  std::string day{};              // "2026-11-16": shown under it, in the reader's way where scripts run
  std::string title{};            // shown on hover
  std::vector<bar_part> parts{};  // from the bottom up
};

/// `name` is what a screen reader says it is. Everything is escaped.
[[nodiscard]] std::string draw_bars(std::vector<bar> const& bars, std::string const& name);

}  // namespace cistern::proxy
