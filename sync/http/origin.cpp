#include "sync/http/origin.hpp"

#include "store/header_block.hpp"
#include "sync/errc.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>

namespace cistern::sync {
namespace {

bool name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool plain_byte(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

std::string bracketed(std::string const& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

bool valid_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), name_byte) && host.front() != '.';
}

}  // namespace

result<origin> parse_authority(std::string_view text, bool tls, std::uint16_t default_port) {
  origin out{.tls = tls, .host = {}, .port = default_port};
  std::string_view host, port;
  if (text.starts_with('[')) {
    auto const close = text.find(']');
    if (close == std::string_view::npos) return errc::bad_url;
    host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    boost::system::error_code error;
    auto const address = boost::asio::ip::make_address_v6(std::string{host}, error);
    if (error || address.scope_id() != 0) return errc::bad_url;
    out.host = address.to_string();
  } else {
    auto const colon = text.find(':');
    host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
    if (host.ends_with('.')) host.remove_suffix(1);
    if (!valid_name(host)) return errc::bad_url;
    out.host = lower(host);
  }
  if (port.empty() || port == ":") return out;
  auto const end = port.data() + port.size();
  auto const [rest, error] = std::from_chars(port.data() + 1, end, out.port);
  if (port.front() != ':' || error != std::errc{} || rest != end || out.port == 0) return errc::bad_url;
  return out;
}

result<split_url> parse_url(std::string_view url) {
  if (!std::all_of(url.begin(), url.end(), plain_byte)) return errc::bad_url;
  auto const colon = url.find("://");
  if (colon == std::string_view::npos) return errc::bad_url;
  auto const scheme = url.substr(0, colon);
  auto const tls = store::same_token(scheme, "https");
  if (!tls && !store::same_token(scheme, "http")) return errc::bad_url;
  url.remove_prefix(colon + 3);
  url = url.substr(0, url.find('#'));
  auto const path = std::min(url.find_first_of("/?"), url.size());
  auto to = parse_authority(url.substr(0, path), tls, tls ? 443 : 80);
  if (!to) return to.error();
  std::string target{url.substr(path)};
  if (!target.starts_with('/')) target.insert(0, 1, '/');
  return split_url{.to = std::move(*to), .target = std::move(target)};
}

std::string authority(origin const& to) {
  return to.port == (to.tls ? 443 : 80) ? bracketed(to.host) : authority_with_port(to);
}

std::string authority_with_port(origin const& to) { return bracketed(to.host) + ":" + std::to_string(to.port); }

std::string host_in(std::string_view url) {
  auto parsed = parse_url(url);
  return parsed ? std::move(parsed->to.host) : std::string{};
}

}  // namespace cistern::sync
