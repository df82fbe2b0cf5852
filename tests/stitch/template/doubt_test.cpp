#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace cistern::tests::site;

namespace {

std::string title_record(int n) { return "<li>" + link_to(n) + "</li>"; }

bool says(outcome const& o, std::string const& reason) {
  return std::any_of(o.regions.begin(), o.regions.end(), [&](templates::region_report const& r) {
    return std::find(r.reasons.begin(), r.reasons.end(), reason) != r.reasons.end();
  });
}

// A post that fills the head of the page, in words that no feed has, and the titles of those before it.
std::string headed_page(int newest) {
  std::string out = "<body><div id=hero><h1>" + link_to(newest) + "</h1><p>";
  for (int w = 0; w < 40; ++w) out += " Story number hero" + std::to_string(newest) + "x" + std::to_string(w);
  out += "</p></div><ul>";
  for (int n = newest - 1; n > newest - 6; --n) out += title_record(n);
  return out + "</ul></body>";
}

}  // namespace

TEST_CASE("a list in groups stays one list when the feed drops its oldest items", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><div>";
    for (int year = 2022; year >= 2021; --year) {
      std::string rows;
      for (int n = newest; n > 362; --n)
        if ((n >= 365) == (year == 2022)) rows += title_record(n);
      if (!rows.empty()) out += "<h3>" + std::to_string(year) + "</h3><ul>" + rows + "</ul>";
    }
    return out + "</div></body>";
  };
  // Day 365 is the first of 2022: at 374 the feed of ten has nothing of the older year any more.
  auto const o = templates::stitch(base, {saved(page(372), feed_of(372, 10)), saved(page(374), feed_of(374, 10))},
                                   feed_of(376, 10));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(376)));
}

TEST_CASE("a list that has outgrown what looked like its limit goes on growing", "[stitch]") {
  // Item 1 is in the first feed but not on the page, so the list of three looks as if it had been cut.
  auto const page = [](int newest) {
    std::string out = "<body><ul>";
    for (int n = newest; n > 1; --n) out += title_record(n);
    return out + "</ul></body>";
  };
  auto const o = templates::stitch(base, {saved(page(4), feed_of(4, 4)), saved(page(5), feed_of(5, 4))}, feed_of(6, 4));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(6)));
}

TEST_CASE("a list that keeps its old entries is left alone when the feed has a gap before them", "[stitch]") {
  auto const page = [](int newest) { return page_of(newest, newest, title_record); };
  auto const at = [&](int newest) {
    return templates::stitch(base, {saved(page(10), feed_of(10, 5)), saved(page(11), feed_of(11, 5))},
                             feed_of(newest, 5));
  };
  CHECK_FALSE(at(15).declined);
  auto const o = at(20);  // 12 to 15 were in no feed that we saw
  CHECK(o.declined);
  CHECK(o.page == page(11));
  CHECK(says(o, "the feed no longer reaches back to what the page shows"));
}

TEST_CASE("a list that shows only the newest is filled across a gap in the feed", "[stitch]") {
  auto const page = [](int newest) { return page_of(newest, 5, title_record); };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 5)), saved(page(11), feed_of(11, 5))}, feed_of(20, 5));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(20)));
}

TEST_CASE("no item stands twice because the list that showed it first is left alone", "[stitch]") {
  auto const o = templates::stitch(
      base, {saved(headed_page(10), feed_of(10, 8)), saved(headed_page(11), feed_of(11, 8))}, feed_of(12, 8));
  CHECK(o.declined);
  CHECK(o.page == headed_page(11));
  CHECK(says(o, "items would stand twice that another list should give up"));
}
