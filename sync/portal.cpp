#include "sync/portal.hpp"

#include "sync/http/address_class.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace cistern::sync {
namespace {

constexpr std::array<std::string_view, 8> login_words{"login",   "logon",   "signin", "portal",
                                                      "captive", "hotspot", "wlogon", "guest"};

bool in_local_network(std::string_view host) {
  boost::system::error_code not_literal;
  auto const address = boost::asio::ip::make_address(host, not_literal);
  return not_literal ? host.ends_with(".local") || host.ends_with(".lan") || host.find('.') == host.npos
                     : !is_public(address);
}

bool names_a_login(std::string url) {
  std::ranges::transform(url, url.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(login_words, [&](auto word) { return url.find(word) != url.npos; });
}

/// "example.org" and "www.example.org" are one site's.
bool same_site(std::string_view a, std::string_view b) {
  return a == b || (a.ends_with(b) && a[a.size() - b.size() - 1] == '.') ||
         (b.ends_with(a) && b[b.size() - a.size() - 1] == '.');
}

}  // namespace

bool looks_like_portal(origin const& asked, unsigned status, store::header_block const& fields) {
  if (asked.tls || in_local_network(asked.host)) return false;
  if (status == 511) return true;
  if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308) return false;
  auto const location = fields.find("Location");
  if (!location) return false;
  auto const to = parse_url(std::string{*location});
  if (!to || same_site(asked.host, to->to.host)) return false;  // relative, or within the site
  return in_local_network(to->to.host) || names_a_login(std::string{*location});
}

}  // namespace cistern::sync
