#include "sync/schedule/replay.hpp"

#include <algorithm>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;

/// The rate is all the planner is told: not when the run ends.
double visits_an_hour(replay_options const& options) {
  if (options.visits_an_hour) return *options.visits_an_hour;
  auto const hours = std::chrono::duration<double, std::ratio<3600>>(options.window.until - options.window.score_from);
  return static_cast<double>(options.visits) / std::max(1e-3, hours.count());
}

class replay {
public:
  replay(std::span<feed_history const> feeds, replay_options const& options)
      : feeds_(feeds),
        options_(options),
        planner_(planner_options{
            .start = options.window.score_from,
            .average_interval = options.average_interval,
            .visits_an_hour = visits_an_hour(options),
        }),
        next_(feeds.size()),
        visits_(feeds.size()) {}

  std::vector<std::vector<sys_seconds>> run() {
    learn();
    if (options_.link.empty()) {
      visit_until(options_.window.score_from, options_.window.until);
    } else {
      for (auto const& window : options_.link) {
        if (window.until <= options_.window.score_from) continue;
        if (window.from >= options_.window.until) break;
        auto const from = std::max(window.from, options_.window.score_from);
        planner_.link_up(from);
        visit_until(from, std::min(window.until, options_.window.until));
        planner_.link_down(std::min(window.until, options_.window.until));
      }
    }
    return std::move(visits_);
  }

private:
  void learn() {
    auto const& window = options_.window;
    for (auto const& feed : feeds_) {
      auto const first = std::lower_bound(feed.postings.begin(), feed.postings.end(), window.learn_from);
      next_[&feed - feeds_.data()] = static_cast<std::size_t>(first - feed.postings.begin());
      planner_.add({.capacity = feed.capacity, .weight = feed.weight, .hints = {}}, window.learn_from, {},
                   window.learn_from);
    }
    for (auto day = window.learn_from; day < window.score_from; day += 24h) {
      auto const end = std::min(day + 24h, window.score_from);
      for (feed_id i = 0; i < feeds_.size(); ++i) {
        auto const first = next_[i];
        while (next_[i] < feeds_[i].postings.size() && feeds_[i].postings[next_[i]] < end) ++next_[i];
        planner_.learn_history(i, std::span{feeds_[i].postings}.subspan(first, next_[i] - first), day, end);
      }
    }
    for (auto const& link : options_.link) {
      if (link.until > window.score_from) break;
      planner_.learn_link(link.from, link.until);
    }
    planner_.plan_all(window.score_from);
  }

  void visit_until(sys_seconds from, sys_seconds until) {
    for (auto due = planner_.next_due(); due; due = planner_.next_due()) {
      auto const at = std::max(due->at, from);
      if (at >= until || made_ >= options_.visits) return;
      visit(due->feed, at);
      ++made_;
    }
  }

  void visit(feed_id i, sys_seconds at) {
    auto const& feed = feeds_[i];
    auto const first = next_[i];
    while (next_[i] < feed.postings.size() && feed.postings[next_[i]] <= at) ++next_[i];
    auto const found = next_[i] - first;
    auto const shown = std::min(found, static_cast<std::size_t>(std::max<std::int64_t>(0, feed.capacity)));
    visit_outcome outcome;
    outcome.postings = std::span{feed.postings}.subspan(next_[i] - shown, shown);
    outcome.turned_over = found > shown;
    visits_[i].push_back(at);
    planner_.observe(i, outcome, at);
  }

  std::span<feed_history const> feeds_;
  replay_options const& options_;
  planner planner_;
  std::vector<std::size_t> next_;
  std::vector<std::vector<sys_seconds>> visits_;
  std::int64_t made_ = 0;
};

}  // namespace

std::vector<std::vector<sys_seconds>> replay_adaptive(std::span<feed_history const> feeds,
                                                      replay_options const& options) {
  return replay{feeds, options}.run();
}

std::vector<std::vector<sys_seconds>> executed_in_windows(std::span<std::vector<sys_seconds> const> plan,
                                                          std::span<link_window const> link) {
  std::vector<std::vector<sys_seconds>> done(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto window = link.begin();
    for (auto const planned : plan[i]) {
      while (window != link.end() && window->until <= planned) ++window;
      if (window == link.end()) break;
      auto const at = std::max(planned, window->from);
      if (done[i].empty() || done[i].back() < at) done[i].push_back(at);
    }
  }
  return done;
}

}  // namespace cistern::sync::schedule
