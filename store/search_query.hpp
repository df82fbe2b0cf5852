#pragma once

/// What a person types, read kindly: words that must all be there, "phrases", -words that must not. The last word may
/// be unfinished. Nothing that is typed is a mistake.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::store {

struct query_term {
  std::string text{};
  bool without = false;  // it must not be there
  bool begun = false;    // the beginning of a word is enough
};

inline constexpr std::size_t longest_query = 400;  // bytes; the rest is not read
inline constexpr std::size_t most_terms = 16;

[[nodiscard]] std::vector<query_term> read_query(std::string_view typed);

/// How `text` is cut into words.
using word_cutter = std::function<std::vector<std::string>(std::string_view text)>;
/// In FTS5's language. Empty when there is nothing to look for: no words, or only such that must not be there.
[[nodiscard]] std::string match_expression(std::vector<query_term> const& terms, word_cutter const& cut);

}  // namespace cistern::store
