#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cistern::proxy {

/// "127.0.0.1:8910", "[::1]:8910", "localhost:8910" (127.0.0.1), "*:8910" or ":8910" (every address, IPv4 too).
/// Names are not looked up: what the daemon binds must not depend on a name server. Port 0 lets the system choose.
[[nodiscard]] std::optional<boost::asio::ip::tcp::endpoint> parse_listen_address(std::string_view text);

/// "127.0.0.1:8910", "[::1]:8910".
[[nodiscard]] std::string to_text(boost::asio::ip::tcp::endpoint const& endpoint);

/// What to open in a browser on this machine: "http://localhost:8910/".
[[nodiscard]] std::string browser_address(boost::asio::ip::tcp::endpoint const& endpoint);

}  // namespace cistern::proxy
