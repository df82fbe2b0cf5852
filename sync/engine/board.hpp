#pragma once

/// All that a pass could do next, by host: the best first, at most so many at once to a host, with a pause between
/// them, and nothing to a host that is to be left alone. Pure: times are given. One thread.

#include "store/tables.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cistern::sync {

struct board_limits {
  std::size_t connections_per_host = 2;
  std::chrono::milliseconds pause{250};         // between two requests to a host
  std::chrono::milliseconds feed_pause{1'000};  // between two feeds of a host
};

/// One thing to be done: a feed to be visited (`id` is the subscription's) or a job of the queue (`id` is the job's).
struct task {
  store::job_class purpose{};
  double value = 0;  // inside its class
  std::uint64_t id = 0;
  std::string host{};
};

class board {
public:
  using time = std::chrono::steady_clock::time_point;
  explicit board(board_limits limits) : limits_{limits} {}

  /// False when it was there already, or is being done.
  bool add(task what);
  void remove(store::job_class purpose, std::uint64_t id);
  /// Forgets what waits; what is being done goes on.
  std::vector<task> clear_waiting();

  /// What may be begun at all.
  struct permission {
    std::array<bool, 6> open{};                           // by class
    std::function<bool(std::string const& host)> host{};  // empty: all of them
  };
  /// The best task that may start now; it is being done from now on. A host's tasks are begun in their order: what is
  /// behind one that has to wait a moment waits with it.
  [[nodiscard]] std::optional<task> take(time now, permission const& allowed);
  /// What was taken is over.
  void done(task const& what, time now);
  /// Nothing to that host before then.
  void hold(std::string const& host, time until);
  /// The link came: who was left alone because nothing came through may be asked at once.
  void lift_holds();

  /// When the next waiting task that is permitted may start; nothing when none waits, or all wait for one that is being
  /// done.
  [[nodiscard]] std::optional<time> next_ready(time now, permission const& allowed) const;
  [[nodiscard]] std::size_t waiting(store::job_class purpose) const { return waiting_[index(purpose)]; }
  [[nodiscard]] std::size_t active(store::job_class purpose) const { return active_[index(purpose)]; }
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t active() const;

private:
  struct better {
    bool operator()(task const& a, task const& b) const {
      if (a.purpose != b.purpose) return a.purpose < b.purpose;
      if (a.value != b.value) return a.value > b.value;
      return a.id < b.id;
    }
  };
  struct host_state;
  /// The first task of a class at a host that has a connection free, and from when on it may start.
  struct offer {
    task const* what = nullptr;
    host_state* host = nullptr;
    time from{};
  };
  struct better_offer {
    bool operator()(offer const& a, offer const& b) const { return better{}(*a.what, *b.what); }
  };
  struct sooner_offer {
    bool operator()(offer const& a, offer const& b) const {
      return a.from != b.from ? a.from < b.from : better{}(*a.what, *b.what);
    }
  };
  struct host_state {
    std::set<task, better> waiting{};
    std::size_t active = 0;
    time pause_until{};
    time feed_pause_until{};
    time hold_until{};
    std::vector<offer> offers{};
  };
  static std::size_t index(store::job_class purpose) { return static_cast<std::size_t>(purpose); }
  [[nodiscard]] time ready_at(host_state const& host, task const& first) const;
  [[nodiscard]] static task const* first_open(host_state const& host, permission const& allowed);
  [[nodiscard]] static bool may_start(offer const& one, permission const& allowed);
  /// Around every change of a host.
  void withdraw(host_state& host);
  void put_up(host_state& host);

  board_limits limits_;
  std::map<std::string, host_state> hosts_;
  std::map<std::pair<bool, std::uint64_t>, task> known_;  // feeds and jobs have numbers of their own
  // Offers are moved from the second to the first when their time has come, so that nobody looks through all hosts.
  std::set<offer, better_offer> ready_;
  std::set<offer, sooner_offer> resting_;
  std::array<std::size_t, 6> waiting_{}, active_{};
};

}  // namespace cistern::sync
