#pragma once

/// Scores visits against what was really posted, by the conventions of the traces:
/// every source counts as just visited when scoring starts; the delay of a posting is the first visit at or after it
/// minus its time, also for postings that were lost; when c > S postings fall between two visits, c - S are lost; a
/// source not visited again is closed by one free visit at the end. Weights are 1.

#include "sync/schedule/frozen_plan.hpp"

namespace cistern::sync::schedule {

struct score {
  std::int64_t visits = 0;
  std::int64_t postings = 0;
  std::int64_t missing = 0;
  std::int64_t hits = 0;    // visits that found something new
  std::int64_t misses = 0;  // visits that did not
  std::int64_t bytes = 0;
  std::chrono::duration<double, std::ratio<60>> mean{}, median{}, p95{}, maximum{};
  std::chrono::duration<double, std::ratio<3600>> longest_gap{};

  [[nodiscard]] double missing_percent() const {
    return postings == 0 ? 0.0 : 100.0 * static_cast<double>(missing) / static_cast<double>(postings);
  }
};

/// What a visit costs on the wire, for sources whose sizes no trace tells: a feed of S items when there is news, a
/// 304 when there is none.
struct visit_bytes {
  std::int64_t unchanged = 350;
  std::int64_t envelope = 900;
  std::int64_t an_item = 1200;
};

/// `visits[i]` are the visits of `feeds[i]`, sorted; those at or before `score_from` or after `until` do not count.
[[nodiscard]] score score_visits(std::span<feed_history const> feeds, std::span<std::vector<sys_seconds> const> visits,
                                 plan_window window, visit_bytes cost = {});

}  // namespace cistern::sync::schedule
