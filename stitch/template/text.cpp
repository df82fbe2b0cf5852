#include "stitch/template/text.hpp"

#include <algorithm>
#include <unordered_map>

namespace cistern::stitch::templates {
namespace {

struct code_point {
  char32_t value;
  std::size_t size;
};

code_point decode(std::string_view s, std::size_t at) {
  auto const byte = [&](std::size_t i) { return at + i < s.size() ? static_cast<unsigned char>(s[at + i]) : 0u; };
  auto const c = byte(0);
  if (c < 0x80) return {c, 1};
  if (c >= 0xC2 && c < 0xE0 && at + 1 < s.size()) return {((c & 0x1Fu) << 6) | (byte(1) & 0x3Fu), 2};
  if (c >= 0xE0 && c < 0xF0 && at + 2 < s.size())
    return {((c & 0x0Fu) << 12) | ((byte(1) & 0x3Fu) << 6) | (byte(2) & 0x3Fu), 3};
  if (c >= 0xF0 && c < 0xF5 && at + 3 < s.size())
    return {((c & 0x07u) << 18) | ((byte(1) & 0x3Fu) << 12) | ((byte(2) & 0x3Fu) << 6) | (byte(3) & 0x3Fu), 4};
  return {0xFFFD, 1};
}

bool is_ideograph(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xAC00 && c <= 0xD7AF);
}

bool is_word(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA || c == 0xB2 || c == 0xB3 || c == 0xB9;
  if (c == 0xD7 || c == 0xF7 || c == 0xFFFD) return false;
  if (c >= 0x2000 && c <= 0x206F) return false;                       // general punctuation
  if (c >= 0x20A0 && c <= 0x20CF) return false;                       // currency
  if (c >= 0x2190 && c <= 0x245F) return false;                       // arrows, mathematics, technical
  if (c >= 0x2500 && c <= 0x2BFF) return false;                       // boxes, shapes, dingbats
  if (c >= 0x3000 && c <= 0x303F) return c == 0x3005 || c == 0x3007;  // ideographic punctuation
  if (c >= 0xFF00 && c <= 0xFFEF) return (c >= 0xFF10 && c <= 0xFF19) || (c >= 0xFF21 && c <= 0xFF5A && c != 0xFF3B);
  if (c >= 0xE000 && c <= 0xF8FF) return false;    // private use: icon fonts
  if (c >= 0x1F000 && c <= 0x1FAFF) return false;  // emoji
  return !(c >= 0xFE00 && c <= 0xFE0F);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

// Letters of two bytes whose other case has two bytes as well.
unsigned other_case(unsigned c, letter_case wanted) {
  struct letters {
    unsigned first, last, distance;  // of capitals; a distance of one: capitals and small letters in turn
  };
  static constexpr letters capitals[] = {{0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},  {0x100, 0x12E, 1}, {0x132, 0x136, 1},
                                         {0x139, 0x147, 1},  {0x14A, 0x176, 1}, {0x179, 0x17D, 1}, {0x391, 0x3A9, 32},
                                         {0x400, 0x40F, 80}, {0x410, 0x42F, 32}};
  for (auto const& l : capitals) {
    auto const capital = wanted == letter_case::lower ? c : c - l.distance;
    if (capital < l.first || capital > l.last || (l.distance == 1 && (capital - l.first) % 2 != 0)) continue;
    return wanted == letter_case::lower ? c + l.distance : capital;
  }
  return c;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0, at = 0;
  bool open = false;
  auto const close = [&] {
    if (open) out.push_back(text.substr(begin, at - begin));
    open = false;
  };
  while (at < text.size()) {
    auto const [c, size] = decode(text, at);
    if (is_ideograph(c)) {
      close();
      out.push_back(text.substr(at, size));
    } else if (is_word(c)) {
      if (!open) begin = at;
      open = true;
    } else {
      close();
    }
    at += size;
  }
  close();
  return out;
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (char const c : trimmed(text)) {
    if (!is_space(c))
      out += c;
    else if (!out.ends_with(' '))
      out += ' ';
  }
  return out;
}

bool blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

std::string percent_encode(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += '%';
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  auto const hex = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() + 0 && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string slug_of(std::string_view text, char joint) {
  std::string out;
  for (auto const& w : words_of(text)) {
    if (!out.empty()) out += joint;
    out += lower(w);
  }
  return out;
}

std::string title_case(std::string_view text) {
  static constexpr std::string_view small[] = {"a",  "an", "and", "as", "at",  "but", "by", "en",  "for", "if",
                                               "in", "of", "on",  "or", "the", "to",  "v",  "via", "vs"};
  std::string out{text};
  bool first = true;
  for (std::size_t at = 0; at < out.size();) {
    auto end = out.find(' ', at);
    if (end == std::string::npos) end = out.size();
    auto const word = std::string_view{out}.substr(at, end - at);
    bool const inner = std::any_of(word.begin() + (word.empty() ? 0 : 1), word.end(),
                                   [](char c) { return (c >= 'A' && c <= 'Z') || c == '.'; });
    bool const is_small =
        !first && end != out.size() && std::find(std::begin(small), std::end(small), word) != std::end(small);
    if (!inner && !is_small && !word.empty() && word[0] >= 'a' && word[0] <= 'z')
      out[at] = static_cast<char>(out[at] - 32);
    first = false;
    at = end + 1;
  }
  return out;
}

std::string in_case(std::string_view text, letter_case wanted) {
  std::string out{text};
  for (std::size_t i = 0; i < out.size() && wanted != letter_case::as_is; ++i) {
    auto const lead = static_cast<unsigned char>(out[i]);
    if (lead < 0x80) {
      auto const base = wanted == letter_case::lower ? 'A' : 'a';
      if (out[i] >= base && out[i] < base + 26) out[i] = static_cast<char>(out[i] ^ 0x20);
    } else if ((lead & 0xE0) == 0xC0 && i + 1 < out.size()) {
      auto const c = static_cast<unsigned>(lead & 0x1F) << 6 | (static_cast<unsigned char>(out[i + 1]) & 0x3F);
      auto const other = other_case(c, wanted);
      out[i] = static_cast<char>(0xC0 | other >> 6);
      out[++i] = static_cast<char>(0x80 | (other & 0x3F));
    }
  }
  return out;
}

double share_of_words(std::string_view part, std::string_view whole) {
  auto const want = words_of(part);
  if (want.empty()) return 1;
  std::unordered_map<std::string_view, int> have;
  for (auto const& w : words_of(whole)) ++have[w];
  std::size_t found = 0;
  for (auto const& w : want)
    if (auto h = have.find(w); h != have.end() && h->second > 0) --h->second, ++found;
  return static_cast<double>(found) / static_cast<double>(want.size());
}

}  // namespace cistern::stitch::templates
