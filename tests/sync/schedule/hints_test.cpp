#include "sync/schedule/hints.hpp"

#include <catch2/catch.hpp>

using namespace cistern::sync::schedule;
using namespace std::chrono_literals;

namespace {

constexpr auto monday = std::chrono::sys_days{std::chrono::year{2024} / 1 / 1};

sys_seconds on(int day, std::chrono::seconds into) { return sys_seconds{monday} + day * 24h + into; }

interval_rule rule(int start_hour, int end_hour, int start_day, int end_day, std::chrono::minutes interval) {
  interval_rule r;
  r.start_hour = start_hour;
  r.end_hour = end_hour;
  r.start_day = start_day;
  r.end_day = end_day;
  r.interval = interval;
  return r;
}

// A newspaper: every half hour in working hours, every two hours otherwise, every six at weekends.
std::vector<interval_rule> const newspaper{rule(8, 18, 0, 4, 30min), rule(18, 8, 0, 4, 120min),
                                           rule(0, 24, 5, 6, 360min)};

}  // namespace

TEST_CASE("inside one rule the next update is one interval away", "[schedule]") {
  CHECK(next_update(newspaper, on(0, 10h)) == on(0, 10h + 30min));
  CHECK(next_update(newspaper, on(5, 3h)) == on(5, 9h));
}

TEST_CASE("a shorter interval that begins on the way pulls the next update forward", "[schedule]") {
  // At 07:30 the night's rule says 09:30, but from 08:00 the day's rule says 08:30.
  CHECK(next_update(newspaper, on(1, 7h + 30min)) == on(1, 8h + 30min));
  // Sunday 20:00 plus six hours is Monday 02:00; from Monday 00:00 the night's rule says 02:00 as well.
  CHECK(next_update(newspaper, on(6, 20h)) == on(7, 2h));
  CHECK(next_update(newspaper, on(6, 21h)) == on(7, 2h));
}

TEST_CASE("a longer interval that begins on the way changes nothing", "[schedule]") {
  CHECK(next_update(newspaper, on(0, 17h + 50min)) == on(0, 18h + 20min));
}

TEST_CASE("jitter moves an update by at most half its interval and never into the past", "[schedule]") {
  CHECK(next_update(newspaper, on(0, 10h), 0.5) == on(0, 10h + 45min));
  CHECK(next_update(newspaper, on(0, 10h), -0.5) == on(0, 10h + 15min));
  CHECK(next_update(newspaper, on(0, 10h), -7.0) == on(0, 10h + 15min));
}

TEST_CASE("where no rule is in force the walk goes on to the next one", "[schedule]") {
  std::vector<interval_rule> const office{rule(9, 17, 0, 4, 60min)};
  CHECK(next_update(office, on(4, 18h)) == on(7, 10h));
  CHECK(!next_update(std::vector<interval_rule>{}, on(0, 0h)));
}

TEST_CASE("rubbish in a feed's hints is left out", "[schedule]") {
  cistern::stitch::feed::feed feed;
  feed.ttl_minutes = -5;
  feed.skip_hours = {24, 3, 99, -1};
  feed.skip_days = {"Saturday", "SUNDAY", "Someday"};
  feed.update_period = "hourly";
  feed.update_frequency = 2;
  feed.intervals = {rule(0, 24, 0, 6, 0min), rule(0, 99, 0, 6, 30min), rule(8, 18, 0, 4, 30min)};
  auto const hints = hints_of(feed);
  CHECK(!hints.ttl);
  CHECK(hints.skip_hours.count() == 2);
  CHECK(hints.skip_hours.test(0));
  CHECK(hints.skip_days.count() == 2);
  CHECK(hints.period == 30min);
  CHECK(hints.rules.size() == 1);
}

TEST_CASE("a feed that skips every hour is not believed", "[schedule]") {
  cistern::stitch::feed::feed feed;
  for (int h = 0; h < 24; ++h) feed.skip_hours.push_back(h);
  CHECK(hints_of(feed).skip_hours.none());
}

TEST_CASE("ttl and skipped hours hold a visit back, but not for more than a day", "[schedule]") {
  publisher_hints hints;
  hints.ttl = 90min;
  CHECK(earliest_by_hints(hints, on(0, 10h)) == on(0, 11h + 30min));
  hints.skip_hours.set(11);
  CHECK(earliest_by_hints(hints, on(0, 10h)) == on(0, 12h));
  hints.ttl = std::chrono::minutes{5 * 24 * 60};
  CHECK(earliest_by_hints(hints, on(0, 10h)) == on(1, 10h));
}

TEST_CASE("rules are learned from a history of working days and weekends", "[schedule]") {
  std::vector<sys_seconds> postings;
  for (int day = 0; day < 28; ++day)
    for (int hour = 0; hour < 24; ++hour) {
      bool const weekend = day % 7 >= 5;
      if (!weekend && hour >= 8 && hour < 18) {
        postings.push_back(on(day, hour * 1h));
        postings.push_back(on(day, hour * 1h + 30min));
      }
    }
  auto const rules = estimate_rules(postings, on(0, 0h), on(28, 0h));
  CHECK(interval_at(rules, on(1, 12h)) == 30min);
  CHECK(interval_at(rules, on(1, 3h)) == 1440min);
  CHECK(interval_at(rules, on(5, 12h)) == 1440min);
  CHECK(next_update(rules, on(1, 12h)) == on(1, 12h + 30min));
  // The night before: a day's patience, until the day's rule begins on the way.
  CHECK(next_update(rules, on(1, 7h + 30min)) == on(1, 8h + 30min));
}

TEST_CASE("nothing is learned from no time at all", "[schedule]") {
  CHECK(estimate_rules({}, on(0, 0h), on(0, 0h)).empty());
}
