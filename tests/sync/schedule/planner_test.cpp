#include "sync/schedule/planner.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace cistern::sync::schedule;
using namespace std::chrono_literals;

namespace {

constexpr auto monday = sys_seconds{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};

/// Visits what is due until `until`; `posts(feed, from, to)` says what each visit shows.
template <class Posts>
std::vector<due_visit> run(planner& plan, sys_seconds until, Posts posts) {
  std::vector<due_visit> made;
  std::vector<sys_seconds> last(16, monday);
  while (auto const due = plan.next_due()) {
    if (due->at >= until || made.size() > 20000) break;
    auto const seen = posts(due->feed, last[due->feed], due->at);
    visit_outcome outcome;
    outcome.postings = seen;
    plan.observe(due->feed, outcome, due->at);
    last[due->feed] = due->at;
    made.push_back(*due);
  }
  return made;
}

std::vector<sys_seconds> every(std::chrono::seconds step, sys_seconds from, sys_seconds to) {
  std::vector<sys_seconds> times;
  for (sys_seconds t = std::chrono::floor<std::chrono::days>(from) - 24h; t <= to; t += step)
    if (t > from) times.push_back(t);
  return times;
}

std::size_t visits_to(feed_id feed, std::vector<due_visit> const& made) {
  return static_cast<std::size_t>(
      std::count_if(made.begin(), made.end(), [&](auto const& v) { return v.feed == feed; }));
}

}  // namespace

TEST_CASE("a new feed is visited at once", "[schedule]") {
  planner plan{{.start = monday}};
  auto const feed = plan.add({}, monday);
  auto const due = plan.next_due();
  REQUIRE(due);
  CHECK(due->feed == feed);
  CHECK(due->at <= monday + 1s);
}

TEST_CASE("the dates in the first feed it sees already set the pace", "[schedule]") {
  planner plan{{.start = monday}};
  auto const busy = plan.add({}, monday);
  auto const quiet = plan.add({}, monday);
  visit_outcome outcome;
  auto const many = every(1h, monday - 14h, monday);
  outcome.postings = many;
  plan.observe(busy, outcome, monday);
  auto const few = every(14 * 24h, monday - 60 * 24h, monday);
  outcome.postings = few;
  plan.observe(quiet, outcome, monday);
  CHECK(plan.due(busy) < plan.due(quiet));
}

TEST_CASE("a busy feed is visited more often, within the budget", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const busy = plan.add({}, monday);
  auto const quiet = plan.add({}, monday);
  auto const made = run(plan, monday + 28 * 24h, [&](feed_id feed, sys_seconds from, sys_seconds to) {
    return every(feed == busy ? 1h : 48h, from, to);
  });
  CHECK(visits_to(busy, made) > 2 * visits_to(quiet, made));
  CHECK(made.size() <= 2 * 28 * 4 + 2 * 30 / 6 + 2);
  CHECK(made.size() >= 2 * 28 * 4 * 8 / 10);
}

TEST_CASE("no feed is left alone for longer than seven average intervals", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const busy = plan.add({}, monday);
  auto const silent = plan.add({}, monday);
  auto const made = run(plan, monday + 28 * 24h, [&](feed_id feed, sys_seconds from, sys_seconds to) {
    return feed == busy ? every(1h, from, to) : std::vector<sys_seconds>{};
  });
  auto last = monday;
  for (auto const& visit : made)
    if (visit.feed == silent) {
      CHECK(visit.at - last <= 42h);
      last = visit.at;
    }
}

TEST_CASE("a feed whose window turned over is visited sooner, a silent one later", "[schedule]") {
  auto const gap_after = [](std::size_t shown, bool turned_over) {
    planner plan{{.start = monday, .average_interval = 6h}};
    auto const feed = plan.add({.capacity = 10, .weight = 1.0, .hints = {}}, monday, {}, monday);
    for (int f = 0; f < 5; ++f) plan.add({}, monday, {}, monday);
    for (int day = 0; day < 14; ++day)
      plan.learn_history(feed, every(3h, monday + day * 24h - 1s, monday + (day + 1) * 24h - 1s), monday + day * 24h,
                         monday + (day + 1) * 24h);
    auto const now = monday + 14 * 24h + 6h;
    std::vector<sys_seconds> seen;
    for (std::size_t i = 0; i < shown; ++i) seen.push_back(now - std::chrono::minutes{10 * (i + 1)});
    visit_outcome outcome;
    outcome.postings = seen;
    outcome.turned_over = turned_over;
    plan.observe(feed, outcome, now);
    return plan.due(feed) - now;
  };
  CHECK(gap_after(10, true) < gap_after(2, false));
  CHECK(gap_after(2, false) <= gap_after(0, false));
}

