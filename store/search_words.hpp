#pragma once

/// What a word is to the search index, beyond what SQLite's own tokenizer knows.
///
/// Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are written without blanks between words (Korean with
/// blanks, but words grow endings). Such text is cut into pairs of neighbouring characters: a word of two characters or
/// more is found wherever it stands, without a dictionary, and the ranking still counts real occurrences.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cistern::store {

/// Of a script that is written without blanks between words.
[[nodiscard]] bool is_unspaced(char32_t c);

/// The character that begins at `at`, which is moved past it; U+FFFD for a byte that begins none.
[[nodiscard]] char32_t next_character(std::string_view text, std::size_t& at);

/// A word that is lower case and without accents already, as the index has it: ß as ss, ø as o, full-width letters as
/// plain ones, Arabic and Hebrew without vowel signs and with one form of alef, yeh and teh marbuta.
[[nodiscard]] std::string folded(std::string_view word);

/// With ä, ö, ü written as ae, oe, ue, as people without these keys do; empty when it has none.
[[nodiscard]] std::string with_umlauts_spelled(std::string_view word);

}  // namespace cistern::store
