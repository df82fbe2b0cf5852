#include "sync/schedule/score.hpp"

#include <catch2/catch.hpp>

using namespace cistern::sync::schedule;
using namespace std::chrono_literals;

namespace {

sys_seconds at(std::chrono::seconds t) { return sys_seconds{t}; }

plan_window const window{at(0s), at(100h), at(200h)};

}  // namespace

TEST_CASE("a posting's delay runs to the first visit at or after it", "[schedule]") {
  std::vector<feed_history> feeds{{.postings = {at(101h), at(102h), at(103h)}, .capacity = 10}};
  std::vector<std::vector<sys_seconds>> const visits{{at(102h), at(104h)}};
  auto const s = score_visits(feeds, visits, window);
  CHECK(s.postings == 3);
  CHECK(s.mean.count() == Approx((60.0 + 0.0 + 60.0) / 3.0));
  CHECK(s.maximum.count() == Approx(60.0));
  CHECK(s.hits == 2);
  CHECK(s.misses == 0);
}

TEST_CASE("what a window cannot hold between two visits is missing, and still delayed", "[schedule]") {
  std::vector<feed_history> feeds{{.postings = {at(101h), at(102h), at(103h), at(110h)}, .capacity = 2}};
  std::vector<std::vector<sys_seconds>> const visits{{at(104h), at(111h)}};
  auto const s = score_visits(feeds, visits, window);
  CHECK(s.missing == 1);
  CHECK(s.missing_percent() == Approx(25.0));
  CHECK(s.mean.count() == Approx(60.0 * (3 + 2 + 1 + 1) / 4.0));
}

TEST_CASE("a source not visited again is closed by one free visit at the end", "[schedule]") {
  std::vector<feed_history> feeds{{.postings = {at(190h)}, .capacity = 2}};
  std::vector<std::vector<sys_seconds>> const visits{{}};
  auto const s = score_visits(feeds, visits, window);
  CHECK(s.visits == 0);
  CHECK(s.mean.count() == Approx(600.0));
}

TEST_CASE("what was posted before scoring starts was just seen", "[schedule]") {
  std::vector<feed_history> feeds{{.postings = {at(99h), at(100h), at(101h)}, .capacity = 1}};
  std::vector<std::vector<sys_seconds>> const visits{{at(100h), at(102h)}};
  auto const s = score_visits(feeds, visits, window);
  CHECK(s.postings == 2);  // the one at the start counts
  CHECK(s.visits == 1);    // the visit at the start does not
  CHECK(s.missing == 1);
}

TEST_CASE("a visit without news costs a 304 and one with news the feed", "[schedule]") {
  std::vector<feed_history> feeds{{.postings = {at(101h)}, .capacity = 3}};
  std::vector<std::vector<sys_seconds>> const visits{{at(102h), at(103h)}};
  auto const s = score_visits(feeds, visits, window, {.unchanged = 10, .envelope = 100, .an_item = 1000});
  CHECK(s.bytes == 10 + 100 + 3000);
  CHECK(s.misses == 1);
}
