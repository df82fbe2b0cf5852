#pragma once

/// How FTS5 cuts text into words (store/search_words.hpp says what a word is). Only store/*.cpp includes this file.

#include "store/sqlite.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cistern::store {

/// The name to give to FTS5's `tokenize`.
inline constexpr char const* tokenizer_name = "cistern";

/// Makes it known to a connection; throws sqlite::error.
void add_tokenizer(sqlite::database const& db);

/// The words of a query, as they are looked up.
[[nodiscard]] std::vector<std::string> query_words(sqlite::database const& db, std::string_view text);

}  // namespace cistern::store
