#include "sync/schedule/planner.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

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

TEST_CASE("feeds that are known at the start are planned together, and none waits longer for that", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  for (int i = 0; i < 20; ++i) plan.enrol({}, monday, {}, monday - 40h);
  CHECK_FALSE(plan.next_due().has_value());
  plan.plan_all(monday);
  for (feed_id feed = 0; feed < 20; ++feed) CHECK(plan.due(feed) <= monday + 2h);
  CHECK(plan.next_due().has_value());
}

TEST_CASE("a feed whose window turned over is visited sooner, a silent one later", "[schedule]") {
  auto const gap_after = [](std::size_t shown, bool turned_over) {
    planner plan{{.start = monday + 14 * 24h, .average_interval = 6h}};
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

TEST_CASE("a feed whose visit is under way is not named again, even when the link comes back meanwhile", "[schedule]") {
  planner plan{{.start = monday}};
  auto const first = plan.add({}, monday);
  auto const second = plan.add({}, monday);
  plan.take(first);
  plan.link_down(monday + 1min);
  plan.link_up(monday + 2min);
  REQUIRE(plan.next_due());
  CHECK(plan.next_due()->feed == second);
  plan.take(second);
  CHECK_FALSE(plan.next_due());
  plan.hold(first, monday + 3h, monday + 5min);
  REQUIRE(plan.next_due());
  CHECK(plan.next_due()->feed == first);
  CHECK(plan.next_due()->at >= monday + 3h);
}

TEST_CASE("a feed removed while its visit is under way stays away", "[schedule]") {
  planner plan{{.start = monday}};
  auto const feed = plan.add({}, monday);
  plan.take(feed);
  plan.remove(feed);
  plan.observe(feed, {}, monday + 1min);
  CHECK_FALSE(plan.next_due());
}

TEST_CASE("many visits taken at once stay within the allowance", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h, .visits_an_hour = 1.0}};
  for (int i = 0; i < 500; ++i) plan.add({}, monday - 30 * 24h, {}, monday - 30 * 24h);
  for (int i = 0; i < 500; ++i) plan.observe(static_cast<feed_id>(i), {}, monday - 24h);
  std::size_t taken = 0;
  for (auto due = plan.next_due(); due && due->at <= monday; due = plan.next_due(), ++taken) plan.take(due->feed);
  // They were all spent on a day ago, far beyond the allowance: none is due before that is made up for.
  CHECK(taken == 0);
}

TEST_CASE("what visits under way will cost is set aside", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h, .visits_an_hour = 1.0}};
  for (int i = 0; i < 500; ++i) plan.add({}, monday, {}, monday - 40h);
  auto const before = plan.next_due()->at;
  for (int i = 0; i < 100; ++i) plan.take(static_cast<feed_id>(i));
  auto const meanwhile = plan.next_due()->at;
  CHECK(before <= monday + 1min);
  CHECK(meanwhile > before);
  for (int i = 0; i < 100; ++i) plan.hold(static_cast<feed_id>(i), monday, monday);
  CHECK(plan.next_due()->at <= monday + 1min);
}

TEST_CASE("a feed that keeps failing is tried ever more rarely, but not given up", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const feed = plan.add({}, monday);
  auto now = monday;
  std::vector<std::chrono::seconds> waits;
  for (int i = 0; i < 12; ++i) {
    plan.failed(feed, now, std::nullopt);
    waits.push_back(plan.due(feed) - now);
    now = plan.due(feed);
  }
  CHECK(waits.back() > 2 * waits.front());
  CHECK(waits.back() <= 43h);
  CHECK(plan.why(feed).find("Never reached") == 0);
  plan.observe(feed, {}, now);
  plan.failed(feed, now + 6h, std::nullopt);
  CHECK(plan.due(feed) - (now + 6h) < 40h);
}

TEST_CASE("a restart keeps Retry-After and what was spent", "[schedule]") {
  planner first{{.start = monday, .average_interval = 6h, .visits_an_hour = 1.0}};
  auto const feed = first.add({}, monday);
  visit_outcome outcome;
  outcome.not_before = monday + 20h;
  for (int i = 0; i < 80; ++i) first.observe(feed, outcome, monday + std::chrono::minutes{i});

  planner second{{.start = monday + 4h, .average_interval = 6h, .visits_an_hour = 1.0}};
  REQUIRE(second.restore_shared(first.shared_state()));
  auto const again = second.add({}, monday + 4h, first.state(feed), monday + 3h);
  CHECK(second.due(again) >= monday + 20h);
  auto const fresh = second.add({}, monday + 4h);
  // Eighty visits at one an hour: the first fifty hours belong to those.
  CHECK(second.next_due()->at > monday + 40h);
  second.remove(fresh);

  CHECK_FALSE(second.restore_shared("rubbish"));
  CHECK_FALSE(second.restore_shared(first.shared_state() + "x"));
  auto cut = first.shared_state();
  cut.resize(cut.size() / 2);
  CHECK_FALSE(second.restore_shared(cut));
}

