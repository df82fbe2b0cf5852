#pragma once

#include "sync/http/origin.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

/// An HTTP proxy between us and the web.
struct parent_proxy {
  std::string host;
  std::uint16_t port{};
  std::string authorization;  // Proxy-Authorization's value; empty for none. Never logged.

  bool operator==(parent_proxy const&) const = default;
  auto operator<=>(parent_proxy const&) const = default;
};

/// Which parent is asked for which origin.
struct proxy_rules {
  std::optional<parent_proxy> for_http;
  std::optional<parent_proxy> for_https;
  std::vector<std::string> except;  // as in no_proxy: "*", "host", ".domain", "domain", with or without ":port"

  [[nodiscard]] parent_proxy const* choose(origin const& to) const;
};

/// "http://user:pass@host:port", "host:port"; user and password percent-coded.
[[nodiscard]] result<parent_proxy> parse_parent_proxy(std::string_view url);

/// What http_proxy, https_proxy, all_proxy and no_proxy say (lower case wins; HTTP_PROXY in capitals is not read, since
/// a CGI client can set it). `get` is std::getenv outside tests. Loopback names and literals never go through a parent.
[[nodiscard]] result<proxy_rules> proxy_rules_from(std::function<char const*(char const*)> const& get);

}  // namespace cistern::sync
