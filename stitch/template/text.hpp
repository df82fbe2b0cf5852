#pragma once

/// Words, as a reader would count them, and the few ways to write text into an address.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::templates {

/// Runs of letters and digits, case kept; each ideograph, kana and hangul syllable is a word of its own.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);  // ASCII only
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string single_spaced(std::string_view text);  // trimmed, runs of white space as one blank
[[nodiscard]] bool blank(std::string_view text);

[[nodiscard]] std::string percent_encode(std::string_view text);  // all but unreserved characters
[[nodiscard]] std::string percent_decode(std::string_view text);
/// Lower-case words joined by `joint`, as page makers name the pages of tags.
[[nodiscard]] std::string slug_of(std::string_view text, char joint = '-');

/// As publishing tools capitalise titles: small words stay small, words with capitals inside are left alone.
[[nodiscard]] std::string title_case(std::string_view text);

enum class letter_case : std::uint8_t { as_is, lower, upper };
/// Latin, Greek and Cyrillic letters in one case, and what has no other one as it is.
[[nodiscard]] std::string in_case(std::string_view text, letter_case wanted);

/// The share of words (with repetition) of `part` that `whole` has too, 1 for an empty part.
[[nodiscard]] double share_of_words(std::string_view part, std::string_view whole);

}  // namespace cistern::stitch::templates
