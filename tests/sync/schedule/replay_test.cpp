#include "sync/schedule/replay.hpp"

#include "sync/schedule/rules_plan.hpp"
#include "sync/schedule/score.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace cistern::sync::schedule;
using namespace std::chrono_literals;

namespace {

constexpr auto monday = sys_seconds{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};
constexpr int weeks = 6;
plan_window const window{monday, monday + 14 * 24h, monday + weeks * 7 * 24h};

/// Feeds that post at rates from one a week to forty a day, by day more than by night and less at weekends.
std::vector<feed_history> town(std::size_t feeds, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> share{0.0, 1.0};
  std::vector<feed_history> all(feeds);
  for (std::size_t i = 0; i < feeds; ++i) {
    double const a_day = 0.15 * std::pow(270.0, static_cast<double>(i) / static_cast<double>(feeds));
    all[i].capacity = 2 + static_cast<std::int64_t>(i % 9);
    for (int hour = 0; hour < weeks * 168; ++hour) {
      bool const day = hour % 24 >= 8 && hour % 24 < 20;
      bool const weekend = hour % 168 >= 120;
      double const rate = a_day / 24.0 * (day ? 1.8 : 0.2) * (weekend ? 0.4 : 1.24);
      std::poisson_distribution<int> count{rate};
      for (int k = count(random); k > 0; --k)
        all[i].postings.push_back(monday + hour * 1h + std::chrono::seconds{static_cast<int>(3599.0 * share(random))});
    }
    std::sort(all[i].postings.begin(), all[i].postings.end());
  }
  return all;
}

replay_options at_interval(std::size_t feeds, std::chrono::hours interval) {
  auto const visits = static_cast<std::int64_t>(feeds) * ((window.until - window.score_from) / interval);
  return {.window = window, .visits = visits, .average_interval = interval, .visits_an_hour = {}, .link = {}};
}

std::int64_t total(std::vector<std::vector<sys_seconds>> const& visits) {
  std::int64_t sum = 0;
  for (auto const& times : visits) sum += static_cast<std::int64_t>(times.size());
  return sum;
}

/// Three windows a day, 90 minutes each, every seventh one lost.
std::vector<link_window> three_a_day() {
  std::vector<link_window> link;
  int n = 0;
  for (auto day = monday; day < window.until; day += 24h)
    for (auto const hour : {7h, 13h, 20h})
      if (++n % 7 != 0) link.push_back({day + hour - 45min, day + hour + 45min});
  return link;
}

}  // namespace

TEST_CASE("cutting a trace short leaves the visits up to the cut as they were", "[schedule]") {
  auto const whole = town(40, 3);
  auto const cut_at = monday + 30 * 24h + 11h;
  auto cut = whole;
  for (auto& feed : cut) std::erase_if(feed.postings, [&](sys_seconds t) { return t > cut_at; });
  auto const options = at_interval(whole.size(), 6h);
  auto const a = replay_adaptive(whole, options);
  auto const b = replay_adaptive(cut, options);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<sys_seconds> before_a, before_b;
    for (auto const t : a[i])
      if (t <= cut_at) before_a.push_back(t);
    for (auto const t : b[i])
      if (t <= cut_at) before_b.push_back(t);
    CHECK(before_a == before_b);
    compared += before_a.size();
  }
  CHECK(compared > 1000);
}

TEST_CASE("a run that ends sooner makes the same visits until then", "[schedule]") {
  auto const feeds = town(40, 3);
  auto const options = at_interval(feeds.size(), 6h);
  auto sooner = options;
  sooner.window.until = window.until - 14 * 24h;
  sooner.visits = options.visits / 2;
  auto const a = replay_adaptive(feeds, options);
  auto const b = replay_adaptive(feeds, sooner);
  for (std::size_t i = 0; i < feeds.size(); ++i)
    CHECK(std::equal(b[i].begin(), b[i].end(), a[i].begin(), a[i].begin() + static_cast<std::ptrdiff_t>(b[i].size())));
}

TEST_CASE("adaptive beats min-delay's delay and min-missing's losses on the same visits", "[schedule]") {
  auto const feeds = town(60, 5);
  auto const options = at_interval(feeds.size(), 6h);
  auto const ours = score_visits(feeds, replay_adaptive(feeds, options), window);
  auto const delay = score_visits(feeds, frozen_plan(frozen_policy::min_delay, feeds, window, options.visits), window);
  auto const loss = score_visits(feeds, frozen_plan(frozen_policy::min_missing, feeds, window, options.visits), window);
  CHECK(ours.visits <= options.visits);
  CHECK(ours.mean < 0.97 * delay.mean);  // an even, memoryless town is where a frozen plan is at its best
  CHECK(ours.missing_percent() <= loss.missing_percent());
  CHECK(ours.longest_gap <= 42h);
}

TEST_CASE("every policy spends the budget and no more", "[schedule]") {
  auto const feeds = town(30, 9);
  auto const options = at_interval(feeds.size(), 8h);
  for (auto const* const name : {"uniform", "scheduling", "allocation", "min-delay", "min-missing"})
    CHECK(total(frozen_plan(*frozen_policy_named(name), feeds, window, options.visits)) == options.visits);
  auto const made = total(replay_adaptive(feeds, options));
  CHECK(made <= options.visits);
  CHECK(made > options.visits * 97 / 100);
  auto const by_rules = total(rules_plan(feeds, window, options.visits, 1));
  CHECK(by_rules <= options.visits);
  CHECK(by_rules > options.visits * 9 / 10);
}

TEST_CASE("with the link up three times a day it visits only then, and beats a plan that waits for it", "[schedule]") {
  auto const feeds = town(40, 11);
  auto const link = three_a_day();
  auto options = at_interval(feeds.size(), 8h);
  options.link = link;
  auto const visits = replay_adaptive(feeds, options);
  for (auto const& times : visits)
    for (auto const t : times)
      REQUIRE(std::any_of(link.begin(), link.end(), [&](auto const& w) { return t >= w.from && t < w.until; }));
  auto const ours = score_visits(feeds, visits, window);
  auto const plan = frozen_plan(frozen_policy::min_delay, feeds, window, options.visits);
  auto const waited = score_visits(feeds, executed_in_windows(plan, link), window);
  CHECK(ours.mean < 0.85 * waited.mean);
  CHECK(ours.maximum <= waited.maximum);
}

TEST_CASE("visits that wait for the same window become one", "[schedule]") {
  std::vector<std::vector<sys_seconds>> const plan{{monday + 1h, monday + 2h, monday + 6h + 30min, monday + 30h}};
  std::vector<link_window> const link{{monday + 6h, monday + 7h}, {monday + 24h, monday + 25h}};
  auto const done = executed_in_windows(plan, link);
  CHECK(done[0] == std::vector<sys_seconds>{monday + 6h, monday + 6h + 30min});
}
