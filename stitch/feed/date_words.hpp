#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// Lower case for ASCII, Latin-1, Greek and Cyrillic, which is what month names need.
[[nodiscard]] std::string fold_case(std::string_view text);

/// 1-12 for a month's name or abbreviation in the languages feeds are written in; `word` is folded.
[[nodiscard]] std::optional<unsigned> month_named(std::string_view word);

/// Offset from UTC of a named zone ("est", "cest", "msk", a military letter); `word` is folded.
[[nodiscard]] std::optional<std::chrono::minutes> zone_named(std::string_view word);

}  // namespace cistern::stitch::feed
