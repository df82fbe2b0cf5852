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

TEST_CASE("a list as long as a feed that was not full is left alone when the feed has a gap before it", "[stitch]") {
  auto const at = [](int before, int newest) {
    return templates::stitch(base,
                             {saved(page_of(before, 3, title_record), feed_of(before, 3)),
                              saved(page_of(11, 4, title_record), feed_of(11, 4))},
                             feed_of(newest, 8));
  };
  auto const o = at(10, 30);  // whether 11 is still below the eight newest nobody knows
  CHECK(o.declined);
  CHECK(says(o, "the feed no longer reaches back to what the page shows"));
  auto const whole = at(5, 30);  // the page has changed altogether before, as its feed did
  REQUIRE_FALSE(whole.declined);
  CHECK(squeezed(without_labels(whole.page)) == squeezed(page_of(30, 8, title_record)));
}

TEST_CASE("no item stands twice because the list that showed it first is left alone", "[stitch]") {
  auto const o = templates::stitch(
      base, {saved(headed_page(10), feed_of(10, 8)), saved(headed_page(11), feed_of(11, 8))}, feed_of(12, 8));
  CHECK(o.declined);
  CHECK(o.page == headed_page(11));
  CHECK(says(o, "items would stand twice that another list should give up"));
}

TEST_CASE("an entry that stays while others come was chosen by hand", "[stitch]") {
  auto const feeds = [](int newest) {
    auto out = feed_of(newest, 10);
    for (int k = 0; k < 10; ++k)
      out[0].items[static_cast<std::size_t>(k)].categories = {(newest - k) % 4 == 0 || newest - k == 22 ? "rare"
                                                                                                        : "often"};
    return out;
  };
  auto const page = [](int newest) {
    return "<body><section><h3>" + link_to(20) + "</h3></section>" + page_of(newest, 5, title_record);
  };
  // 20 is the newest of its category on both pages, and 22 is of the same.
  auto const o = templates::stitch(base, {saved(page(20), feeds(20)), saved(page(21), feeds(21))}, feeds(22));
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find("<section><h3>" + link_to(20)) != std::string::npos);
}

TEST_CASE("nothing vanishes because the list that should take it over is not understood", "[stitch]") {
  // The list below the newest story leaves some out, for a reason that nobody knows.
  auto const page = [](int newest) {
    std::string out =
        "<body><div id=hero><h1>" + link_to(newest) + "</h1><p>" + item(newest).content + "</p></div><ul>";
    for (int n = newest - 1; n > newest - 9; --n)
      if (n % 4 != 2 || n == newest - 1) out += title_record(n);
    return out + "</ul></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(19), feed_of(19, 12)), saved(page(21), feed_of(21, 12))}, feed_of(22, 12));
  bool const kept = o.page.find("Story number 21<") != std::string::npos;
  CHECK(kept);
}

TEST_CASE("nothing vanishes between a list and one entry below it that nobody understands", "[stitch]") {
  // What was far below once and is the next one now may be the next one again, or not.
  auto const page = [](int newest, int below) {
    auto const body = page_of(newest, 10, title_record);
    auto const end = body.find("</div><p>About");
    return body.substr(0, end) + "<section><h3>" + link_to(below) + "</h3><p>Long ago</p></section>" + body.substr(end);
  };
  auto const o = templates::stitch(base, {saved(page(30, 15), feed_of(30, 25)), saved(page(31, 21), feed_of(31, 25))},
                                   feed_of(32, 25));
  CHECK(o.page.find(link_to(22)) != std::string::npos);
  CHECK(says(o, "items would vanish that another list should take over"));
}

TEST_CASE("a rule for one entry that the earlier page contradicts is not believed", "[stitch]") {
  // The third oldest of the feed now, but the second oldest before.
  auto const page = [](int newest, int chosen) {
    return "<body><section><h3>" + link_to(chosen) + "</h3></section>" + page_of(newest, 5, title_record);
  };
  auto const o =
      templates::stitch(base, {saved(page(10, 3), feed_of(10, 9)), saved(page(11, 5), feed_of(11, 9))}, feed_of(12, 9));
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find("<section><h3>" + link_to(5)) != std::string::npos);
  CHECK(says(o, "it does not give what an earlier page shows"));
}

