#pragma once

#include "tools/chaos/profile.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cistern::chaos {

/// "up 20s, down 40s" and so on, beginning with up; "~20s" is a random time with that mean. Nothing when it cannot be
/// read.
[[nodiscard]] std::optional<std::vector<window>> parse_windows(std::string_view text);

struct host_port {
  std::string host;
  std::uint16_t port = 0;
  bool operator==(host_port const&) const = default;
};
/// "host:port" or "[::1]:port"; without a port `otherwise` is taken, when that is not 0. Nothing when it cannot be
/// read.
[[nodiscard]] std::optional<host_port> parse_host_port(std::string_view text, std::uint16_t otherwise = 0);

}  // namespace cistern::chaos
