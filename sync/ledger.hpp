#pragma once

#include "store/repository.hpp"
#include "sync/budget.hpp"
#include "sync/http/traffic.hpp"

namespace cistern::sync {

/// What one exchange moved, for `write_batch::charge`: by day, host, subscription, class and link.
struct ledger_facts {
  expense what{};
  std::string host{};
  std::string link{};  // network_link::name
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t saved = 0;     // left unread, or not asked for
  std::uint64_t requests = 1;  // 0 for a further part of a download that was charged before
};
[[nodiscard]] store::ledger_entry ledger_line(ledger_facts facts, std::chrono::local_days day);

/// What the ledger says was spent, for the budget.
[[nodiscard]] spent_sums read_ledger(store::repository& kept, budget_period const& period);

}  // namespace cistern::sync
