#pragma once

/// What publishers put behind a time instead of an offset: "EST", "CEST", "Europe/Brussels".

#include <chrono>
#include <optional>
#include <string_view>

namespace cistern::stitch::feed {

/// Whether a region's clocks move, and by whose calendar. Abbreviations name one offset: they are always `fixed`.
enum class clock_rule { fixed, europe, north_america, australia };

struct named_zone {
  std::chrono::minutes offset{};  // in winter
  clock_rule rule = clock_rule::fixed;
};

/// `word` is in lower case.
[[nodiscard]] std::optional<named_zone> zone_named(std::string_view word);

/// Is it summer time at this local (winter) time, for a region `offset` from UTC?
[[nodiscard]] bool is_summer(std::chrono::sys_seconds local, std::chrono::minutes offset, clock_rule rule);

}  // namespace cistern::stitch::feed
