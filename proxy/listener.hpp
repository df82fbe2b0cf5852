#pragma once

/// The only code that listens. One `io_context{1}` a core, each with its own thread and its own acceptor on the same
/// port (SO_REUSEPORT): a session never leaves the thread it was born on, so that sessions need no locks.

#include "proxy/connection_limits.hpp"
#include "proxy/request_handler.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

namespace cistern::proxy {

struct listener_options {
  boost::asio::ip::tcp::endpoint endpoint;
  unsigned threads = 1;
  std::size_t max_connections = 1024;
  std::size_t max_connections_per_client = 256;
  session_limits session{};
  std::chrono::milliseconds shutdown_grace = std::chrono::seconds{5};
};

/// The address cannot be had; one sentence that says why and what to do.
struct listen_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class listener {
public:
  /// Takes the address, so that a second daemon fails here, but answers nobody before `start`. Throws listen_error.
  explicit listener(listener_options options);
  /// Stops.
  ~listener();
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;

  /// Where it listens; tells the port when 0 was asked for.
  [[nodiscard]] boost::asio::ip::tcp::endpoint endpoint() const { return options_.endpoint; }
  [[nodiscard]] std::size_t connections() const { return limits_.count(); }

  /// `handler` must outlive the listener or its `stop`.
  void start(request_handler& handler);
  /// Takes no more connections, ends the idle ones, gives answers under way the grace, then cancels them.
  /// Returns when all threads have ended, at the latest about a second after the grace.
  void stop();

  /// Whether every thread has come round since the last call; for a watchdog that asks every few seconds.
  [[nodiscard]] bool responsive();

private:
  struct worker;
  bool wait_for_workers(std::chrono::milliseconds limit);

  listener_options options_;
  connection_limits limits_;
  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace cistern::proxy
