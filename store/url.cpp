#include "store/url.hpp"

#include <vector>

namespace cistern::store {
namespace {

constexpr std::size_t longest_url = 64 * 1024;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_unreserved(char c) {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_encoded(std::string& out, unsigned char c) {
  constexpr char digits[] = "0123456789ABCDEF";
  out += '%';
  out += digits[c >> 4];
  out += digits[c & 15];
}

/// Decodes what needs no coding, encodes what must not stand bare, leaves every other escape as it is.
std::string normalise_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      auto const byte = static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      if (is_unreserved(byte)) {
        out += byte;
      } else {
        append_encoded(out, static_cast<unsigned char>(byte));
      }
      i += 2;
    } else if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f || c == '"' || c == '<' ||
               c == '>') {
      append_encoded(out, static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string remove_dot_segments(std::string_view path) {
  if (path.find("/.") == std::string_view::npos) return std::string{path};
  std::vector<std::string_view> kept;
  bool folder = false;  // the path ends in a folder
  while (!path.empty()) {
    auto const end = path.find('/', 1);
    auto const segment = path.substr(0, end);
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end);
    folder = segment == "/." || segment == "/..";
    if (segment == "/..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != "/.") {
      kept.push_back(segment);
    }
  }
  std::string out;
  for (auto const segment : kept) out += segment;
  if (folder || out.empty()) out += '/';
  return out;
}

/// Of at most five digits: 1 to 65535 (0 cannot be connected to).
bool is_port(std::string_view digits) {
  unsigned value = 0;
  for (char const c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  return value != 0 && value <= 65535;
}

/// "host", "host:port" or "[v6]:port" in lower case without a default port; nothing for what is no authority.
std::optional<std::string> normalise_authority(std::string_view authority, std::string_view default_port) {
  if (auto const at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  auto const colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  auto host = authority.substr(0, colon);
  auto const port = colon == std::string_view::npos ? std::string_view{} : authority.substr(colon + 1);
  if (host.empty() || port.size() > 5) return std::nullopt;
  for (char const c : port)
    if (!is_digit(c)) return std::nullopt;
  if (!port.empty() && !is_port(port)) return std::nullopt;
  std::string out;
  for (char const c : host) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == '<' || c == '>' || c == '"' || c == '\\' || c == 0x7f)
      return std::nullopt;
    out += lower(c);
  }
  if (!port.empty() && port != default_port) out.append(":").append(port);
  return out;
}

}  // namespace

std::optional<std::string> normalise_url(std::string_view url) {
  if (url.size() > longest_url) return std::nullopt;
  auto const scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  std::string scheme;
  for (char const c : url.substr(0, scheme_end)) scheme += lower(c);
  if (scheme != "http" && scheme != "https") return std::nullopt;

  auto rest = url.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  auto const authority_end = rest.find_first_of("/?");
  auto const authority = normalise_authority(rest.substr(0, authority_end), scheme == "http" ? "80" : "443");
  if (!authority) return std::nullopt;

  auto const tail = authority_end == std::string_view::npos ? std::string_view{} : rest.substr(authority_end);
  auto const query_start = tail.find('?');
  auto path = normalise_escapes(tail.substr(0, query_start));
  if (path.empty()) path = "/";

  std::string out = scheme + "://" + *authority + remove_dot_segments(path);
  if (query_start != std::string_view::npos) out += normalise_escapes(tail.substr(query_start));
  return out;
}

}  // namespace cistern::store
