#pragma once

#include "sync/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace cistern::sync {

/// Who is asked: what a connection can be shared for.
struct origin {
  bool tls{};
  std::string host;  // lower case, no trailing dot; an IPv6 literal without brackets
  std::uint16_t port{80};

  bool operator==(origin const&) const = default;
  auto operator<=>(origin const&) const = default;
};

struct split_url {
  origin to;
  std::string target;  // path and query, never empty; bytes as given
};

/// "http(s)://host[:port][/path][?query][#fragment]". User names and passwords are refused: they would end up in logs.
/// Lenient about the path's bytes (browsers are), strict about the host's; no blanks or control bytes anywhere.
[[nodiscard]] result<split_url> parse_url(std::string_view url);

/// "host", "host:port", "[v6]:port".
[[nodiscard]] result<origin> parse_authority(std::string_view authority, bool tls, std::uint16_t default_port);

/// The host of a URL; empty when it is none.
[[nodiscard]] std::string host_in(std::string_view url);

/// As it stands in Host and in URLs: brackets for IPv6, no default port.
[[nodiscard]] std::string authority(origin const& to);
/// Always with the port: CONNECT's target.
[[nodiscard]] std::string authority_with_port(origin const& to);

}  // namespace cistern::sync