TEST_CASE("a list that lost an entry from its middle keeps its oldest", "[stitch]") {
  auto const page = [](int newest, int without) {
    return page_of(newest, newest, [&](int n) { return n == without ? std::string{} : title_record(n); });
  };
  auto const o = templates::stitch(base, {saved(page(20, 0), feed_of(20, 8)), saved(page(21, 10), feed_of(21, 8))},
                                   feed_of(23, 8));
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find("Story number 1<") != std::string::npos);
  CHECK(o.page.find("Story number 2<") != std::string::npos);
}

TEST_CASE("a page saved twice is one witness", "[stitch]") {
  auto const page = [] { return saved(page_of(11, 5, plain_record), feed_of(11, 8)); };
  auto const once = templates::stitch(base, {page()}, feed_of(12, 8)),
             twice = templates::stitch(base, {page(), page()}, feed_of(12, 8)), moved = next_page(plain_record, 5, 8);
  CHECK(twice.confidence == once.confidence);
  CHECK(twice.page == once.page);
  CHECK(once.confidence < moved.confidence);
}

TEST_CASE("rows that say things of their own are left alone", "[stitch]") {
  auto const page = [](int newest, auto const& says_below) {
    std::string out = "<body><main>";
    for (int n = newest; n > newest - 8; n -= 2)
      out += "<ul>" + title_record(n) + title_record(n - 1) + "<i>" + says_below(n, newest) + "</i></ul>";
    return out + "</main></body>";
  };
  auto const stitched = [&](auto const& says_below) {
    return templates::stitch(base,
                             {saved(page(10, says_below), feed_of(10, 8)), saved(page(11, says_below), feed_of(11, 8))},
                             feed_of(12, 8));
  };
  auto const own = [](int n, int) { return "Read in " + std::to_string(100 + n) + " minutes"; };
  auto const same = [](int, int) { return "Read in no time"; };
  auto const place = [](int n, int newest) { return "Row " + std::to_string((newest - n) / 2 + 1); };
  auto const o = stitched(own);
  CHECK(o.declined);
  CHECK(says(o, "its rows say things of their own"));
  CHECK(squeezed(without_labels(stitched(same).page)) == squeezed(page(12, same)));
  CHECK(squeezed(without_labels(stitched(place).page)) == squeezed(page(12, place)));
}

TEST_CASE("a list that went beyond its feed before is not as long as the feed", "[stitch]") {
  auto const page = [](int newest) { return page_of(newest, 4, title_record); };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 3)), saved(page(11), feed_of(11, 4))}, feed_of(12, 3));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(12)));
}

TEST_CASE("two stories that somebody chose stay although they were the newest once", "[stitch]") {
  auto const page = [](int newest, std::vector<int> const& chosen) {
    std::string out = "<body><div class=chosen>";
    for (int const n : chosen) out += "<h2>" + link_to(n) + "</h2>";
    out += "</div><ul>";
    for (int n = newest; n > newest - 5; --n) out += title_record(n);
    return out + "</ul></body>";
  };
  auto const o = templates::stitch(
      base, {saved(page(10, {7, 3}), feed_of(10, 10)), saved(page(12, {12, 11}), feed_of(12, 10))}, feed_of(14, 10));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(14, {12, 11})));
  auto const one_stayed = templates::stitch(
      base, {saved(page(11, {11, 4}), feed_of(11, 10)), saved(page(12, {12, 11}), feed_of(12, 10))}, feed_of(14, 10));
  REQUIRE_FALSE(one_stayed.declined);
  CHECK(squeezed(without_labels(one_stayed.page)) == squeezed(page(14, {12, 11})));
}

TEST_CASE("a title is left alone whose text would stay below it", "[stitch]") {
  auto const page = [](int newest) {
    std::string text = "Opening of story " + std::to_string(newest);
    for (int w = 0; w < 40; ++w) text += " word" + std::to_string(newest) + "x" + std::to_string(w);
    std::string const note = "<p>Eleven words that the page itself says above every single text.</p>";
    return "<body><div id=c><h2>" + link_to(newest) + "</h2>" + note + "<p>" + text +
           "</p><form><input></form></div></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(20), feed_of(20, 5)), saved(page(21), feed_of(21, 5))}, feed_of(22, 5));
  CHECK((o.declined || o.page.find("word21x20") == std::string::npos));
}
