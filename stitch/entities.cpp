#include "stitch/entities.hpp"

#include "stitch/entities_table.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace cistern::stitch {
namespace {

using std::string_view;

constexpr std::size_t longest_legacy = 6;  // "frac12"
constexpr std::size_t longest_name = 32;   // "CounterClockwiseContourIntegral" has 31

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

named_reference const* find(string_view name) {
  auto const table = std::span{named_references, named_reference_count};
  auto const at = std::ranges::lower_bound(table, name, {}, &named_reference::name);
  return at != table.end() && at->name == name ? &*at : nullptr;
}

int digit(char c, int radix) {
  int const value = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
  return value < radix ? value : -1;
}

// A reference to one byte from 0x80 on, as "&#226;"; nothing when it is no such reference.
struct byte_reference {
  std::size_t length = 0;
  unsigned char byte = 0;
};
byte_reference read_byte(string_view text) {
  if (!text.starts_with("&#") || text.size() < 6) return {};
  int const radix = text[2] == 'x' || text[2] == 'X' ? 16 : 10;
  int value = 0;
  std::size_t at = radix == 16 ? 3 : 2;
  for (; at < std::min<std::size_t>(text.size(), 8) && digit(text[at], radix) >= 0; ++at)
    value = value * radix + digit(text[at], radix);
  if (at >= text.size() || text[at] != ';' || value < 0x80 || value > 0xff) return {};
  return {at + 1, static_cast<unsigned char>(value)};
}

// "&#226;&#128;&#166;": a program wrote the bytes of one UTF-8 character as if each were one. Taken for that only when
// one of them would be a control character, which nobody writes.
reference read_bytes(string_view text) {
  auto const first = read_byte(text);
  std::size_t const count = first.byte >= 0xc2 && first.byte < 0xe0   ? 2
                            : first.byte >= 0xe0 && first.byte < 0xf0 ? 3
                                                                      : 0;
  if (count == 0) return {};
  reference out{first.length, std::string(1, static_cast<char>(first.byte))};
  bool control = false;
  for (std::size_t i = 1; i < count; ++i) {
    auto const next = read_byte(text.substr(out.length));
    if (next.length == 0 || next.byte > 0xbf) return {};
    control = control || next.byte < 0xa0;
    out.length += next.length;
    out.text += static_cast<char>(next.byte);
  }
  bool const overlong = first.byte == 0xe0 && static_cast<unsigned char>(out.text[1]) < 0xa0;
  bool const surrogate = first.byte == 0xed && static_cast<unsigned char>(out.text[1]) >= 0xa0;
  bool const no_character = out.text == "\xef\xbf\xbe" || out.text == "\xef\xbf\xbf";
  bool const second_controls = out.text[0] == '\xc2';  // U+0080 to U+009F again
  return control && !overlong && !surrogate && !no_character && !second_controls ? out : reference{};
}

reference read_number(string_view text) {
  if (auto const spelt = read_bytes(text); spelt.length > 0) return spelt;
  std::size_t at = 2;
  int const radix = at < text.size() && (text[at] == 'x' || text[at] == 'X') ? 16 : 10;
  if (radix == 16) ++at;
  auto const first = at;
  char32_t code = 0;
  for (; at < text.size() && digit(text[at], radix) >= 0; ++at)
    code = std::min<char32_t>(0x110000,
                              code * static_cast<char32_t>(radix) + static_cast<char32_t>(digit(text[at], radix)));
  if (at == first) return {};
  if (at < text.size() && text[at] == ';') ++at;
  reference out{at, {}};
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  bool const control =
      (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7f || (code & 0xfffe) == 0xfffe;
  if (!control) append_utf8(out.text, from_windows_1252(code));
  return out;
}

}  // namespace

char32_t from_windows_1252(char32_t code) {
  static constexpr std::array<char16_t, 32> high{0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                                 0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                                 0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  return code >= 0x80 && code < 0xa0 ? high[code - 0x80] : code;
}

void append_utf8(std::string& out, char32_t code) {
  auto const put = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 63));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 63));
    put(0x80 | (code & 63));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 63));
    put(0x80 | ((code >> 6) & 63));
    put(0x80 | (code & 63));
  }
}

string_view named_text(string_view name) {
  auto const* found = find(name);
  return found ? found->text : string_view{};
}

reference read_reference(string_view text, reference_place place) {
  if (text.size() < 2) return {};
  if (text[1] == '#') return read_number(text);
  std::size_t end = 1;
  while (end < text.size() && end <= longest_name && is_alnum(text[end])) ++end;
  if (end < text.size() && text[end] == ';')
    if (auto const* found = find(text.substr(1, end - 1))) return {end + 1, std::string{found->text}};
  // A name cut short of its semicolon: the longest one browsers know so. In an attribute `&copy=` and `&copyright` are
  // parts of a query, and so they are in the text of a link.
  for (auto length = std::min(longest_legacy, end - 1); length >= 2; --length) {
    auto const* found = find(text.substr(1, length));
    if (!found || !found->legacy) continue;
    bool const more = 1 + length < text.size();
    char const next = more ? text[1 + length] : ' ';
    if (next == '=' || (place == reference_place::attribute && is_alnum(next))) return {};
    return {1 + length, std::string{found->text}};
  }
  return {};
}

std::string decode_references(string_view text, reference_place place) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    auto const mark = text.find('&');
    out += text.substr(0, mark);
    if (mark == string_view::npos) return out;
    text.remove_prefix(mark);
    auto const found = read_reference(text, place);
    if (found.length == 0) out += '&';
    out += found.text;
    text.remove_prefix(std::max<std::size_t>(1, found.length));
  }
}

namespace {

// string_view::find_first_of with the set looked up instead of searched: nearly every byte of a page comes by here.
std::size_t find_first_of(string_view text, std::array<bool, 256> const& set) {
  auto const at = std::ranges::find_if(text, [&set](char c) { return set[static_cast<unsigned char>(c)]; });
  return at == text.end() ? string_view::npos : static_cast<std::size_t>(at - text.begin());
}

constexpr std::array<bool, 256> set_of(string_view characters) {
  std::array<bool, 256> out{};
  for (char const c : characters) out[static_cast<unsigned char>(c)] = true;
  return out;
}

void append_escaped(std::string& out, string_view text, std::array<bool, 256> const& special) {
  for (;;) {
    auto const at = find_first_of(text, special);
    out += text.substr(0, at);
    if (at == string_view::npos) return;
    switch (text[at]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\0':
        out += "\xEF\xBF\xBD";
        break;
      default:
        out += "&quot;";
    }
    text.remove_prefix(at + 1);
  }
}

}  // namespace

void append_escaped(std::string& out, string_view text, reference_place place) {
  static constexpr auto in_text = set_of("&<>"), in_attribute = set_of("&<>\"");
  append_escaped(out, text, place == reference_place::attribute ? in_attribute : in_text);
}

std::string escape_text(string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

std::string escape_attribute(string_view text) {
  std::string out;
  append_escaped(out, text, reference_place::attribute);
  return out;
}

std::string escape_anywhere(string_view text) {
  std::string out;
  static constexpr auto anywhere = set_of({"&<>\"'\0", 6});
  append_escaped(out, text, anywhere);
  return out;
}

}  // namespace cistern::stitch
