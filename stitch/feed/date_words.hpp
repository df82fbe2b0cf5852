#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// Lower case for ASCII, Latin-1, Greek and Cyrillic, which is what month names need.
[[nodiscard]] std::string fold_case(std::string_view text);

/// 1-12 for a month's name or abbreviation in the languages feeds are written in; `word` is folded.
[[nodiscard]] std::optional<unsigned> month_named(std::string_view word);

/// 1-7, Monday first, for a day's name or abbreviation; `word` is folded.
[[nodiscard]] std::optional<unsigned> weekday_named(std::string_view word);

}  // namespace cistern::stitch::feed
