#include "proxy/gateway_names.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::proxy {
namespace {

using std::string_view;

constexpr std::size_t longest_name = 253;

std::string lowered(string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

// Bytes beyond ASCII may stand in a link: the browser makes them xn-- itself.
bool is_name(string_view host) {
  if (host.empty() || host.size() > longest_name || host.front() == '.' || host.back() == '.') return false;
  if (host.find("..") != string_view::npos) return false;
  return std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

std::optional<std::uint16_t> port_of(string_view digits) {
  std::uint16_t port = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0) return {};
  return port;
}

struct address_parts {
  string_view scheme, port, rest;  // rest: path, query, fragment
  std::string host;
};

// Browsers decode a host before they look at it: "%65xample.org" is example.org.
std::string decoded(string_view host) {
  std::string out;
  for (std::size_t i = 0; i < host.size(); ++i) {
    unsigned char byte = 0;
    auto const digits = host.substr(i + (i + 1 < host.size() ? 1 : 0), 2);
    bool const escape = host[i] == '%' && digits.size() == 2 &&
                        std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2;
    out += escape ? static_cast<char>(byte) : host[i];
    if (escape) i += 2;
  }
  return lowered(out);
}

std::optional<address_parts> taken_apart(string_view url) {
  address_parts out;
  auto const colon = url.find("://");
  if (colon == string_view::npos) return {};
  out.scheme = url.substr(0, colon);
  url.remove_prefix(colon + 3);
  auto const end = std::min(url.find_first_of("/?#"), url.size());
  auto authority = url.substr(0, end);
  out.rest = url.substr(end);
  if (auto const at = authority.rfind('@'); at != string_view::npos) authority.remove_prefix(at + 1);
  if (authority.find('[') != string_view::npos) return {};
  auto const port = authority.rfind(':');
  out.host = decoded(authority.substr(0, port));
  if (port != string_view::npos) out.port = authority.substr(port + 1);
  while (out.host.ends_with('.')) out.host.pop_back();
  return out;
}

}  // namespace

gateway_names::gateway_names(std::string domain) : domain_{lowered(domain)} {}

std::string gateway_names::site::origin(bool secure) const {
  auto out = std::string{secure ? "https://" : "http://"} + host;
  if (port != 0) out += ':' + std::to_string(port);
  return out;
}

std::optional<gateway_names::site> gateway_names::read(string_view authority) const {
  site out;
  if (auto const colon = authority.rfind(':'); colon != string_view::npos) {
    if (!port_of(authority.substr(colon + 1))) return {};
    out.door = authority.substr(colon);
    authority = authority.substr(0, colon);
  }
  auto name = lowered(authority);
  if (name.size() <= domain_.size() + 1 || !name.ends_with(domain_) || name[name.size() - domain_.size() - 1] != '.')
    return {};
  name.resize(name.size() - domain_.size() - 1);
  // "--8443" at the end is a port; "xn--" followed by digits is a name.
  if (auto const dashes = name.rfind("--"); dashes != std::string::npos && dashes > 0) {
    auto const before = string_view{name}.substr(0, dashes);
    auto const port = port_of(string_view{name}.substr(dashes + 2));
    if (port && before != "xn" && !before.ends_with(".xn")) {
      out.port = *port;
      name.resize(dashes);
    }
  }
  if (!is_name(name) || name == "localhost" || name.ends_with(".localhost")) return {};
  out.host = std::move(name);
  return out;
}

bool gateway_names::append(string_view absolute, string_view door, std::string& out) const {
  auto const parts = taken_apart(absolute);
  if (!parts) return false;
  bool const socket = parts->scheme == "ws" || parts->scheme == "wss";
  bool const secure = parts->scheme == "https" || parts->scheme == "wss";
  if (!socket && !secure && parts->scheme != "http") return false;
  auto const& host = parts->host;
  if (!is_name(host) || host == "localhost" || host.ends_with(".localhost") || host == domain_ ||
      host.ends_with('.' + domain_))
    return false;
  std::uint16_t port = 0;
  if (!parts->port.empty()) {
    auto const given = port_of(parts->port);
    if (!given) return false;
    if (*given != (secure ? 443 : 80)) port = *given;
  }
  out += socket ? "ws://" : "http://";
  out += host;
  if (port != 0) out.append("--").append(std::to_string(port));
  out.append(".").append(domain_).append(door);
  if (!parts->rest.starts_with('/')) out += '/';
  out += parts->rest;
  return true;
}

std::string gateway_names::origin_of(site const& s) const {
  auto out = "http://" + s.host;
  if (s.port != 0) out.append("--").append(std::to_string(s.port));
  return out.append(".").append(domain_).append(s.door);
}

std::optional<std::string> gateway_names::back(string_view address, bool secure) const {
  auto const parts = taken_apart(address);
  if (!parts) return {};
  auto authority = parts->host;
  if (!parts->port.empty()) authority.append(":").append(parts->port);
  auto const meant = read(authority);
  if (!meant) return {};
  return meant->origin(secure) + std::string{parts->rest};
}

std::string gateway_address(std::string const& domain, string_view url, string_view host) {
  auto const colon = host.rfind(':');
  bool const has_port = colon != host.npos && host.find(']', colon) == host.npos;
  auto const name = has_port ? host.substr(0, colon) : host;
  bool const here = name == "localhost" || name == "[::1]" || name.starts_with("127.");
  std::string out;
  if (domain.empty() || (domain == "localhost" && !here)) return out;
  if (!gateway_names{domain}.append(url, has_port ? host.substr(colon) : string_view{}, out)) out.clear();
  return out;
}

}  // namespace cistern::proxy
