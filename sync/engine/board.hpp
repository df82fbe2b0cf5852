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

  /// The best task that may start now, of the classes that `allowed` permits; it is being done from now on.
  [[nodiscard]] std::optional<task> take(time now, std::function<bool(task const&)> const& allowed);
  /// What was taken is over.
  void done(task const& what, time now);
  /// Nothing to that host before then.
  void hold(std::string const& host, time until);
  /// The link came: who was left alone because nothing came through may be asked at once.
  void lift_holds();

  /// When the next waiting task of the permitted classes may start; nothing when none waits, or all wait for one that
  /// is being done.
  [[nodiscard]] std::optional<time> next_ready(time now, std::function<bool(task const&)> const& allowed) const;
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
  struct host_state {
    std::set<task, better> waiting{};
    std::size_t active = 0;
    time pause_until{};
    time feed_pause_until{};
    time hold_until{};
  };
  static std::size_t index(store::job_class purpose) { return static_cast<std::size_t>(purpose); }
  [[nodiscard]] time ready_at(host_state const& host, task const& first) const;
  [[nodiscard]] static task const* first_allowed(host_state const& host,
                                                 std::function<bool(task const&)> const& allowed);

  board_limits limits_;
  std::map<std::string, host_state> hosts_;
  std::map<std::pair<bool, std::uint64_t>, task> known_;  // feeds and jobs have numbers of their own
  std::array<std::size_t, 6> waiting_{}, active_{};
};

}  // namespace cistern::sync
