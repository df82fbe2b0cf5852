#include "store/search_words.hpp"

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

struct range {
  char32_t first, last;
};

constexpr bool among(char32_t c, auto const& ranges) {
  return std::ranges::any_of(ranges, [c](range const& r) { return c >= r.first && c <= r.last; });
}

constexpr std::array unspaced{
    range{0x0E01, 0x0E3A},   range{0x0E40, 0x0E4E},  // Thai without digits and punctuation
    range{0x0E81, 0x0ECD},   range{0x0EDC, 0x0EDF},  // Lao
    range{0x1000, 0x103F},   range{0x1050, 0x108F},  // Burmese
    range{0x1100, 0x11FF},                           // Hangul jamo
    range{0x1780, 0x17D3},                           // Khmer
    range{0x3005, 0x3007},   range{0x3041, 0x309F},  // 々 〇, hiragana
    range{0x30A1, 0x30FA},   range{0x30FC, 0x30FF},  // katakana
    range{0x3105, 0x312F},   range{0x31F0, 0x31FF},  // bopomofo, small katakana
    range{0x3400, 0x4DBF},   range{0x4E00, 0x9FFF},  // ideographs
    range{0xAC00, 0xD7A3},                           // Hangul
    range{0xF900, 0xFAFF},   range{0xFF66, 0xFF9F},  // ideographs again, half-width katakana
    range{0x20000, 0x3FFFD},                         // and more
};

/// Signs that change how a letter sounds, not which it is.
constexpr std::array signs{
    range{0x0300, 0x036F}, range{0x0591, 0x05BD}, range{0x05BF, 0x05C7}, range{0x0610, 0x061A}, range{0x0640, 0x0640},
    range{0x064B, 0x065F}, range{0x0670, 0x0670}, range{0x06D6, 0x06DC}, range{0x06DF, 0x06E8}, range{0x06EA, 0x06ED},
};

void append(std::string& out, char32_t c) {
  auto const tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

/// What a letter is written as; empty: as itself.
std::string_view spelling(char32_t c) {
  switch (c) {
    case 0x00DF:
    case 0x1E9E:
      return "ss";
    case 0x00E6:
      return "ae";
    case 0x0153:
      return "oe";
    case 0x00F8:
      return "o";
    case 0x0142:
      return "l";
    case 0x0111:
      return "d";
    case 0x0131:
      return "i";
    case 0x0451:
      return "\u0435";  // ё as people write it
    case 0x0622:        // alef with madda, hamza above and below, wasla
    case 0x0623:
    case 0x0625:
    case 0x0671:
      return "\u0627";
    case 0x0649:
      return "\u064A";
    case 0x0629:
      return "\u0647";
    default:
      return {};
  }
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

}  // namespace

bool is_unspaced(char32_t c) { return c >= 0x0E01 && among(c, unspaced); }

char32_t next_character(std::string_view text, std::size_t& at) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto const first = byte(at++);
  if (first < 0x80) return first;
  std::size_t const more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0) return 0xFFFD;
  char32_t c = first & (0x3F >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0) != 0x80) return 0xFFFD;
    c = (c << 6) | (byte(at++) & 0x3F);
  }
  return c;
}

std::string folded(std::string_view word) {
  if (is_ascii(word)) return std::string{word};
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    auto c = next_character(word, at);
    if (among(c, signs)) continue;
    if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFEE0;
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (auto const written = spelling(c); !written.empty())
      out += written;
    else
      append(out, c);
  }
  return out;
}

std::string with_umlauts_spelled(std::string_view word) {
  std::string out;
  bool any = false;
  for (std::size_t at = 0; at < word.size();) {
    auto const begin = at;
    auto const c = next_character(word, at);
    switch (c) {
      case 0x00E4:
      case 0x00C4:
        out += "ae", any = true;
        break;
      case 0x00F6:
      case 0x00D6:
        out += "oe", any = true;
        break;
      case 0x00FC:
      case 0x00DC:
        out += "ue", any = true;
        break;
      default:
        out += word.substr(begin, at - begin);
    }
  }
  return any ? out : std::string{};
}

}  // namespace cistern::store
