#pragma once

#include "tools/chaos/profile.hpp"
#include "tools/chaos/profile_text.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>

namespace cistern::chaos {

/// Where connections go: all of them to one place, or, as to an HTTP proxy, where each request (absolute form, CONNECT)
/// asks to go. With both, requests are read as a proxy reads them and all of them go to the one place, so that a single
/// server can play a whole web.
struct destination {
  std::string host{};  // empty: a proxy
  std::uint16_t port = 0;
  bool proxy = false;
};

struct tally {
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> refused{0};  // while the link was down
  std::atomic<std::uint64_t> cuts{0};
  std::atomic<std::uint64_t> stalls{0};
  std::atomic<std::uint64_t> outages{0};
  std::atomic<std::uint64_t> up{0};    // bytes towards the destination
  std::atomic<std::uint64_t> down{0};  // bytes back
};

/// A TCP proxy that treats what passes through it as a bad link would. Listens on `listen` (port 0: any) and works in a
/// thread of its own until destroyed. Throws when it cannot listen. Any other thread may call it.
class chaos_link {
public:
  chaos_link(profile how, destination to, boost::asio::ip::tcp::endpoint listen);
  /// On a port of its own of 127.0.0.1.
  chaos_link(profile how, destination to);
  ~chaos_link();
  chaos_link(chaos_link const&) = delete;
  chaos_link& operator=(chaos_link const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] tally const& counted() const { return tally_; }
  /// Bytes that came down and arrived, heads included, by what the requests asked for; as a proxy only.
  [[nodiscard]] std::map<std::string, std::uint64_t> arrived();
  [[nodiscard]] bool is_up() const { return up_; }
  /// Overrules the windows until they change the next time. When it returns it is so.
  void set_up(bool up);
  /// `tell` gets the state now and just before each change, in the link's own thread; an empty one ends that, and none
  /// is being called when this returns.
  void when_changed(std::function<void(bool up)> tell);
  /// Another weather from now on; windows and random numbers begin anew. A portal that appears breaks what is open.
  void change(profile how);

private:
  struct conversation;
  using shared_conversation = std::shared_ptr<conversation>;
  using shared_socket = std::shared_ptr<boost::asio::ip::tcp::socket>;

  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> keep_windows();
  boost::asio::awaitable<void> serve(shared_conversation c);
  boost::asio::awaitable<void> serve_plain(shared_conversation c);
  boost::asio::awaitable<void> serve_requests(shared_conversation c);
  boost::asio::awaitable<bool> show_portal(shared_conversation c, std::string_view head);
  boost::asio::awaitable<bool> meet(shared_conversation c, host_port to);
  boost::asio::awaitable<void> relay_up(shared_conversation c, std::uint64_t limit);
  boost::asio::awaitable<void> relay_down(shared_conversation c, shared_socket far);
  boost::asio::awaitable<bool> carry(shared_conversation c, shared_socket to, std::string_view bytes, bool down);
  boost::asio::awaitable<void> wait_for_rate(std::size_t bytes);
  boost::asio::awaitable<void> wait_until_up();
  void begin();
  void apply(bool up);
  void break_all();
  void break_both(conversation& c);
  void settle_answer(conversation& c);
  template <class Work>
  void do_there(Work work);

  /// Random gaps that depend on nothing but the seed and how many were drawn.
  struct gaps {
    std::mt19937_64 random{};
    std::uint64_t draw(std::uint64_t mean);
  };

  profile how_;
  destination const to_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer window_over_;
  boost::asio::steady_timer came_up_;
  std::uint16_t port_ = 0;
  tally tally_;
  std::map<std::string, std::uint64_t> arrived_;
  gaps cuts_, stalls_, windows_;
  std::uint64_t until_cut_ = 0;                        // bytes
  std::uint64_t until_stall_ = 0;                      // bytes
  std::chrono::steady_clock::time_point line_free_{};  // when the bytes so far have passed at the rate
  std::uint64_t weather_ = 0;                          // counts changes
  std::atomic<bool> up_{true};
  std::function<void(bool up)> tell_{};
  std::vector<std::weak_ptr<conversation>> open_;
  std::thread thread_;
};

}  // namespace cistern::chaos
