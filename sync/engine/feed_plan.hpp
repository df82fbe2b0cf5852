#pragma once

/// When each subscription is to be visited: the polling policy's planner, the floors that good manners set, and what
/// publishers ask for, in terms of subscriptions. Belongs to the engine's thread.

#include "store/repository.hpp"
#include "sync/feeds/visit_news.hpp"
#include "sync/feeds/visit_rules.hpp"
#include "sync/schedule/planner.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cistern::sync {

class feed_plan {
public:
  feed_plan(schedule::planner_options options, visit_floors floors) : planner_{options}, floors_{floors} {}

  /// What was learned of all feeds together; to be given back before the first `put` after a restart.
  [[nodiscard]] std::string shared() const { return planner_.shared_state(); }
  void restore_shared(std::string_view bytes) { static_cast<void>(planner_.restore_shared(bytes)); }
  /// All are there: plan them together, at a price for all.
  void plan_all(std::chrono::sys_seconds now) {
    planner_.plan_all(now);
    all_here_ = true;
  }

  /// A subscription came, or a person changed it. One that is paused or gone is out of the plan.
  void put(store::subscription const& feed, std::chrono::sys_seconds now);
  void remove(std::uint64_t id);

  /// Who may be visited now, the most urgent first. `asked`: a person said so, then only the floors hold it back.
  /// What is given out here is not given again before `visited` or `failed` was said of it.
  [[nodiscard]] std::vector<std::uint64_t> take_due(std::chrono::sys_seconds now, bool asked);
  /// It was not visited after all.
  void put_back(store::subscription const& feed, std::chrono::sys_seconds now);
  /// When somebody is due next; never in the past.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_due(std::chrono::sys_seconds now);

  void visited(visit_news const& news, visit_report const& report, std::uint64_t bytes, std::chrono::sys_seconds now);
  void failed(store::subscription const& feed, std::chrono::sys_seconds now);
  void link_up(std::chrono::sys_seconds now) { planner_.link_up(now); }
  void link_down(std::chrono::sys_seconds now) { planner_.link_down(now); }

  /// Never in the past.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_visit(std::uint64_t id,
                                                                   std::chrono::sys_seconds now) const;
  /// For a person to read: dear, not for every visit.
  struct outlook {
    std::chrono::sys_seconds next{};
    std::chrono::sys_seconds safe_offline_until{};
    std::string why{};
  };
  [[nodiscard]] std::map<std::uint64_t, outlook> look_ahead_all(std::chrono::sys_seconds now) const;
  /// The visits that are planned until then, as far as anybody can tell now.
  [[nodiscard]] std::vector<std::chrono::sys_seconds> visits_ahead(store::subscription const& feed,
                                                                   std::chrono::sys_seconds now,
                                                                   std::chrono::sys_seconds until) const;
  /// What was learned of it, to be kept with the subscription.
  [[nodiscard]] std::string learned(std::uint64_t id) const;
  /// The others of the same host.
  [[nodiscard]] std::vector<std::uint64_t> neighbours(std::uint64_t id) const;
  [[nodiscard]] std::string host_of(std::uint64_t id) const;

private:
  struct entry {
    schedule::feed_id planned = 0;
    std::string host{};
    std::chrono::sys_seconds earliest{};
    bool taken = false;
  };
  [[nodiscard]] std::chrono::sys_seconds due(entry const& feed) const;

  schedule::planner planner_;
  visit_floors floors_;
  bool all_here_ = false;
  std::map<std::uint64_t, entry> feeds_;
  std::map<schedule::feed_id, std::uint64_t> by_plan_;
};

}  // namespace cistern::sync
