#include "sync/schedule/allocation.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace cistern::sync::schedule;

namespace {

// The worked example of Han et al.: four feeds, eight visits.
std::vector<double> const rates{30, 30, 10, 10};
std::vector<std::int64_t> const windows{15, 10, 10, 5};

double missed(std::vector<std::int64_t> const& visits) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rates.size(); ++i)
    sum += expected_missing(rates[i], windows[i], static_cast<double>(visits[i]));
  return sum;
}

}  // namespace

TEST_CASE("min-delay shares are 2.54, 2.54, 1.46, 1.46 in example 2 of Han et al.", "[schedule]") {
  auto const shares = min_delay_shares(rates, {}, 8.0);
  CHECK(shares[0] / std::sqrt(30.0) == Approx(0.463).margin(0.001));  // k
  CHECK(shares[0] == Approx(2.54).margin(0.005));
  CHECK(shares[1] == Approx(2.54).margin(0.005));
  CHECK(shares[2] == Approx(1.46).margin(0.005));
  CHECK(shares[3] == Approx(1.46).margin(0.005));
}

TEST_CASE("min-delay rounds to 3, 3, 1, 1 visits and misses 5", "[schedule]") {
  auto const visits = whole_visits(min_delay_shares(rates, {}, 8.0), 8);
  CHECK(visits == std::vector<std::int64_t>{3, 3, 1, 1});
  CHECK(missed(visits) == 5.0);
}

TEST_CASE("uniform gives 2, 2, 2, 2 visits and misses 10", "[schedule]") {
  auto const visits = whole_visits(uniform_shares(4, 8.0), 8);
  CHECK(visits == std::vector<std::int64_t>{2, 2, 2, 2});
  CHECK(missed(visits) == 10.0);
}

TEST_CASE("min-missing gives 2, 3, 1, 2 visits and misses nothing", "[schedule]") {
  auto const visits = min_missing_visits(rates, windows, 8);
  CHECK(visits == std::vector<std::int64_t>{2, 3, 1, 2});
  CHECK(missed(visits) == 0.0);
}

TEST_CASE("min-missing gives its visits one by one as in table 3", "[schedule]") {
  // PPA starts at 15, 10, 10, 5. The first feed has the largest twice (30 = 15 + 15), then the second three times
  // together with the third once (10 each, more postings left first), then the last twice.
  using row = std::vector<std::int64_t>;
  std::vector<row> const steps{{1, 0, 0, 0}, {2, 0, 0, 0}, {2, 1, 0, 0}, {2, 2, 0, 0},
                               {2, 3, 0, 0}, {2, 3, 1, 0}, {2, 3, 1, 1}, {2, 3, 1, 2}};
  for (std::size_t m = 0; m < steps.size(); ++m)
    CHECK(min_missing_visits(rates, windows, static_cast<std::int64_t>(m) + 1) == steps[m]);
}

TEST_CASE("min-missing starts over when every posting is covered", "[schedule]") {
  auto const twice = min_missing_visits(rates, windows, 16);
  CHECK(twice == std::vector<std::int64_t>{4, 6, 2, 4});
}

TEST_CASE("weights count like rates", "[schedule]") {
  std::vector<double> const same{10, 10};
  std::vector<double> const weights{4, 1};
  auto const shares = min_delay_shares(same, weights, 9.0);
  CHECK(shares[0] == Approx(6.0));
  CHECK(shares[1] == Approx(3.0));
}

TEST_CASE("every policy spends the budget to the visit", "[schedule]") {
  auto const m = GENERATE(1, 7, 100, 1001);
  std::vector<double> const odd{0.0, 0.3, 17.2, 5.5, 120.0};
  std::vector<std::int64_t> const s{10, 1, 15, 3, 25};
  auto const sum = [](std::vector<std::int64_t> const& v) {
    return std::accumulate(v.begin(), v.end(), std::int64_t{0});
  };
  CHECK(sum(whole_visits(uniform_shares(5, m), m)) == m);
  CHECK(sum(whole_visits(min_delay_shares(odd, {}, m), m)) == m);
  CHECK(sum(min_missing_visits(odd, s, m)) == m);
}

TEST_CASE("feeds that never post are visited alike when there are no others", "[schedule]") {
  std::vector<double> const silent{0.0, 0.0};
  std::vector<std::int64_t> const s{10, 10};
  CHECK(whole_visits(min_delay_shares(silent, {}, 4.0), 4) == std::vector<std::int64_t>{2, 2});
  CHECK(min_missing_visits(silent, s, 4) == std::vector<std::int64_t>{2, 2});
}
