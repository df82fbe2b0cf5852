// The polling policy drives the real engine: four weeks of 200 feeds over HTTP, in the time that it takes.

#include "sync/schedule/replay.hpp"
#include "sync/schedule/score.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <random>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using namespace sync::schedule;

namespace {

constexpr auto start = sys_seconds{std::chrono::sys_days{std::chrono::year{2030} / 3 / 4}};
constexpr auto four_weeks = 4 * 7 * 24h;
constexpr int feed_count = 200;

/// Rates from a posting every three days to twenty a day, by day rather than by night.
feed_history made_up(std::mt19937& random) {
  std::uniform_real_distribution<double> share{0.0, 1.0};
  feed_history feed;
  auto const a_day = 0.3 * std::pow(60.0, std::pow(share(random), 1.5));
  auto const wakes = static_cast<int>(24.0 * share(random));
  feed.capacity = 10 + static_cast<std::int64_t>(15.0 * share(random));
  for (int hour = 0; hour < 4 * 7 * 24; ++hour) {
    bool const awake = (hour + wakes) % 24 < 14;
    std::poisson_distribution<int> count{a_day / 24.0 * (awake ? 1.6 : 0.16)};
    for (int left = count(random); left > 0; --left)
      feed.postings.push_back(start + hour * 1h + std::chrono::seconds{static_cast<int>(3599.0 * share(random))});
  }
  std::ranges::sort(feed.postings);
  return feed;
}

/// All feeds on one server, each as it stands at the engine's time.
class publisher {
public:
  publisher(std::vector<feed_history> const& feeds, fake_clock const& clock)
      : feeds_{feeds}, clock_{clock}, visits(feeds.size()) {}

  std::string url(std::size_t feed) const { return origin_.url("/" + std::to_string(feed)); }

private:
  void answer(fake_exchange& x) {
    auto const which = std::stoul(x.request.target.substr(1));
    auto const now = clock_.now();
    auto const& feed = feeds_[which];
    auto const posted = std::ranges::upper_bound(feed.postings, now) - feed.postings.begin();
    {
      std::scoped_lock const lock{mutex_};
      visits[which].push_back(now);
    }
    auto const tag = "\"" + std::to_string(posted) + "\"";
    if (x.request.field("If-None-Match") == tag) return x.answer(304, "", "");
    std::vector<story> stories;
    auto const oldest = std::max<std::ptrdiff_t>(0, posted - feed.capacity);
    for (auto i = posted; i-- > oldest;) {
      auto const before = std::chrono::sys_seconds{1'900'000'000s} - feed.postings[static_cast<std::size_t>(i)];
      stories.push_back({std::to_string(i), "Post", 0, {}, {}});
      stories.back().seconds_ago = before.count();
    }
    x.answer(200, "ETag: " + tag + "\r\n", rss(stories));
  }

  std::vector<feed_history> const& feeds_;
  fake_clock const& clock_;
  std::mutex mutex_;

public:
  std::vector<std::vector<sys_seconds>> visits;

private:
  fake_origin origin_{[this](fake_exchange& x) { answer(x); }};
};

/// Eleven thousand passes with a sync each: the disk's share is not what is tested here.
void use_memory_for_the_repository() {
  std::error_code ignored;
  if (std::filesystem::is_directory("/dev/shm", ignored)) ::setenv("TMPDIR", "/dev/shm", 1);
}

}  // namespace

TEST_CASE("four weeks of visits give the delays that the simulator predicts, and break no floor", "[sync][slow]") {
  use_memory_for_the_repository();
  std::mt19937 random{11};
  std::vector<feed_history> feeds;
  for (int i = 0; i < feed_count; ++i) feeds.push_back(made_up(random));
  auto const interval = 12h;
  auto const floor = 1h;

  whole_engine e;
  e.clock.set(start);
  e.settings.plan = {.start = start, .average_interval = interval, .shortest_gap = floor};
  e.settings.feeds.floors.with_validators = floor;
  e.settings.feeds.floors.without_validators = floor;
  e.start();
  publisher papers{feeds, e.clock};
  e.store.write([&](store::write_batch& b) {
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      store::subscription feed{.id = b.next_id(), .feed_url = papers.url(i), .added = start, .last_visit = start};
      feed.carry.pages = false;
      feed.capacity = static_cast<std::uint32_t>(feeds[i].capacity);
      b.put(feed);
    }
  });
  auto const until = start + four_weeks;
  std::uint64_t passes = 0;
  for (;;) {
    auto const due = e.run(e.engine->next_feed());
    if (!due || *due >= until) break;
    e.clock.set(*due);
    e.run(e.engine->pass({.why = "plan"}));
    REQUIRE(++passes < 60'000);
  }

  plan_window const window{start, start, until};
  auto const budget = static_cast<std::int64_t>(feed_count) * (four_weeks / interval);
  auto const predicted_visits =
      replay_adaptive(feeds, {.window = window, .visits = budget, .average_interval = interval, .link = {}});
  auto const predicted = score_visits(feeds, predicted_visits, window);
  auto const seen = score_visits(feeds, papers.visits, window);
  CAPTURE(predicted.visits, seen.visits, predicted.mean.count(), seen.mean.count());
  CHECK(seen.mean.count() == Approx(predicted.mean.count()).epsilon(0.05));
  CHECK(seen.visits <= budget);
  CHECK(seen.missing <= predicted.missing + predicted.postings / 100);
  for (auto const& visits : papers.visits)
    for (std::size_t i = 1; i < visits.size(); ++i) REQUIRE(visits[i] - visits[i - 1] >= floor);
}
