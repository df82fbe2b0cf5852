#pragma once

#include "sync/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

enum class link_state : std::uint8_t { up, down, portal };
enum class link_mode : std::uint8_t { automatic, online, offline };

struct link_options {
  std::size_t hosts_for_down = 3;          // different ones, with no success between them
  std::chrono::seconds window{15};         // in which they must fail
  std::chrono::seconds recent_success{5};  // a name server that fails so soon after one is taken for one bad name
  std::chrono::milliseconds first_probe{1'000};
  std::chrono::milliseconds slowest_probe{30'000};  // the pauses double up to this
};

/// Whether there is a way out, as far as we know. One for the whole program; any thread may call anything.
/// Reading it costs one load, so a hit may ask. It learns from the outcomes of real requests: one origin that fails is
/// that origin's trouble; several different ones that fail with link trouble, or a machine that says "no network", mean
/// that the link is down; any success means that it is up. `online` and `offline` overrule all of that until
/// `automatic`.
class network_link {
public:
  using steady_now = std::function<std::chrono::steady_clock::time_point()>;
  explicit network_link(clock const& wall, link_options options = {}, steady_now now = std::chrono::steady_clock::now);

  [[nodiscard]] link_state state() const { return state_.load(std::memory_order_acquire); }
  /// Whether to go out for something of that host: when the link is up, and to this machine and private addresses also
  /// when it is believed to be down, for they do not need it. Forced offline is a wish and holds for all.
  [[nodiscard]] bool worth_trying(std::string_view host) const;
  [[nodiscard]] link_mode mode() const { return mode_.load(std::memory_order_acquire); }
  /// Wall time of the last change of `state`.
  [[nodiscard]] std::chrono::sys_seconds since() const;

  void force(link_mode mode);
  /// An answer came from the outside, whatever its status.
  void succeeded(std::string_view host);
  /// `error` is what the HTTP client returned; errors that are not link trouble say nothing. No route to a private
  /// address is not taken for the end of the internet: that is a box in the cellar that is switched off.
  void failed(std::string_view host, boost::system::error_code error);
  /// What a watcher knows for certain (a route went or came, a portal answered).
  void observed(link_state state);

  /// Ends the subscription when destroyed.
  class subscription {
  public:
    subscription() = default;
    explicit subscription(std::shared_ptr<void> entry) : entry_{std::move(entry)} {}

  private:
    std::shared_ptr<void> entry_;
  };
  /// `call` is posted to `executor` with the new state at each change of `state()`, in order; never after the
  /// subscription was destroyed on that executor's thread. The subscription must end before the executor's io_context
  /// does.
  [[nodiscard]] subscription subscribe(boost::asio::any_io_executor executor, std::function<void(link_state)> call);

  [[nodiscard]] link_options const& options() const { return options_; }

private:
  struct listener {
    boost::asio::any_io_executor executor;
    std::function<void(link_state)> call;
  };

  void believe(link_state state);  // under the lock
  void publish();                  // under the lock

  clock const& wall_;
  link_options const options_;
  steady_now const now_;
  std::atomic<link_state> state_{link_state::up};
  std::atomic<link_mode> mode_{link_mode::automatic};
  std::atomic<bool> troubled_{false};  // failures are noted or the link is not up: a success has something to do
  std::atomic<std::chrono::steady_clock::rep> last_success_;

  mutable std::mutex mutex_;
  link_state believed_{link_state::up};
  std::chrono::sys_seconds since_{};
  std::map<std::string, std::chrono::steady_clock::time_point, std::less<>> failing_;  // hosts, in the window
  std::vector<std::weak_ptr<listener>> listeners_;
};

/// Asks the outside something small; true when it answered.
using link_probe = std::function<boost::asio::awaitable<bool>()>;

/// While the link is believed to be down (and not forced), tries `probe` at growing intervals and reports a success, so
/// that it is noticed that the link is back even when nobody asks for anything. Runs until cancelled; `link` outlives
/// it.
boost::asio::awaitable<void> keep_probing(network_link& link, link_probe probe);

}  // namespace cistern::sync
