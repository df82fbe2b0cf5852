#include "store/field_list.hpp"

#include "store/header_block.hpp"

#include <algorithm>

namespace cistern::store {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_token_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

std::size_t end_of_part(std::string_view text, char separator) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == separator && !quoted) {
      return i;
    }
  }
  return text.size();
}

std::optional<std::string_view> next_part(std::string_view& rest, char separator) {
  while (!rest.empty()) {
    auto const end = end_of_part(rest, separator);
    auto const part = trim_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!part.empty()) return part;
  }
  return std::nullopt;
}

}  // namespace

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char); }

std::string_view trim_blanks(std::string_view text) {
  auto const blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> next_element(std::string_view& rest) { return next_part(rest, ','); }

std::optional<std::string_view> next_parameter(std::string_view& rest) { return next_part(rest, ';'); }

bool list_has(std::string_view list, std::string_view token) {
  while (auto const element = next_element(list))
    if (same_token(*element, token)) return true;
  return false;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string{text};
  text.remove_prefix(1);
  text.remove_suffix(1);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  std::chrono::seconds value{0};
  for (char const c : digits) value = std::min(value * 10 + std::chrono::seconds{c - '0'}, longest_delta);
  return value;
}

std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int value = (text[0] - '0') * 1000;
  int weight = 100;
  for (std::size_t i = 2; i < text.size(); ++i, weight /= 10) {
    if (!is_digit(text[i])) return std::nullopt;
    value += (text[i] - '0') * weight;
  }
  return value <= 1000 ? std::optional{value} : std::nullopt;
}

}  // namespace cistern::store
