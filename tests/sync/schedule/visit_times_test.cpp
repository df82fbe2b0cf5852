#include "sync/schedule/visit_times.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <random>

using namespace cistern::sync::schedule;

namespace {

/// A day with a morning and an evening peak.
periodic_rate two_peaks() {
  std::array<double, 24> bins{};
  for (int h = 0; h < 24; ++h)
    bins[static_cast<std::size_t>(h)] =
        0.2 + 2.0 * std::exp(-0.2 * (h - 9) * (h - 9)) + std::exp(-0.1 * (h - 19) * (h - 19));
  return {bins, 1.0};
}

}  // namespace

TEST_CASE("the best single visit to a square wave is at the end of its busy half, with a delay of 1/2", "[schedule]") {
  // Sia and Cho: lambda is 1 for one unit of time and 0 for the next.
  std::array<double, 2> const wave{1.0, 0.0};
  periodic_rate const rate{wave, 1.0};
  for (auto const& times : {search_visit_times(rate, 1, 0.01), refine_visit_times(rate, 1, 0.01)}) {
    REQUIRE(times.size() == 1);
    CHECK(times[0] == Approx(1.0).margin(1e-9));
    CHECK(periodic_delay(rate, times) / rate.total() == Approx(0.5));
  }
}

TEST_CASE("at a single best visit the rate is about its mean and falling", "[schedule]") {
  auto const rate = two_peaks();
  auto const times = search_visit_times(rate, 1);
  double const mean = rate.total() / rate.period();
  CHECK(rate.at(times[0] - 0.6) > mean);
  CHECK(rate.at(times[0] + 0.6) < mean);
}

TEST_CASE("between several best visits the rate times the next gap is what the last gap gathered", "[schedule]") {
  auto const rate = two_peaks();
  auto const times = refine_visit_times(rate, 4, 1.0 / 60.0);
  REQUIRE(times.size() == 4);
  for (std::size_t j = 0; j < 4; ++j) {
    double const before = j == 0 ? times.back() - 24.0 : times[j - 1];
    double const after = j == 3 ? times.front() + 24.0 : times[j + 1];
    double const gathered = rate.postings(before, times[j]);
    // The rate jumps at full hours, so the equation holds between the rates on either side.
    double const a = rate.at(times[j] - 0.02) * (after - times[j]);
    double const b = rate.at(times[j] + 0.02) * (after - times[j]);
    CHECK(gathered >= std::min(a, b) - 0.15);
    CHECK(gathered <= std::max(a, b) + 0.15);
  }
}

TEST_CASE("refinement is as good as the exhaustive search", "[schedule]") {
  std::mt19937 random{7};
  std::exponential_distribution<double> bin{1.0};
  for (int round = 0; round < 6; ++round) {
    std::array<double, 24> bins{};
    for (double& b : bins) b = bin(random);
    periodic_rate const rate{bins, 1.0};
    for (std::size_t m : {2, 3, 5}) {
      double const searched = periodic_delay(rate, search_visit_times(rate, m));
      double const refined = periodic_delay(rate, refine_visit_times(rate, m));
      CHECK(refined <= searched * 1.02);
    }
  }
}

TEST_CASE("a flat rate is visited evenly", "[schedule]") {
  std::array<double, 24> bins{};
  bins.fill(1.0);
  periodic_rate const rate{bins, 1.0};
  auto const times = refine_visit_times(rate, 4);
  CHECK(periodic_delay(rate, times) == Approx(4 * 6.0 * 6.0 / 2.0));
}

TEST_CASE("delay and postings are the same whichever period they are taken in", "[schedule]") {
  auto const rate = two_peaks();
  CHECK(rate.postings(3.5, 30.25) == Approx(rate.postings(-20.5, 6.25)));
  CHECK(rate.delay(3.5, 30.25) == Approx(rate.delay(-20.5, 6.25)));
  CHECK(rate.delay(1.0, 9.0) == Approx(rate.delay(1.0, 5.0) + rate.postings(1.0, 5.0) * 4.0 + rate.delay(5.0, 9.0)));
}

TEST_CASE("a feed without postings still gets its visits", "[schedule]") {
  std::array<double, 24> const none{};
  periodic_rate const rate{none, 1.0};
  CHECK(search_visit_times(rate, 3).size() == 3);
  CHECK(refine_visit_times(rate, 3).size() == 3);
  CHECK(refine_visit_times(rate, 0).empty());
}
