#include "store/search_query.hpp"

#include "store/search_words.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

constexpr std::size_t shortest_begun = 2;  // bytes; one letter begins too many words

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

std::string_view bounded(std::string_view text) {
  if (text.size() <= longest_query) return text;
  auto end = longest_query;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

/// Typographic quotes are quotes, as phones type them; other blanks are blanks.
std::string plain(std::string_view typed) {
  std::string out;
  for (std::size_t at = 0; at < typed.size();) {
    auto const begin = at;
    switch (next_character(typed, at)) {
      case 0x201C:
      case 0x201D:
      case 0x201E:
      case 0x00AB:
      case 0x00BB:
        out += '"';
        break;
      case 0x3000:
      case 0x00A0:
        out += ' ';
        break;
      case 0xFFFD:
        break;
      default:
        out += typed.substr(begin, at - begin);
    }
  }
  return out;
}

std::string quoted(query_term const& term, bool begun) {
  return '"' + term.text + '"' + (begun ? "*" : "");  // a term has no quotes in it
}

bool is_one_unspaced(std::string const& word) {
  std::size_t at = 0;
  return !word.empty() && is_unspaced(next_character(word, at)) && at == word.size();
}

}  // namespace

std::vector<query_term> read_query(std::string_view typed) {
  std::vector<query_term> out;
  auto const text = plain(bounded(typed));
  for (std::size_t at = 0; at < text.size() && out.size() < most_terms;) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    query_term term;
    term.without = text[at] == '-' && at + 1 < text.size() && !is_blank(text[at + 1]);
    at += term.without;
    bool const phrase = text[at] == '"';
    auto const begin = at + phrase;
    auto const ends = [phrase](char c) { return c == '"' || (!phrase && is_blank(c)); };
    auto const end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), ends) - text.begin());
    term.text = text.substr(begin, end - begin);
    term.begun = !phrase && !term.without && end == text.size();
    at = end + (phrase && end < text.size());
    if (!term.text.empty()) out.push_back(std::move(term));
    if (!phrase && at == begin) ++at;  // nothing but a quote that ends nothing
  }
  return out;
}

std::string match_expression(std::vector<query_term> const& terms, word_cutter const& cut) {
  std::string wanted, unwanted;
  for (auto const& term : terms) {
    auto const words = cut(term.text);
    if (words.empty()) continue;
    // One character of a script without blanks is in the index as the beginning of pairs.
    bool const begun = is_one_unspaced(words.back()) || (term.begun && words.back().size() >= shortest_begun);
    auto& list = term.without ? unwanted : wanted;
    if (!list.empty()) list += term.without ? " OR " : " AND ";
    list += quoted(term, begun);
  }
  if (wanted.empty() || unwanted.empty()) return wanted;
  return '(' + wanted + ") NOT (" + unwanted + ')';
}

}  // namespace cistern::store