TEST_CASE("Retry-After and hints are obeyed", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 1h}};
  feed_facts facts;
  facts.hints.ttl = 180min;
  auto const feed = plan.add(facts, monday);
  auto const seen = every(10min, monday - 3h, monday);
  visit_outcome outcome;
  outcome.postings = seen;
  plan.observe(feed, outcome, monday);
  CHECK(plan.due(feed) >= monday + 3h);
  outcome.not_before = monday + 30h;
  plan.observe(feed, outcome, monday + 3h);
  CHECK(plan.due(feed) >= monday + 30h);
  CHECK(plan.why(feed).find("no sooner") != std::string::npos);
}

TEST_CASE("a reader whom the link kept away does not wait for skipped hours", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 2h}};
  feed_facts facts;
  for (std::size_t h = 8; h < 20; ++h) facts.hints.skip_hours.set(h);
  auto const feed = plan.add(facts, monday);
  auto const seen = every(30min, monday - 5h, monday);
  visit_outcome outcome;
  outcome.postings = seen;
  plan.observe(feed, outcome, monday);
  plan.link_down(monday + 1h);
  plan.link_up(monday + 10h);
  CHECK(plan.due(feed) <= monday + 10h + 1s);
}

TEST_CASE("after an outage what is about to be lost comes first, then most news for the bytes", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const safe = plan.add({.capacity = 500, .weight = 1.0, .hints = {}}, monday, {}, monday);
  auto const at_risk = plan.add({.capacity = 10, .weight = 1.0, .hints = {}}, monday, {}, monday);
  auto const quiet = plan.add({.capacity = 10, .weight = 1.0, .hints = {}}, monday, {}, monday);
  for (auto const feed : {safe, at_risk, quiet})
    for (int day = 0; day < 14; ++day)
      plan.learn_history(feed, every(feed == quiet ? 24h : 1h, monday + day * 24h - 1s, monday + (day + 1) * 24h - 1s),
                         monday + day * 24h, monday + (day + 1) * 24h);
  auto const order = plan.link_up_order(monday + 14 * 24h + 7h, monday + 14 * 24h + 8h);
  CHECK(order == std::vector<feed_id>{at_risk, safe, quiet});
}

TEST_CASE("it says in words why and when, and how long it is safe to stay offline", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const feed = plan.add({.capacity = 24, .weight = 1.0, .hints = {}}, monday, {}, monday);
  CHECK(planner{{.start = monday}}.add({}, monday) == 0);
  for (int day = 0; day < 28; ++day)
    plan.learn_history(feed, every(1h, monday + day * 24h - 1s, monday + (day + 1) * 24h - 1s), monday + day * 24h,
                       monday + (day + 1) * 24h);
  auto const now = monday + 28 * 24h;
  plan.plan_all(now);
  auto const words = plan.why(feed);
  CHECK(words.find("about 24 a day") != std::string::npos);
  CHECK(words.find("Next visit Mon 2024-01-29") != std::string::npos);
  auto const safe = plan.safe_offline_until(feed) - now;
  CHECK(safe > 8h);
  CHECK(safe < 24h);
}

TEST_CASE("what a planner learned is taken over by the next one", "[schedule]") {
  planner first{{.start = monday}};
  auto const feed = first.add({}, monday, {}, monday);
  for (int day = 0; day < 14; ++day)
    first.learn_history(feed, every(2h, monday + day * 24h - 1s, monday + (day + 1) * 24h - 1s), monday + day * 24h,
                        monday + (day + 1) * 24h);
  planner second{{.start = monday + 14 * 24h}};
  REQUIRE(second.restore_shared(first.shared_state()));
  auto const known = second.add({}, monday + 14 * 24h, first.state(feed), monday + 14 * 24h);
  auto const unknown = second.add({}, monday + 14 * 24h, "rubbish", monday + 14 * 24h);
  CHECK(second.due(known) < second.due(unknown));
}

TEST_CASE("a removed feed is not visited again", "[schedule]") {
  planner plan{{.start = monday}};
  auto const feed = plan.add({}, monday);
  plan.remove(feed);
  CHECK_FALSE(plan.next_due());
}

TEST_CASE("dates that cannot be do no harm", "[schedule]") {
  planner plan{{.start = monday}};
  auto const feed = plan.add({}, monday, {}, monday);
  std::vector<sys_seconds> const odd{sys_seconds{}, monday + 5000 * 24h, monday - 5000 * 24h, monday + 1h};
  visit_outcome outcome;
  outcome.postings = odd;
  outcome.undated = 3;
  plan.observe(feed, outcome, monday + 2h);
  CHECK(plan.due(feed) > monday + 2h);
  CHECK(plan.due(feed) < monday + 50h);
}
