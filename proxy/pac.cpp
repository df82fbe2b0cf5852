#include "proxy/pac.hpp"

#include <algorithm>
#include <set>

namespace cistern::proxy {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

bool is_host(std::string_view name) {
  return !name.empty() && name.size() <= 253 && name != "." && std::all_of(name.begin(), name.end(), is_name_char);
}

/// HOST:PORT or [IPV6]:PORT, nothing else.
bool is_authority(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  auto const port = text.substr(colon + 1);
  auto const allowed = [](char c) { return is_name_char(c) || c == '[' || c == ']' || c == ':'; };
  return std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::all_of(text.begin(), text.end(), allowed);
}

}  // namespace

std::string make_pac(pac_rules const& rules) {
  auto const proxy = lower(rules.proxy);
  std::set<std::string> exact;
  std::set<std::string> below;
  for (auto const& given : rules.hosts) {
    auto const name = lower(given);
    auto const bare = name.starts_with('.') ? name.substr(1) : name;
    if (!is_host(bare)) continue;
    exact.insert(bare);
    if (name != bare) below.insert(bare);
  }
  auto const table = [](std::set<std::string> const& names) {
    std::string out = "{";
    for (auto const& name : names) out += (out.size() > 1 ? ",\n  \"" : "\n  \"") + name + "\": 1";
    return out + "}";
  };
  std::string const answer = is_authority(proxy) && !exact.empty() ? "PROXY " + proxy + "; DIRECT" : "DIRECT";
  return "// Cistern: carried sites through it, everything else direct.\n"
         "var carried = " +
         table(exact) +
         ";\n"
         "var carriedBelow = " +
         table(below) +
         ";\n"
         "function has(set, name) { return Object.prototype.hasOwnProperty.call(set, name); }\n"
         "function FindProxyForURL(url, host) {\n"
         "  var name = host.toLowerCase().replace(/\\.$/, \"\");\n"
         "  if (has(carried, name)) return \"" +
         answer +
         "\";\n"
         "  for (var dot = name.indexOf(\".\"); dot >= 0; dot = name.indexOf(\".\")) {\n"
         "    name = name.substring(dot + 1);\n"
         "    if (has(carriedBelow, name)) return \"" +
         answer +
         "\";\n"
         "  }\n"
         "  return \"DIRECT\";\n"
         "}\n";
}

}  // namespace cistern::proxy
