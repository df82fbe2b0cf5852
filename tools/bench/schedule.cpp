/// bench-schedule: how long it takes to plan and to replay many feeds for a quarter of a year.
/// Made-up feeds with a fixed seed: rates from one posting a fortnight to forty a day, days and weeks with a rhythm,
/// bursts now and then, windows of 5 to 50 items. docs/polling.md has its numbers.

#include "sync/schedule/replay.hpp"
#include "sync/schedule/score.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

namespace {

using namespace cistern::sync::schedule;
using namespace std::chrono_literals;

constexpr auto monday = sys_seconds{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

feed_history made_up(std::mt19937& random, int weeks) {
  std::uniform_real_distribution<double> share{0.0, 1.0};
  feed_history feed;
  double const a_day = 0.07 * std::pow(40.0 / 0.07, std::pow(share(random), 1.5));
  auto const wakes = static_cast<int>(24.0 * share(random));
  feed.capacity = 5 + static_cast<std::int64_t>(46.0 * share(random));
  double mood = 1.0;
  for (int hour = 0; hour < weeks * hours_a_week; ++hour) {
    mood = share(random) < 0.01 ? 6.0 * share(random) : 1.0 + (mood - 1.0) * 0.9;
    bool const awake = (hour + wakes) % 24 < 14;
    bool const weekend = hour % hours_a_week >= 120;
    std::poisson_distribution<int> count{a_day / 24.0 * mood * (awake ? 1.6 : 0.16) * (weekend ? 0.5 : 1.2)};
    for (int left = count(random); left > 0; --left)
      feed.postings.push_back(monday + hour * 1h + std::chrono::seconds{static_cast<int>(3599.0 * share(random))});
  }
  std::sort(feed.postings.begin(), feed.postings.end());
  return feed;
}

/// What an engine does with all feeds at once: plan them anew (the link came up), and start again from what was kept.
void measure_plans(std::vector<feed_history> const& feeds, std::chrono::seconds interval) {
  auto const now = monday + 14 * 24h;
  planner plan{{.start = now, .average_interval = interval}};
  std::vector<std::string> kept;
  for (auto const& feed : feeds) {
    auto const id = plan.add({.capacity = feed.capacity}, monday, {}, monday);
    plan.learn_history(id, feed.postings, monday, now);
    kept.push_back(plan.state(id));
  }
  double const before = processor_seconds();
  plan.plan_all(now);
  double const planned = processor_seconds();
  planner again{{.start = now, .average_interval = interval}};
  if (!again.restore_shared(plan.shared_state())) std::abort();
  for (std::size_t i = 0; i < feeds.size(); ++i) again.add({.capacity = feeds[i].capacity}, now, kept[i], now);
  again.plan_all(now);
  std::printf("plan all feeds     %8.2f\n", planned - before);
  std::printf("restart            %8.2f\n", processor_seconds() - planned);
}

void measure(std::size_t count, int weeks, int hours) {
  std::mt19937 random{7};
  std::vector<feed_history> feeds;
  for (std::size_t i = 0; i < count; ++i) feeds.push_back(made_up(random, weeks));
  plan_window const window{monday, monday + 14 * 24h, monday + weeks * hours_a_week * 1h};
  auto const interval = std::chrono::hours{hours};
  auto const visits = static_cast<std::int64_t>(count) * ((window.until - window.score_from) / interval);
  std::printf("%zu feeds x %d weeks, every %d h on average; processor seconds\n", count, weeks, hours);
  measure_plans(feeds, interval);
  double const before = processor_seconds();
  auto const made = replay_adaptive(
      feeds, {.window = window, .visits = visits, .average_interval = interval, .visits_an_hour = {}, .link = {}});
  double const spent = processor_seconds() - before;
  auto const result = score_visits(feeds, made, window);
  std::printf("replay             %8.2f  (%lld visits, %.1f microseconds each; mean delay %.1f minutes)\n", spent,
              static_cast<long long>(result.visits), 1e6 * spent / static_cast<double>(result.visits),
              result.mean.count());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"times planning and replaying many feeds"};
  std::size_t feeds = 10000;
  int weeks = 13;
  int hours = 6;
  program.add_option("--feeds", feeds, "how many (10000)")->check(CLI::Range(1, 1'000'000));
  program.add_option("--weeks", weeks, "how long, the first two learnt from (13)")->check(CLI::Range(3, 520));
  program.add_option("--interval", hours, "average hours between visits (6)")->check(CLI::Range(1, 168));
  CLI11_PARSE(program, argc, argv);
  measure(feeds, weeks, hours);
}
