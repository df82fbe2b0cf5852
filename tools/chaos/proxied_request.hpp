#pragma once

#include "tools/chaos/profile_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cistern::chaos {

/// A request as a proxy gets it, and as the origin is to get it.
struct proxied_request {
  host_port to;
  bool tunnel = false;        // CONNECT: what follows is not looked at
  std::string head{};         // in origin form, with the empty line
  std::uint64_t body = 0;     // bytes that follow the head
  bool endless_body = false;  // chunked: all that follows is taken for its body
};

/// `head`: up to and with the empty line. Nothing when it is neither in absolute form nor a CONNECT.
[[nodiscard]] std::optional<proxied_request> parse_proxied(std::string_view head);

}  // namespace cistern::chaos
