#pragma once

#include "sync/budget_rules.hpp"
#include "sync/clock.hpp"
#include "sync/http/allowance.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace cistern::sync {

/// What was spent in that period, as it is written down (ledger.hpp). Asked at the start and whenever the day changes,
/// also when a clock that was wrong is set.
using spending_history = std::function<spent_sums(budget_period const&)>;

/// Keeps the rules: who wants to spend asks first, and what moves is taken from here before it moves, so that all
/// transfers together keep the limits to the byte. One for the whole program, outlives all it has opened; any thread.
class budget {
public:
  /// `metered` says whether the link is, now; any thread may call it.
  budget(budget_rules rules, clock const& wall, std::function<bool()> metered, spending_history history,
         local_zone zone = system_zone());

  /// Whether it is worth beginning: with less than a few kilobytes left it is not.
  [[nodiscard]] verdict may_spend(expense const& what);

  /// For request_options::spends. Ends when a limit is reached, the hours are over, or the link becomes metered and
  /// that matters. Null when no rule could ever stop it: then it costs nothing. Takes a grant that fits.
  [[nodiscard]] std::shared_ptr<allowance> open(expense what);

  /// Bytes that moved without asking.
  void spent(expense const& what, std::uint64_t bytes);

  /// A person insists: the next `open` for that URL (empty: the next one for a person at all) may spend so many bytes
  /// whatever the rules say. They are counted all the same. Good once.
  void grant(std::string url, std::uint64_t bytes);

  [[nodiscard]] budget_rules const& rules() const { return rules_; }
  /// Up to now.
  [[nodiscard]] spent_sums sums();
  [[nodiscard]] budget_period period();

private:
  class purse;
  using grant_map = std::map<std::string, std::uint64_t>;  // bytes by URL

  [[nodiscard]] verdict judge_now(expense const& what, std::uint64_t least);  // under the lock, as the next two
  void enter_period();
  [[nodiscard]] grant_map::iterator grant_for(expense const& what);

  budget_rules const rules_;
  clock const& wall_;
  std::function<bool()> const metered_;
  spending_history const history_;
  local_zone const zone_;

  std::mutex mutex_;
  std::optional<budget_period> period_;
  spent_sums spent_;
  grant_map grants_;
  std::size_t open_ = 0;  // purses
};

}  // namespace cistern::sync
