#pragma once

#include "sync/http/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::sync {

/// What a probe found.
enum class probe_finding : std::uint8_t {
  nothing,   // no answer, or none to go by
  portal,    // somebody else answered, or the network says that one has to log in
  internet,  // the answer that only the far end can give
};

struct probe_settings {
  std::string url{};   // plain http, so that a portal can answer; empty: no such probe
  std::string body{};  // exactly what is there
  std::string captive_api{};
  std::chrono::milliseconds limit{10'000};
};

/// Asks `url` and compares. Redirects are not followed: they are the portal's.
[[nodiscard]] boost::asio::awaitable<probe_finding> probe_page(http_client& client, probe_settings settings);

/// Asks the network itself (RFC 8908) at the address that it gave (RFC 8910) or that was configured.
[[nodiscard]] boost::asio::awaitable<probe_finding> probe_captive_api(http_client& client, probe_settings settings);

/// The "captive" flag of RFC 8908 §5; nothing when that is no such document.
[[nodiscard]] std::optional<bool> captive_flag(std::string_view json);

/// The address that came with the DHCP lease (RFC 8910), from a lease file of systemd-networkd; empty without one.
[[nodiscard]] std::string captive_api_in_lease(std::filesystem::path const& lease);

}  // namespace cistern::sync
