#pragma once

/// What a TLS client says before anything is agreed on, read without answering it: enough to see whether this
/// conversation is for us. (RFC 8446 §4.1.2, §4.2; RFC 6066 §3; RFC 7301 §3.1)

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

struct client_hello {
  enum class state { incomplete, whole, nonsense };
  std::string server_name;               // lower case; empty when none was said
  std::vector<std::string> protocols{};  // ALPN, in the client's order; empty when none were said

  /// Nothing is said of what follows the handshake, or it may be http/1.1.
  [[nodiscard]] bool may_speak_http() const;
};

inline constexpr std::size_t longest_hello = 64 << 10;

/// Reads `bytes` as the first ones of a TLS connection. `out` is filled when it is whole.
[[nodiscard]] client_hello::state read_client_hello(std::string_view bytes, client_hello& out);

}  // namespace cistern::proxy
