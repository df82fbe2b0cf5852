#pragma once

#include "tools/chaos/profile.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace cistern::chaos {

/// Where connections go: one place for all of them, or, without a host, where each asks to go as to an HTTP proxy
/// (absolute-form requests and CONNECT).
struct destination {
  std::string host{};
  std::uint16_t port = 0;
};

struct tally {
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> refused{0};  // while the link was down
  std::atomic<std::uint64_t> cuts{0};
  std::atomic<std::uint64_t> stalls{0};
  std::atomic<std::uint64_t> up{0};    // bytes towards the destination
  std::atomic<std::uint64_t> down{0};  // bytes back
};

/// A TCP proxy that treats what passes through it as a bad link would. Listens on `listen` (port 0: any) and works in a
/// thread of its own until destroyed. Throws when it cannot listen.
class chaos_link {
public:
  chaos_link(profile how, destination to, boost::asio::ip::tcp::endpoint listen);
  ~chaos_link();
  chaos_link(chaos_link const&) = delete;
  chaos_link& operator=(chaos_link const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] tally const& counted() const { return tally_; }
  /// Overrules the windows until they change the next time.
  void set_up(bool up);

private:
  struct conversation;
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> keep_windows();
  boost::asio::awaitable<void> serve(std::shared_ptr<conversation> c);
  boost::asio::awaitable<bool> meet(std::shared_ptr<conversation> c);
  boost::asio::awaitable<void> show_portal(std::shared_ptr<conversation> c);
  boost::asio::awaitable<void> relay(std::shared_ptr<conversation> c, bool downwards);
  boost::asio::awaitable<void> wait_for_rate(std::size_t bytes);
  std::uint64_t draw(std::uint64_t mean);
  void apply(bool up);

  profile const how_;
  destination const to_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  tally tally_;
  std::mt19937_64 random_;
  std::uint64_t until_cut_ = 0;                        // bytes
  std::uint64_t until_stall_ = 0;                      // bytes
  std::chrono::steady_clock::time_point line_free_{};  // when the bytes so far have passed at the rate
  bool up_ = true;
  std::vector<std::weak_ptr<conversation>> open_;
  std::thread thread_;
};

}  // namespace cistern::chaos
