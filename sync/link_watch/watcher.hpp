#pragma once

#include "sync/clock.hpp"
#include "sync/link.hpp"
#include "sync/link_watch/captive_probe.hpp"
#include "sync/link_watch/network_manager.hpp"
#include "sync/link_watch/route_events.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace cistern::sync {

struct watch_settings {
  probe_settings probe{};
  std::vector<std::string> metered_interfaces{};  // names, with a * at the end for all that begin so
  std::string bus{};                              // where NetworkManager may be; empty is the system bus
  std::filesystem::path leases{"/run/systemd/netif/leases"};
  std::chrono::sys_seconds newest{};  // time that was written down before this start
  std::chrono::milliseconds clock_interval{10'000};
};

/// Tells a `network_link` what it cannot learn from requests: the kernel's routes, what NetworkManager knows, what a
/// probe finds when there is doubt, and whether the clock can be right. Whatever of these is not there is left out
/// without a word. Has a thread of its own.
class link_watcher {
public:
  link_watcher(network_link& link, clock const& wall, resolver& names, client_options options, watch_settings settings);
  ~link_watcher();
  link_watcher(link_watcher const&) = delete;
  link_watcher& operator=(link_watcher const&) = delete;

private:
  boost::asio::awaitable<void> watch_routes();
  boost::asio::awaitable<void> keep_asking();
  boost::asio::awaitable<void> watch_clock();
  boost::asio::awaitable<probe_finding> ask();
  void way_changed(std::optional<way_out> now);
  void manager_says(manager_facts facts);
  void settle_metered();
  [[nodiscard]] std::string captive_api() const;
  [[nodiscard]] bool can_ask() const { return !settings_.probe.url.empty() || !captive_api().empty(); }

  network_link& link_;
  clock const& wall_;
  watch_settings settings_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer nap_{io_};  // between probes
  std::unique_ptr<http_client> client_;
  network_link::subscription on_link_;
  std::optional<way_out> way_;
  std::optional<std::string> coming_;  // a way that came and waits for the probe's word: the reason to give
  manager_facts manager_;
  bool ask_now_ = false;
  std::thread thread_;
};

/// "wwan*" matches "wwan0".
[[nodiscard]] bool matches_interface(std::string_view pattern, std::string_view name);

}  // namespace cistern::sync
