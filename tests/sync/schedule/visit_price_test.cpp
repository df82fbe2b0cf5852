#include "sync/schedule/visit_price.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace cistern::sync::schedule;

TEST_CASE("at the first review the price makes feeds ask for what there is", "[schedule]") {
  std::vector<demand> const feeds(100, demand{.value = 0.5});
  visit_price price{10.0, 0.0};
  price.review(0.0, feeds);
  // 100 feeds, 10 visits an hour, less what rhythms save: a visit every 9 hours or so, worth rate * gap^2 / 2.
  double const gap = std::sqrt(2.0 * price.price() / 0.5);
  CHECK(gap == Approx(8.5).epsilon(0.1));
}

TEST_CASE("spending too much raises the price and too little lowers it", "[schedule]") {
  std::vector<demand> const feeds(100, demand{.value = 0.5});
  visit_price lavish{10.0, 0.0};
  visit_price thrifty{10.0, 0.0};
  lavish.review(0.0, feeds);
  thrifty.review(0.0, feeds);
  double const first = lavish.price();
  for (int hour = 0; hour < 24; ++hour) {
    lavish.spend(15.0, hour);
    thrifty.spend(5.0, hour);
  }
  lavish.review(24.0, feeds);
  thrifty.review(24.0, feeds);
  CHECK(lavish.price() > first);
  CHECK(thrifty.price() < first);
}

TEST_CASE("visits wait when much more than the allowance is gone", "[schedule]") {
  visit_price price{10.0, 100.0};
  CHECK(price.affordable_at(1.0) < 100.0);
  price.spend(1000.0, 100.0);
  CHECK(price.affordable_at(1.0) == Approx(100.0 + 1001.0 / 10.0 - 30.0));
}

TEST_CASE("a grant is spent on top of the allowance", "[schedule]") {
  visit_price with{10.0, 0.0};
  visit_price without{10.0, 0.0};
  with.grant(500.0);
  with.spend(500.0, 0.0);
  CHECK(with.affordable_at(1.0) <= without.affordable_at(1.0));
}

TEST_CASE("a week without a rhythm is not overspent because it is the first", "[schedule]") {
  std::vector<demand> const feeds(100, demand{.value = 0.5});
  visit_price price{10.0, 0.0};
  double spent = 0.0;
  for (int hour = 0; hour < hours_a_week; ++hour) {
    if (price.review_due(hour)) price.review(hour, feeds);
    double const asked = 100.0 / std::sqrt(2.0 * price.price() / 0.5);
    price.spend(asked, hour);
    spent += asked;
  }
  CHECK(spent < 10.0 * (hours_a_week + 8));
}

TEST_CASE("what was spent is known after a restart", "[schedule]") {
  std::vector<demand> const feeds(100, demand{.value = 0.5});
  visit_price before{10.0, 0.0};
  before.review(0.0, feeds);
  before.spend(1000.0, 0.0);
  visit_price after{10.0, 50.0};
  REQUIRE(after.restore(before.state()));
  CHECK(after.affordable_at(1.0) == Approx(before.affordable_at(1.0)));
  CHECK(after.price() == before.price());
  CHECK_FALSE(after.restore("rubbish"));
}
