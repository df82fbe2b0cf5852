#pragma once

#include "sync/engine/engine.hpp"
#include "sync/feeds/visit_news.hpp"
#include "sync/savings.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace cistern::sync {

/// What is to be written down of one visit.
struct visit_note {
  visit_news news{};
  store::ledger_entry line{};
  savings saved{};
};
/// A task that writes all of them down.
[[nodiscard]] std::function<void(store::write_batch&)> writing_down(std::vector<visit_note> notes);

/// A pass under way. Only the engine's own files include this; all of it is on the engine's thread.
struct engine::live_pass {
  pass_record record{};
  bool asked = false;
  std::string full{};   // why nothing more can be stored; then nothing more is asked for
  bool proven = false;  // somebody answered as only the right one could: no portal is in between
  std::size_t workers = 0;
  struct in_flight {
    active_fetch shown{};
    std::shared_ptr<traffic> wire{};
    std::uint64_t subscription = 0;
    std::shared_ptr<std::atomic<bool>> unwanted{};  // of a job: a person stopped it
  };
  std::map<std::pair<bool, std::uint64_t>, in_flight> active{};
  std::map<std::uint64_t, std::uint32_t> fruitless{};               // tries of a job that brought nothing, in this pass
  std::map<std::uint64_t, std::uint32_t> broken{};                  // visits of a feed that broke off, in this pass
  std::set<std::pair<bool, std::uint64_t>> again{};                 // feeds and jobs to be tried again in this pass
  std::optional<std::chrono::steady_clock::time_point> next_try{};  // of what waits for a host at the end
  std::vector<visit_note> unwritten{};                              // of visits that brought nothing new
  std::chrono::steady_clock::time_point write_by{};                 // when there are some
};

}  // namespace cistern::sync
