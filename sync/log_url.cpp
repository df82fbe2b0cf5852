#include "sync/log_url.hpp"

#include <algorithm>
#include <atomic>

namespace cistern::sync {
namespace {

constexpr std::size_t longest = 2000;
std::atomic<bool> queries_shown{false};

bool is_plain(char ch) {
  auto const byte = static_cast<unsigned char>(ch);
  return byte > 0x20 && byte != 0x7f && ch != '"' && ch != '\\' && ch != '=';
}

/// How many bytes the UTF-8 sequence at the front has; 0 when it is none. Overlong forms are let through: nothing here
/// depends on their meaning.
std::size_t sequence_length(std::string_view text) {
  auto const lead = static_cast<unsigned char>(text[0]);
  std::size_t const length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  auto const continues = [](char ch) { return (static_cast<unsigned char>(ch) & 0xc0) == 0x80; };
  return std::ranges::all_of(text.substr(std::min<std::size_t>(1, length), length ? length - 1 : 0), continues) ? length
                                                                                                                : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto const length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += "\\x";
  out += hex[byte >> 4];
  out += hex[byte & 15];
}

void append_escaped(std::string& out, char ch) {
  auto const byte = static_cast<unsigned char>(ch);
  if (byte < 0x20 || byte == 0x7f) return append_hex(out, byte);
  if (ch == '"' || ch == '\\') out += '\\';
  out += ch;
}

/// Where the authority ends; everything up to there is "scheme://…" or nothing.
std::string_view authority_of(std::string_view url, std::size_t& start) {
  auto const scheme = url.find("//");
  if (scheme == url.npos || url.find_first_of("/?#") < scheme) return {};
  start = scheme + 2;
  return url.substr(start, std::min(url.find_first_of("/?#", start), url.size()) - start);
}

}  // namespace

std::string log_url(std::string_view url) {
  std::string out;
  url = url.substr(0, url.find('#'));
  std::size_t start = 0;
  auto const authority = authority_of(url, start);
  // The last @ ends the user information, whatever a parser elsewhere makes of the ones before.
  if (auto const at = authority.rfind('@'); at != authority.npos) {
    out = url.substr(0, start);
    url.remove_prefix(start + at + 1);
  }
  auto const query = url.find('?');
  out += url.substr(0, query);
  if (query != url.npos) out += queries_shown ? url.substr(query) : std::string_view{"?…"};
  // An "=" in a shown query is no field separator, since the value ends at the blank.
  auto const plain = std::ranges::all_of(out, [](char ch) { return is_plain(ch) || ch == '='; });
  return plain && out.size() <= longest && is_utf8(out) ? out : log_value(out);
}

std::string log_value(std::string_view text) {
  auto const whole = text.size() <= longest;
  if (whole && !text.empty() && std::ranges::all_of(text, is_plain) && is_utf8(text)) return std::string{text};
  std::string out{'"'};
  for (text = text.substr(0, longest); !text.empty();) {
    auto const length = sequence_length(text);
    if (length == 0) append_hex(out, static_cast<unsigned char>(text[0]));
    for (char const ch : text.substr(0, length)) append_escaped(out, ch);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  if (!whole) out += "…";
  return out + '"';
}

void log_queries(bool shown) { queries_shown = shown; }

}  // namespace cistern::sync
