#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

std::string date_of(int n) {
  using namespace std::chrono;
  year_month_day const date{sys_days{2021y / January / 1} + days{n}};
  return std::to_string(static_cast<unsigned>(date.day())) + "." + std::to_string(static_cast<unsigned>(date.month())) +
         ".2021";
}

std::string words(int n, int count) {
  std::string out = "<p>Opening of <a href=\"https://blog.test/about\">story</a> " + std::to_string(n);
  for (int w = 0; w < count; ++w) out += " word" + std::to_string(n) + "x" + std::to_string(w);
  return out + "</p>";
}

}  // namespace

TEST_CASE("a record of two table rows is made of two rows", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><table><tr><td>News</td></tr></table><table>\n";
    for (int n = newest; n > newest - 5; --n)
      out += "<tr><td>" + date_of(n) + "</td><td>" + link_to(n) + "</td></tr>\n<tr><td>&nbsp;</td><td>" + words(n, 6) +
             "<a href=\"/story-" + std::to_string(n) + ".html\">more</a></td></tr>\n";
    return out + "</table></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 5)), saved(page(11), feed_of(11, 5))}, feed_of(13, 5));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(13)));
}

TEST_CASE("a record of two siblings that look alike is made of both", "[stitch]") {
  auto const record = [](int n) {
    return "<div class=row><div class=title>" + link_to(n) + "</div></div>\n<div class=row><div class=date>" +
           date_of(n) + "</div><div class=text>" + words(n, 6) + "</div></div>";
  };
  auto const o = next_page(record);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, record)));
}

TEST_CASE("posts put straight into the page with a paragraph around them keep its stray end tag", "[stitch]") {
  // The parser closes the paragraph at the first one inside and makes an empty one of the end tag.
  auto const record = [](int n) {
    return "<a href=\"/story-" + std::to_string(n) + ".html\"><h2>Story number " + std::to_string(n) +
           "</h2></a>\n<p>" + date_of(n) + "</p>\n<p>" + item(n).content + "</p>";
  };
  auto const o = next_page(record);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, record)));
}

TEST_CASE("a lone post with nothing around it moves with its date, its text and its link to the rest", "[stitch]") {
  auto const page = [](int newest) {
    auto const more = newest % 2 == 0 ? words(newest + 100, 25) : std::string{};
    return "<body><div id=c><h1>" + link_to(newest) + "</h1>\n<span>" + date_of(newest) + "</span> &raquo;\n" +
           words(newest, 30) + more + "<br>\n<a href=\"/story-" + std::to_string(newest) +
           ".html\">Read on</a><br>\n<h2>About</h2><p>This is the page of somebody who writes.</p></div></body>";
  };
  auto const feeds = [](int newest) {
    auto out = feed_of(newest, 5);
    for (int k = 0; k < 5; ++k)
      out[0].items[static_cast<std::size_t>(k)].content =
          words(newest - k, 30) + ((newest - k) % 2 == 0 ? words(newest - k + 100, 25) : "");
    return out;
  };
  for (int const newest : {12, 13}) {
    auto const o = templates::stitch(
        base, {saved(page(newest - 2), feeds(newest - 2)), saved(page(newest - 1), feeds(newest - 1))}, feeds(newest));
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(page(newest)));
  }
}

TEST_CASE("the last of posts with nothing around them goes with all of its text", "[stitch]") {
  auto const told = [](int n) {
    auto const code = "<pre>code" + std::to_string(n) + "</pre>";
    return words(n, 12) + (n % 3 == 1 ? code : "") +
           (n % 3 == 2 ? "<ul><li>one" + std::to_string(n) + "</li></ul>" : "");
  };
  auto const page = [&](int newest) {
    std::string out = "<body><div id=c>";
    for (int n = newest; n > newest - 4; --n) out += "<h2>" + link_to(n) + "</h2>" + told(n);
    return out + "</div><p>About this site</p></body>";
  };
  auto const feeds = [&](int newest) {
    auto out = feed_of(newest, 6);
    for (int k = 0; k < 6; ++k) out[0].items[static_cast<std::size_t>(k)].content = told(newest - k);
    return out;
  };
  for (int const newest : {12, 13, 14}) {
    auto const o = templates::stitch(
        base, {saved(page(newest - 2), feeds(newest - 2)), saved(page(newest - 1), feeds(newest - 1))}, feeds(newest));
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(page(newest)));
  }
}
