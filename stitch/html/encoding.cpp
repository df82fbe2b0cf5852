#include "stitch/html/encoding.hpp"

#include <algorithm>
#include <cstdint>

namespace cistern::stitch::html {
namespace {

std::string lowered(std::string_view s) {
  std::string out{s};
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

// The value after "charset=" in a header or an attribute, quotes and spaces aside.
std::string charset_parameter(std::string_view text) {
  auto const low = lowered(text);
  for (auto at = low.find("charset"); at != std::string::npos; at = low.find("charset", at + 7)) {
    auto i = low.find_first_not_of(" \t\r\n", at + 7);
    if (i == std::string::npos || low[i] != '=') continue;
    i = low.find_first_not_of(" \t\r\n\"'", i + 1);
    if (i == std::string::npos) return {};
    return low.substr(i, low.find_first_of(" \t\r\n\"';>/", i) - i);
  }
  return {};
}

std::string charset_of_meta(std::string_view head) {
  auto const low = lowered(head);
  for (auto at = low.find("<meta"); at != std::string::npos; at = low.find("<meta", at + 5)) {
    auto const end = low.find('>', at);
    auto label = charset_parameter(std::string_view{low}.substr(at, end == std::string::npos ? end : end - at));
    if (label.empty()) continue;
    return label.starts_with("utf-16") ? "utf-8" : label;  // a page whose <meta> can be read is not UTF-16
  }
  return {};
}

bool valid_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    auto const c = static_cast<unsigned char>(s[i]);
    std::size_t const n = c < 0x80                ? 1
                          : c >= 0xC2 && c < 0xE0 ? 2
                          : c >= 0xE0 && c < 0xF0 ? 3
                          : c >= 0xF0 && c < 0xF5 ? 4
                                                  : 0;
    if (n == 0 || i + n > s.size()) return false;
    for (std::size_t k = 1; k < n; ++k)
      if ((static_cast<unsigned char>(s[i + k]) & 0xC0) != 0x80) return false;
    i += n;
  }
  return true;
}

}  // namespace

std::string charset_of(std::string_view bytes, std::string_view content_type) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return "utf-8";
  if (bytes.starts_with("\xFE\xFF")) return "utf-16be";
  if (bytes.starts_with("\xFF\xFE")) return "utf-16le";
  if (auto label = charset_parameter(content_type); !label.empty()) return label;
  if (auto label = charset_of_meta(bytes.substr(0, 1024)); !label.empty()) return label;
  return valid_utf8(bytes) ? "utf-8" : "windows-1252";
}

}  // namespace cistern::stitch::html
