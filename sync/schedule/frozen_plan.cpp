#include "sync/schedule/frozen_plan.hpp"

#include "sync/schedule/allocation.hpp"
#include "sync/schedule/visit_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::seconds day = 24h;

double days_in(std::chrono::seconds span) { return std::chrono::duration<double, std::ratio<86400>>(span).count(); }

std::span<sys_seconds const> learnt(feed_history const& feed, plan_window const& window) {
  auto const first = std::lower_bound(feed.postings.begin(), feed.postings.end(), window.learn_from);
  auto const last = std::lower_bound(first, feed.postings.end(), window.score_from);
  return {first, last};
}

/// Postings in each hour of the day, over the days learnt from: lambda(t) with a period of one day.
periodic_rate hourly_rate(std::span<sys_seconds const> postings, double days) {
  std::array<double, 24> bins{};
  for (auto const t : postings) {
    auto const into_day = t - std::chrono::floor<std::chrono::days>(t);
    bins[static_cast<std::size_t>(into_day / 1h)] += 1.0 / days;
  }
  return {bins, 1.0};
}

std::vector<sys_seconds> evenly(plan_window const& window, std::int64_t visits) {
  std::vector<sys_seconds> times;
  auto const span = window.until - window.score_from;
  for (std::int64_t j = 1; j <= visits; ++j)
    times.push_back(window.score_from + std::chrono::seconds{(2 * j - 1) * span.count() / (2 * visits)});
  return times;
}

/// `visits` over the window at the best times of the day: days with one visit more and one less alternate so that the
/// sum comes out, and with less than one visit a day the days between are skipped.
std::vector<sys_seconds> at_best_times(periodic_rate const& rate, plan_window const& window, std::int64_t visits) {
  auto const days = std::max<std::int64_t>(1, (window.until - window.score_from) / day);
  auto const few = visits / days;
  std::array<std::vector<double>, 2> plans{refine_visit_times(rate, static_cast<std::size_t>(few)), {}};
  if (visits % days != 0) plans[1] = refine_visit_times(rate, static_cast<std::size_t>(few + 1));
  auto const midnight = std::chrono::floor<std::chrono::days>(window.score_from);
  std::vector<sys_seconds> times;
  for (std::int64_t d = 0; d < days; ++d) {
    // Rounded, not cut, so that a single visit falls in the middle of the window.
    auto const before = (2 * d * visits + days) / (2 * days);
    auto const count = (2 * (d + 1) * visits + days) / (2 * days) - before;
    auto const& plan = plans[static_cast<std::size_t>(std::clamp<std::int64_t>(count - few, 0, 1))];
    for (double const hours : plan) {
      auto const t = midnight + d * day + std::chrono::seconds{std::llround(hours * 3600.0)};
      times.push_back(std::clamp(t, window.score_from + 1s, window.until));
    }
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

std::optional<frozen_policy> frozen_policy_named(std::string_view name) {
  if (name == "uniform") return frozen_policy::uniform;
  if (name == "scheduling") return frozen_policy::scheduling_only;
  if (name == "allocation") return frozen_policy::allocation_only;
  if (name == "min-delay") return frozen_policy::min_delay;
  if (name == "min-missing") return frozen_policy::min_missing;
  return std::nullopt;
}

std::vector<std::vector<sys_seconds>> frozen_plan(frozen_policy policy, std::span<feed_history const> feeds,
                                                  plan_window window, std::int64_t visits) {
  double const days = std::max(1.0 / 24.0, days_in(window.score_from - window.learn_from));
  double const scored_days = std::max(1.0 / 24.0, days_in(window.until - window.score_from));
  std::vector<double> rates;
  std::vector<double> weights;
  std::vector<std::int64_t> capacities;
  for (auto const& feed : feeds) {
    rates.push_back(static_cast<double>(learnt(feed, window).size()) / days);
    weights.push_back(feed.weight);
    capacities.push_back(std::max<std::int64_t>(1, feed.capacity));
  }
  auto const budget = static_cast<double>(visits);
  std::vector<std::int64_t> counts;
  if (policy == frozen_policy::min_missing) {
    for (double& rate : rates) rate *= scored_days;
    counts = min_missing_visits(rates, capacities, visits);
  } else if (policy == frozen_policy::min_delay || policy == frozen_policy::allocation_only) {
    counts = whole_visits(min_delay_shares(rates, weights, budget), visits);
  } else {
    counts = whole_visits(uniform_shares(feeds.size(), budget), visits);
  }
  bool const timed = policy == frozen_policy::min_delay || policy == frozen_policy::scheduling_only;
  std::vector<std::vector<sys_seconds>> plan(feeds.size());
  for (std::size_t i = 0; i < feeds.size(); ++i)
    plan[i] = timed ? at_best_times(hourly_rate(learnt(feeds[i], window), days), window, counts[i])
                    : evenly(window, counts[i]);
  return plan;
}

}  // namespace cistern::sync::schedule
