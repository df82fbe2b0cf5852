#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cistern::sync {

/// What NetworkManager knows of the link. A value it does not know, or that of a NetworkManager that is not running, is
/// absent.
struct manager_facts {
  enum class connectivity : std::uint8_t { none, portal, limited, full };
  std::optional<connectivity> reach{};
  std::optional<bool> metered{};  // its guess that it is counts; its guess that it is not does not
  bool operator==(manager_facts const&) const = default;
};

/// The numbers of NMConnectivityState and NMMetered.
[[nodiscard]] manager_facts manager_facts_from(std::uint32_t connectivity, std::uint32_t metered);

/// Calls `told` with what NetworkManager says now and at each change, also when it comes or goes. Returns at once where
/// there is no bus and when the bus goes away; else runs until cancelled. `address` is a D-Bus address; empty is the
/// system bus. On one thread.
boost::asio::awaitable<void> follow_network_manager(std::string address, std::function<void(manager_facts)> told);

}  // namespace cistern::sync
