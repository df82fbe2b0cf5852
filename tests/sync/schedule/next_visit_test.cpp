#include "sync/schedule/next_visit.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

using namespace cistern::sync::schedule;

namespace {

/// Quarters of an hour at an even rate.
struct even {
  explicit even(double rate) {
    for (std::size_t j = 0; j < postings.size(); ++j) {
      postings[j] = static_cast<float>(rate * 0.25);
      ends[j] = static_cast<float>(0.25 * static_cast<double>(j + 1));
      usable[j] = 1;
    }
  }
  [[nodiscard]] visit_outlook outlook() const { return {postings, ends, usable}; }
  std::array<float, 96> postings{}, ends{};
  std::array<char, 96> usable{};
};

double gap(even const& cells, visit_choice choice) { return static_cast<double>(cells.ends[choice.cell]); }

}  // namespace

TEST_CASE("an even rate is visited every sqrt(2 price / rate) hours", "[schedule]") {
  auto const [rate, price] = GENERATE(table<double, double>({{1.0, 2.0}, {2.0, 4.0}, {0.5, 4.0}}));
  even const cells{rate};
  auto const choice = choose_visit(cells.outlook(), {.price = price, .lost_item = 0.0});
  CHECK(gap(cells, choice) == Approx(std::sqrt(2.0 * price / rate)).margin(0.51));
}

TEST_CASE("a feed that counts four times as much is visited twice as often", "[schedule]") {
  even const cells{0.5};
  auto const once = choose_visit(cells.outlook(), {.price = 4.0, .weight = 1.0, .lost_item = 0.0});
  auto const more = choose_visit(cells.outlook(), {.price = 4.0, .weight = 4.0, .lost_item = 0.0});
  CHECK(gap(cells, once) / gap(cells, more) == Approx(2.0).margin(0.3));
}

TEST_CASE("a visit waits for the end of a busy time and no longer", "[schedule]") {
  even cells{0.01};
  for (std::size_t j = 8; j < 12; ++j) cells.postings[j] = 2.0F;  // from 2 h to 3 h
  auto const choice = choose_visit(cells.outlook(), {.price = 3.0, .lost_item = 0.0});
  CHECK(gap(cells, choice) == Approx(3.0).margin(0.26));
}

TEST_CASE("a small window brings a visit forward", "[schedule]") {
  even const cells{4.0};
  visit_terms terms{.price = 10.0, .lost_item = 50.0, .capacity = 1000.0};
  auto const roomy = choose_visit(cells.outlook(), terms);
  terms.capacity = 8.0;
  auto const tight = choose_visit(cells.outlook(), terms);
  CHECK(gap(cells, tight) < gap(cells, roomy));
  CHECK(tight.expected_lost < 1.0);
}

TEST_CASE("no gap is longer than the longest allowed", "[schedule]") {
  even const cells{0.0001};
  auto const choice = choose_visit(cells.outlook(), {.price = 100.0, .longest_gap = 7.0});
  CHECK(gap(cells, choice) <= 7.0);
}

TEST_CASE("a visit is only made where it can be", "[schedule]") {
  even cells{1.0};
  cells.usable.fill(0);
  for (std::size_t const j : {30U, 60U, 90U}) cells.usable[j] = 1;
  auto const choice = choose_visit(cells.outlook(), {.price = 1.0, .longest_gap = 2.0});
  CHECK(choice.cell == 30);
}

TEST_CASE("expected loss is the excess when it is certain and nothing when it is far", "[schedule]") {
  CHECK(expected_lost(1000.0, 10.0, 0.0) == Approx(990.0).epsilon(0.01));
  CHECK(expected_lost(1.0, 50.0, 0.1) == 0.0);
  CHECK(expected_lost(10.0, 10.0, 0.0) == Approx(std::sqrt(10.0) * 0.3989).epsilon(0.05));
  CHECK(expected_lost(8.0, 10.0, 1.0) > expected_lost(8.0, 10.0, 0.1));
}
