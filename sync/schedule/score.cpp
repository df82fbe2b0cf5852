#include "sync/schedule/score.hpp"

#include <algorithm>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

/// Collects one source's visits in order of time.
class tally {
public:
  tally(score& sum, std::vector<std::int32_t>& delays, visit_bytes cost) : sum_(sum), delays_(delays), cost_(cost) {}

  void source(feed_history const& feed, std::span<sys_seconds const> visits, plan_window const& window) {
    auto next = std::lower_bound(feed.postings.begin(), feed.postings.end(), window.score_from);
    auto last_visit = window.score_from;
    auto const collect = [&](sys_seconds at, bool free) {
      std::int64_t found = 0;
      for (; next != feed.postings.end() && *next <= at && *next < window.until; ++next, ++found)
        delays_.push_back(static_cast<std::int32_t>((at - *next).count()));
      sum_.missing += std::max<std::int64_t>(0, found - feed.capacity);
      sum_.longest_gap = std::max<decltype(sum_.longest_gap)>(sum_.longest_gap, at - last_visit);
      last_visit = at;
      if (free) return;
      ++sum_.visits;
      ++(found > 0 ? sum_.hits : sum_.misses);
      sum_.bytes += found > 0 ? cost_.envelope + cost_.an_item * feed.capacity : cost_.unchanged;
    };
    for (auto const at : visits)
      if (at > window.score_from && at <= window.until) collect(at, false);
    collect(window.until, true);
  }

private:
  score& sum_;
  std::vector<std::int32_t>& delays_;
  visit_bytes cost_;
};

double at_rank(std::vector<std::int32_t>& delays, double share) {
  auto const rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(delays.size() - 1));
  std::nth_element(delays.begin(), delays.begin() + rank, delays.end());
  return delays[static_cast<std::size_t>(rank)] / 60.0;
}

}  // namespace

score score_visits(std::span<feed_history const> feeds, std::span<std::vector<sys_seconds> const> visits,
                   plan_window window, visit_bytes cost) {
  score sum;
  std::vector<std::int32_t> delays;
  tally count{sum, delays, cost};
  for (std::size_t i = 0; i < feeds.size(); ++i) count.source(feeds[i], visits[i], window);
  sum.postings = static_cast<std::int64_t>(delays.size());
  if (delays.empty()) return sum;
  double total = 0.0;
  for (auto const d : delays) total += d;
  using minutes = decltype(sum.mean);
  sum.mean = minutes{total / 60.0 / static_cast<double>(delays.size())};
  sum.maximum = minutes{*std::max_element(delays.begin(), delays.end()) / 60.0};
  sum.median = minutes{at_rank(delays, 0.5)};
  sum.p95 = minutes{at_rank(delays, 0.95)};
  return sum;
}

}  // namespace cistern::sync::schedule
