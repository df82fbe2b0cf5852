#pragma once

#include "sync/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

enum class link_state : std::uint8_t { up, down, portal };
enum class link_mode : std::uint8_t { automatic, online, offline };

struct link_options {
  std::size_t hosts_for_down = 3;   // different ones, with no success between them; a probe where they were refused
  std::chrono::seconds window{15};  // in which they must fail
  std::chrono::seconds recent_success{5};  // a name server that fails so soon after one is taken for one bad name
  std::chrono::milliseconds first_probe{1'000};
  std::chrono::milliseconds slowest_probe{30'000};  // the pauses double up to this
  bool doubts = false;  // plain http after a change, until something proves that no portal is in between
};

/// Something that happened to the link, for people.
struct link_change {
  std::chrono::sys_seconds when{};
  link_state state{};
  std::string reason{};  // "the default route is gone"
};

/// Whether there is a way out, as far as we know. One for the whole program; any thread may call anything.
/// Reading it costs one load, so a hit may ask. It learns from the outcomes of real requests: one origin that fails is
/// that origin's trouble; several different ones that fail with link trouble, or a machine that says "no network", mean
/// that the link is down; any success means that it is up. Several that refuse or break off make it `suspicious`: then
/// a probe that fails as well means the same. `online` and `offline` overrule all of that until `automatic`.
///
/// A captive portal answers everything over plain http, and nothing over TLS that a certificate would be good for. So a
/// plain answer proves only that somebody is there: it does not end a portal, and after a change of the link it is in
/// doubt until a secure answer, a probe or the network's own word (`observed`) proves the internet, or an answer that
/// no portal could give. Time proves nothing: a portal waits as long as nobody logs in.
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
  /// Why `state` is what it is, in words.
  [[nodiscard]] std::string reason() const;
  /// The last changes, oldest first.
  [[nodiscard]] std::vector<link_change> history() const;

  /// Bytes cost money here.
  [[nodiscard]] bool metered() const { return metered_.load(std::memory_order_acquire); }
  void set_metered(bool metered);
  /// The interface that leads out, for the ledger: "wlan0"; empty when nobody said.
  [[nodiscard]] std::string name() const;
  void set_name(std::string name);

  /// Whether an answer may go into the repository and change what we know of a site. Not over plain http while a portal
  /// may have given it. `host` is who was asked.
  [[nodiscard]] bool may_store(std::string_view host, bool secure) const;
  [[nodiscard]] bool in_doubt() const;
  /// The link changed: see `doubts`.
  void doubt();
  /// A plain answer of that host's that is dated so (Last-Modified), while there is doubt. A portal has one page for
  /// all, made on the spot or of one date; when two hosts' dates are old and differ it was none. Whether that is so
  /// now.
  bool heard(std::string_view host, std::chrono::sys_seconds modified);

  /// A sentence for people while the clock is plainly wrong, else empty. Certificates cannot be checked then: secure
  /// sites are not to be polled, and it is nobody's failure.
  [[nodiscard]] std::string clock_trouble() const;
  [[nodiscard]] bool clock_wrong() const { return clock_wrong_.load(std::memory_order_acquire); }
  void set_clock_trouble(std::string sentence);

  void force(link_mode mode);
  /// An answer came from the outside, whatever its status; `secure` when a good certificate vouches for who gave it.
  void succeeded(std::string_view host, bool secure = false);
  /// Bytes of an answer go on coming: who fails meanwhile fails by himself. Changes nothing else.
  void carries();
  /// `error` is what the HTTP client returned; errors that are not link trouble say nothing. No route to a private
  /// address is not taken for the end of the internet: that is a box in the cellar that is switched off.
  void failed(std::string_view host, boost::system::error_code error);
  /// Every host of late refused or broke off, and nothing else is known: worth a probe.
  [[nodiscard]] bool suspicious() const;
  /// Something small was asked of the outside because the link is down or suspicious.
  void probed(std::optional<bool> answered);  // nothing: there was nobody to ask
  /// What a watcher knows for certain (a route went, a portal answered, a probe came through).
  void observed(link_state state, std::string reason = {});
  /// There is a way out again; whether it leads to the internet is to be seen.
  void came_back(std::string reason);

  /// Ends the subscription when destroyed.
  class subscription {
  public:
    subscription() = default;
    explicit subscription(std::shared_ptr<void> entry) : entry_{std::move(entry)} {}

  private:
    std::shared_ptr<void> entry_;
  };
  /// `call` is posted to `executor` with the state at each change of `state()`, in order, and also when `metered` or
  /// `clock_wrong` changed; never after the subscription was destroyed on that executor's thread. The subscription must
  /// end before the executor's io_context does.
  [[nodiscard]] subscription subscribe(boost::asio::any_io_executor executor, std::function<void(link_state)> call);
  /// Likewise when it becomes `suspicious`.
  [[nodiscard]] subscription on_suspicion(boost::asio::any_io_executor executor, std::function<void()> call);

  [[nodiscard]] link_options const& options() const { return options_; }

private:
  struct listener {
    boost::asio::any_io_executor executor;
    std::function<void(link_state)> call;
  };

  // Under the lock:
  void believe(link_state state, std::string reason);
  void publish();
  void tell(link_state state);
  void begin_doubt();
  void note_trouble();
  [[nodiscard]] bool all_fail() const;

  clock const& wall_;
  link_options const options_;
  steady_now const now_;
  std::atomic<link_state> state_{link_state::up};
  std::atomic<link_mode> mode_{link_mode::automatic};
  std::atomic<bool> troubled_{false};  // there is something that a success would change
  std::atomic<bool> metered_{false};
  std::atomic<bool> clock_wrong_{false};
  std::atomic<std::chrono::steady_clock::rep> last_success_;

  mutable std::mutex mutex_;
  link_state believed_{link_state::up};
  std::string believed_reason_{};
  std::string reason_{};
  std::chrono::sys_seconds since_{};
  std::deque<link_change> history_{};
  std::string name_{};
  std::string clock_trouble_{};
  bool doubting_ = false;
  std::map<std::string, std::chrono::sys_seconds, std::less<>> heard_;                 // while doubting
  std::map<std::string, std::chrono::steady_clock::time_point, std::less<>> failing_;  // hosts, in the window
  std::vector<std::weak_ptr<listener>> listeners_;
  std::vector<std::weak_ptr<listener>> worriers_;
};

/// Asks the outside something small; true when it answered, nothing when there is nobody to ask.
using link_probe = std::function<boost::asio::awaitable<std::optional<bool>>()>;

/// While the link is believed to be down (and not forced), tries `probe` at growing intervals and reports a success, so
/// that it is noticed that the link is back even when nobody asks for anything; at once when it is suspicious. Runs
/// until cancelled; `link` outlives it.
boost::asio::awaitable<void> keep_probing(network_link& link, link_probe probe);

}  // namespace cistern::sync
