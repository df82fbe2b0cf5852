#include "sync/schedule/rules_plan.hpp"

#include "sync/schedule/hints.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;
using rule_list = std::vector<interval_rule>;

rule_list stretched(rule_list rules, double factor) {
  for (auto& rule : rules) {
    double const minutes = static_cast<double>(rule.interval.count()) * factor;
    rule.interval = std::chrono::minutes{std::llround(std::clamp(minutes, 1.0, 7.0 * 24.0 * 60.0))};
  }
  return rules;
}

std::vector<sys_seconds> follow(rule_list const& rules, plan_window const& window, std::uint32_t seed) {
  std::minstd_rand random{seed};
  std::uniform_real_distribution<double> jitter{-0.5, 0.5};
  std::vector<sys_seconds> times;
  // The jitter moves the visit, not the schedule, or the mean interval would drift with it.
  auto planned = window.score_from;
  while (auto const next = next_update(rules, planned)) {
    auto const interval = interval_at(rules, planned).value_or(60min);
    planned = *next;
    auto const moved =
        std::chrono::seconds{std::llround(jitter(random) * std::chrono::duration<double>(interval).count())};
    if (planned >= window.until) break;
    times.push_back(std::clamp(planned + moved, window.score_from + 1s, window.until - 1s));
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

std::vector<std::vector<sys_seconds>> rules_plan(std::span<feed_history const> feeds, plan_window window,
                                                 std::int64_t visits, std::uint32_t seed) {
  std::vector<rule_list> learnt;
  for (auto const& feed : feeds) learnt.push_back(estimate_rules(feed.postings, window.learn_from, window.score_from));
  auto const plan_at = [&](double factor) {
    std::vector<std::vector<sys_seconds>> plan;
    for (std::size_t i = 0; i < learnt.size(); ++i)
      plan.push_back(follow(stretched(learnt[i], factor), window, seed + static_cast<std::uint32_t>(i) + 1));
    return plan;
  };
  auto const count = [](std::vector<std::vector<sys_seconds>> const& plan) {
    std::int64_t sum = 0;
    for (auto const& times : plan) sum += static_cast<std::int64_t>(times.size());
    return sum;
  };
  double low = 0.01;
  double high = 100.0;
  for (int i = 0; i < 18; ++i) {
    double const middle = std::sqrt(low * high);
    (count(plan_at(middle)) > visits ? low : high) = middle;
  }
  auto plan = plan_at(high);
  // Rules of a week at most can still ask for more than there is: the last ones then go without.
  for (auto over = count(plan) - visits; over > 0;)
    for (auto it = plan.rbegin(); it != plan.rend() && over > 0; ++it)
      if (!it->empty()) {
        it->pop_back();
        --over;
      }
  return plan;
}

}  // namespace cistern::sync::schedule
