#pragma once

/// The names under which sites are reached without any set-up:
///
///   https://www.example.org/a        http://www.example.org.localhost:8910/a
///   https://example.org:8443/        http://example.org--8443.localhost:8910/
///   wss://example.org/live           ws://example.org.localhost:8910/live
///
/// Whether a site is https or http is not in its name: https is tried first. What has no such name (an IPv6 literal, a
/// host that is this machine's own) is not given one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::proxy {

class gateway_names {
public:
  /// `domain` is what follows the site's name: "localhost", "cistern.lan".
  explicit gateway_names(std::string domain);

  /// The site that a Host field or a URL's authority names.
  struct site {
    std::string host;        // lower case
    std::uint16_t port = 0;  // 0: the scheme's own
    std::string door;        // ":8910": the port the browser came in by, as it wrote it; may be empty
    [[nodiscard]] std::string origin(bool secure) const;  // "https://www.example.org"
    bool operator==(site const&) const = default;
  };
  [[nodiscard]] std::optional<site> read(std::string_view authority) const;

  /// Appends the gateway's address for an absolute http, https, ws or wss one; false when it has none, or is one.
  bool append(std::string_view absolute, std::string_view door, std::string& out) const;
  /// The gateway's origin for a site: "http://www.example.org.localhost:8910".
  [[nodiscard]] std::string origin_of(site const& s) const;
  /// What a gateway address stands for; nothing when it is none.
  [[nodiscard]] std::optional<std::string> back(std::string_view address, bool secure) const;

  [[nodiscard]] std::string const& domain() const { return domain_; }

private:
  std::string domain_;
};

/// Where a browser that asked us as `host` ("localhost:8910") finds `url` on the gateway; empty when that is nowhere:
/// the address has no name there, or the browser is on another machine, whose own "localhost" it would ask.
[[nodiscard]] std::string gateway_address(std::string const& domain, std::string_view url, std::string_view host);

}  // namespace cistern::proxy
