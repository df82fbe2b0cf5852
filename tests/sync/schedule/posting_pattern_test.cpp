#include "sync/schedule/posting_pattern.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace cistern::sync::schedule;

namespace {

/// Learns `weeks` weeks of a feed that posts at these hours of every day, visited twice a day.
posting_pattern taught(std::vector<double> const& daily, int weeks, shared_rhythm const& shared = {}) {
  posting_pattern pattern{0.0};
  for (int half = 0; half < weeks * 14; ++half) {
    double const from = half * 12.0;
    std::vector<double> seen;
    for (double const hour : daily)
      if (double const t = std::floor(from / 24.0) * 24.0 + hour; t >= from && t < from + 12.0) seen.push_back(t);
    pattern.learn(seen, from, from + 12.0, shared);
  }
  return pattern;
}

double expected(posting_pattern const& pattern, double from, double to) {
  std::array<float, 1> cell{};
  pattern.expect(from, to, 1.0, cell);
  return static_cast<double>(cell[0]);
}

}  // namespace

TEST_CASE("a feed nobody has seen is expected to post a little, at any hour", "[schedule]") {
  posting_pattern const pattern{0.0};
  CHECK(expected(pattern, 0.0, 24.0) == Approx(24.0 * tuning::first_rate).epsilon(0.01));
}

TEST_CASE("the rate is what was seen", "[schedule]") {
  auto const pattern = taught({3.2, 9.4, 15.1, 21.7}, 4);
  CHECK(pattern.rate() * 24.0 == Approx(4.0).epsilon(0.1));
}

TEST_CASE("the hours at which a feed posts are learned", "[schedule]") {
  auto const pattern = taught({9.3, 9.6, 10.2}, 4);
  double const now = 4 * 168.0;
  CHECK(expected(pattern, now + 9.0, now + 11.0) > 3.0 * expected(pattern, now + 14.0, now + 16.0));
}

TEST_CASE("a feed that falls silent is expected to stay so", "[schedule]") {
  auto pattern = taught({3.2, 9.4, 15.1, 21.7}, 4);
  double const before = pattern.rate();
  for (int day = 0; day < 14; ++day) pattern.learn({}, 672.0 + day * 24.0, 672.0 + (day + 1) * 24.0, {});
  CHECK(pattern.rate() < 0.5 * before);
}

TEST_CASE("a burst raises what is expected in the next hours and not of next week", "[schedule]") {
  auto const usual = taught({3.2, 9.4, 15.1, 21.7}, 4);
  auto burst = usual;
  auto calm = usual;
  std::vector<double> const many{672.2, 672.5, 673.1, 673.4, 673.6, 673.8};
  burst.learn(many, 672.0, 674.0, {});
  calm.learn({}, 672.0, 674.0, {});
  double const soon = expected(burst, 674.0, 676.0) / expected(calm, 674.0, 676.0);
  double const later = expected(burst, 674.0 + 168.0, 676.0 + 168.0) / expected(calm, 674.0 + 168.0, 676.0 + 168.0);
  CHECK(soon > 1.5);
  CHECK(later < soon);
  CHECK(later < 1.5);
}

TEST_CASE("hours nobody watched are not counted as silent", "[schedule]") {
  // Forty postings a day of which a visit every twelve hours shows the newest five: the rate is still forty a day.
  posting_pattern pattern{0.0};
  for (int half = 1; half <= 56; ++half) {
    double const now = half * 12.0;
    std::vector<double> shown;
    for (int k = 4; k >= 0; --k) shown.push_back(now - 0.6 * (k + 0.5));
    pattern.learn(shown, shown.front(), now, {});
  }
  CHECK(pattern.rate() * 24.0 == Approx(44.0).epsilon(0.25));
}

TEST_CASE("a feed with little history leans on what all feeds do", "[schedule]") {
  shared_rhythm shared;
  for (int feed = 0; feed < 50; ++feed) {
    std::vector<double> seen;
    for (int day = 0; day < 14; ++day) seen.push_back(day * 24.0 + 12.5);
    shared.learn(seen, 1.0 / 24.0, 14 * 24.0 + feed * 0.1);
  }
  shared.learn({}, 0.1, 15 * 24.0 + 20.0);
  posting_pattern pattern{360.0};
  pattern.learn({}, 360.0, 361.0, shared);
  CHECK(pattern.week(12) > 2.0F * pattern.week(3));
}

TEST_CASE("what was learned survives being kept as bytes", "[schedule]") {
  auto const pattern = taught({9.3, 9.6, 10.2}, 3);
  posting_pattern again{0.0};
  REQUIRE(again.restore(pattern.state(), shared_rhythm{}));
  CHECK(again.rate() == pattern.rate());
  CHECK(expected(again, 600.0, 610.0) == Approx(expected(pattern, 600.0, 610.0)).epsilon(1e-5));
  CHECK(again.state() == pattern.state());
}

TEST_CASE("bytes that are not ours are refused and change nothing", "[schedule]") {
  auto pattern = taught({9.3}, 3);
  auto const before = pattern.state();
  auto damaged = before;
  CHECK_FALSE(pattern.restore("", {}));
  CHECK_FALSE(pattern.restore(before.substr(0, before.size() - 1), {}));
  CHECK_FALSE(pattern.restore(before + "x", {}));
  damaged[0] = '\x7f';
  CHECK_FALSE(pattern.restore(damaged, {}));
  CHECK_FALSE(pattern.restore(std::string(before.size(), '\xff').replace(0, 1, 1, before[0]), {}));
  CHECK(pattern.state() == before);
}
