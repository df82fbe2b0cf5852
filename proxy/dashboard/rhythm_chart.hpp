#pragma once

/// A week of posts as SVG: a row a weekday, a column an hour, darker where more was posted, with marks where visits are
/// planned. In the manner of bar_chart.hpp.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cistern::proxy {

struct week_hour {
  unsigned day = 0;  // Monday is 0
  unsigned hour = 0;
  bool operator==(week_hour const&) const = default;
};

struct rhythm_facts {
  std::array<std::array<std::uint64_t, 24>, 7> posts{};
  std::vector<week_hour> visits{};    // the next one first
  std::array<std::string, 7> days{};  // their short names
  std::string posts_word{};           // "posts", behind a number on hover
  std::string visit_word{};           // "a visit is planned"
  std::string next_word{};            // "the next visit"
};

/// `name` is what a screen reader says it is. Everything is escaped.
[[nodiscard]] std::string draw_week(rhythm_facts const& facts, std::string const& name);

}  // namespace cistern::proxy
