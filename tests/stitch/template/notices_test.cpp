#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

// A list with something else below its second story.
std::string page_with(std::string const& notice, int newest, int count, record_text const& record) {
  std::string out = "<body><h1>Blog</h1><ul>\n";
  for (int n = newest; n > newest - count; --n) {
    out += record(n) + "\n";
    if (n == newest - 1) out += notice + "\n";
  }
  return out + "</ul><p>About this site</p></body>";
}

std::string listed(int n) { return "<li>" + link_to(n) + " <i>new</i></li>"; }

void check_stays(std::string const& notice, record_text const& record) {
  auto const page = [&](int newest) { return page_with(notice, newest, 5, record); };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 5)), saved(page(11), feed_of(11, 5))}, feed_of(13, 5));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(13)));
}

}  // namespace

TEST_CASE("a notice that looks like a record keeps its place between them", "[stitch]") {
  check_stays("<li><a href=\"https://shop.test/mugs\">Buy our mugs</a> <i>cheap</i></li>", listed);
}

TEST_CASE("a notice that looks like no record keeps its place between them", "[stitch]") {
  check_stays("<div class=promo>Buy our mugs <b>only this week</b></div>", plain_record);
}

TEST_CASE("a line below one record that is its own goes with it", "[stitch]") {
  auto const record = [](int n) {
    return plain_record(n) + (n == 10 ? "\n<div class=note>With a line of its own</div>" : "");
  };
  auto const o = next_page(record);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, record)));
}

TEST_CASE("a notice between the only two records is not repeated between new ones", "[stitch]") {
  auto const page = [](int newest, int count) {
    return page_of(newest, count, [&](int n) {
      return plain_record(n) + (n == newest ? "\n<div class=promo>Buy our mugs</div>" : "");
    });
  };
  auto const o =
      templates::stitch(base, {saved(page(10, 2), feed_of(10, 2)), saved(page(11, 2), feed_of(11, 2))}, feed_of(13, 4));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(13, 4)));
}

TEST_CASE("a remark within the stories of a month stays there", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><h1>Blog</h1><main>\n";
    for (int n = newest; n > 20; --n) {
      if (n == newest || n == 30)
        out += std::string{n > 30 ? "<h2>February" : "</ul><h2>January"} + " 2021</h2>\n<ul>\n";
      out += listed(n) + "\n";
      if (n == 27) out += "<!-- half of it -->\n";
    }
    return out + "</ul></main><p>About this site</p></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(33), feed_of(33, 13)), saved(page(34), feed_of(34, 14))}, feed_of(35, 15));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(35)));
}

TEST_CASE("a link that stands several times below the records stays there", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><h1>Blog</h1><ul>\n";
    for (int n = newest; n > newest - 5; --n) out += listed(n) + "\n";
    for (int i = 0; i < 4; ++i) out += "<li><a href=\"/archive.html\">All of them</a> <i>old</i></li>\n";
    return out + "</ul><p>About this site</p></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 5)), saved(page(11), feed_of(11, 5))}, feed_of(13, 5));
  CHECK((o.declined || squeezed(without_labels(o.page)) == squeezed(page(13))));
}
