#include "stitch/html/noscript.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

bool begins(string_view text, string_view with) {
  return text.size() >= with.size() &&
         std::equal(with.begin(), with.end(), text.begin(), [](char expected, char c) { return lower(c) == expected; });
}

std::size_t find_anycase(string_view text, string_view what, std::size_t from) {
  for (auto at = text.find('<', from); at != string_view::npos; at = text.find('<', at + 1))
    if (begins(text.substr(at), what)) return at;
  return string_view::npos;
}

/// One past the '>' of the tag at `at`; npos when the text ends inside it. A quote opens a value only behind '='.
std::size_t end_of_tag(string_view text, std::size_t at) {
  char quote = '\0', before = ' ';
  for (; at < text.size(); ++at) {
    char const c = text[at];
    if (quote == '\0' && c == '>') return at + 1;
    if (c == quote)
      quote = '\0';
    else if (quote == '\0' && before == '=' && (c == '"' || c == '\''))
      quote = c;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '\f') before = c;
  }
  return string_view::npos;
}

/// Tags and text, each ended before this ends, and nothing with rules of its own: both readings go on from here alike.
bool is_plain_markup(string_view text) {
  static constexpr std::array<string_view, 9> raw{"script", "style",   "textarea", "title",    "xmp",
                                                  "iframe", "noembed", "noframes", "plaintext"};
  static constexpr std::array<string_view, 3> odd{"svg", "math", "select"};
  for (auto at = text.find('<'); at != string_view::npos; at = text.find('<', at)) {
    auto const tag = text.substr(at + 1);
    bool const closing = begins(tag, "/");
    auto const name = tag.substr(closing ? 1 : 0);
    if (begins(tag, "!") || begins(tag, "?") || (closing && (name.empty() || !is_letter(name[0])))) return false;
    if (name.empty() || !is_letter(name[0])) {
      ++at;
      continue;
    }
    auto const is = [&](string_view known) { return begins(name, known); };
    if (std::ranges::any_of(odd, is)) return false;
    auto const end = end_of_tag(text, at);
    if (end == string_view::npos) return false;
    at = end;
    auto const* const rule = closing ? raw.end() : std::ranges::find_if(raw, is);
    if (rule == raw.end()) continue;
    at = find_anycase(text, "</" + std::string{*rule}, end);
    if (at == string_view::npos) return false;
  }
  return true;
}

}  // namespace

bool has_ambiguous_noscript(document const& page) {
  auto const source = page.source();
  std::size_t end = 0;  // of the last that was looked for: once, not once for each that is never closed
  for (node_id n = 1; n < page.size(); ++n) {
    if (!page.is(n, "noscript") || page[n].inner_begin == 0) continue;
    auto const begin = page[n].inner_begin;
    if (end < begin) end = find_anycase(source, "</noscript", begin);
    if (end == string_view::npos) return false;
    if (end != page[n].inner_finish && !is_plain_markup(source.substr(begin, end - begin))) return true;
  }
  return false;
}

std::string without_noscript(string_view source) {
  std::string out;
  std::size_t copied = 0;
  for (auto at = source.find('<'); at != string_view::npos; at = source.find('<', at + 1)) {
    auto const name = at + (begins(source.substr(at), "</") ? 2 : 1);
    if (!begins(source.substr(name), "noscript")) continue;
    out.append(source.substr(copied, name - copied)).append("x-");
    copied = name;
  }
  return out.append(source.substr(copied));
}

}  // namespace cistern::stitch::html