TEST_CASE("a window that shows as many items as before although some are new is full", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const growing = plan.add({}, monday, {}, monday);
  auto const full = plan.add({}, monday, {}, monday);
  for (int day = 1; day <= 10; ++day) {
    auto const now = monday + day * 24h;
    auto const seen = every(3h, now - 24h, now);
    visit_outcome outcome;
    outcome.postings = seen;
    outcome.shown = 8 * day;
    plan.observe(growing, outcome, now);
    outcome.shown = 10;
    plan.observe(full, outcome, now);
  }
  CHECK(plan.safe_offline_until(growing) - monday > 10 * 24h + 48h);
  CHECK(plan.safe_offline_until(full) - monday < 10 * 24h + 30h);
}

TEST_CASE("a feed whose items carry no dates is visited by how many are new", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 12h}};
  auto const busy = plan.add({}, monday, {}, monday);
  auto const quiet = plan.add({}, monday, {}, monday);
  for (int n = 1; n <= 28; ++n) {
    visit_outcome outcome;
    outcome.undated = 6;
    plan.observe(busy, outcome, monday + n * 12h);
    outcome.undated = n % 14 == 0 ? 1 : 0;
    plan.observe(quiet, outcome, monday + n * 12h);
  }
  auto const now = monday + 28 * 12h;
  CHECK(10 * (plan.due(busy) - now) < 7 * (plan.due(quiet) - now));
}

TEST_CASE("a budget in bytes is never run ahead of, and small feeds are visited more", "[schedule]") {
  constexpr double a_day = 2'000'000.0;
  planner_options options{.start = monday};
  options.unit = budget_unit::bytes;
  options.bytes_a_day = a_day;
  planner plan{options};
  for (int i = 0; i < 16; ++i) plan.add({}, monday, {}, monday);
  std::vector<sys_seconds> last(16, monday);
  std::array<int, 2> visits{};
  double spent = 0.0;
  for (auto due = plan.next_due(); due && due->at < monday + 28 * 24h; due = plan.next_due()) {
    bool const large = due->feed % 2 == 1;
    auto const seen = every(2h, last[due->feed], due->at);
    visit_outcome outcome;
    outcome.postings = seen;
    outcome.bytes = seen.empty() ? 300 : large ? 150'000 : 5'000;
    plan.observe(due->feed, outcome, due->at);
    last[due->feed] = due->at;
    spent += static_cast<double>(outcome.bytes);
    ++visits[large ? 1 : 0];
    double const days = std::chrono::duration<double, std::ratio<86400>>(due->at - monday).count();
    // What a visit costs is known only afterwards: it can be out by one large feed.
    REQUIRE(spent <= a_day * days + 150'000.0);
  }
  CHECK(spent > 0.7 * 28 * a_day);
  CHECK(visits[0] > 2 * visits[1]);
}

TEST_CASE("a link that flaps for a day leaves the plan as it should be", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  for (int i = 0; i < 8; ++i) plan.add({}, monday, {}, monday);
  for (int i = 1; i < 24 * 60; ++i) {
    plan.link_down(monday + std::chrono::minutes{i} - 20s);
    plan.link_up(monday + std::chrono::minutes{i});
  }
  auto const due = plan.next_due();
  REQUIRE(due);
  CHECK(due->at == plan.due(due->feed));
  CHECK(due->at <= monday + 48h);
}

TEST_CASE("the visits of the coming week follow the feed's hours, and nothing is learned by looking", "[schedule]") {
  planner plan{{.start = monday, .average_interval = 6h}};
  auto const feed = plan.add({}, monday);
  auto const in_the_morning = [](feed_id, sys_seconds from, sys_seconds to) {
    std::vector<sys_seconds> times;
    for (auto day = std::chrono::floor<std::chrono::days>(from); day <= to; day += std::chrono::days{1})
      for (auto const at : {day + 8h, day + 9h, day + 10h})
        if (at > from && at <= to) times.push_back(at);
    return times;
  };
  auto const now = monday + 28 * 24h;
  run(plan, now, in_the_morning);
  auto const next = plan.next_due();
  auto const ahead = plan.visits_ahead(feed, now, {.until = now + 7 * 24h});
  REQUIRE(ahead.size() > 7);
  CHECK(ahead.front() == std::max(plan.due(feed), now));
  CHECK(std::is_sorted(ahead.begin(), ahead.end()));
  CHECK(ahead.back() < now + 7 * 24h);
  auto const near_posts = std::count_if(ahead.begin(), ahead.end(), [](sys_seconds at) {
    auto const hour = (at - std::chrono::floor<std::chrono::days>(at)) / 1h;
    return hour >= 8 && hour <= 12;
  });
  CHECK(2 * near_posts > static_cast<std::ptrdiff_t>(ahead.size()));
  CHECK(plan.next_due()->at == next->at);
  CHECK(plan.visits_ahead(feed, now, {.until = now + 7 * 24h}) == ahead);
  for (auto const gap : {24h, 48h}) {
    auto const rare = plan.visits_ahead(feed, now, {.until = now + 7 * 24h, .apart = gap});
    for (std::size_t i = 1; i < rare.size(); ++i) CHECK(rare[i] - rare[i - 1] >= gap);
  }
}
