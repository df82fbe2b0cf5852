#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace cistern::tests::site;

namespace {

outcome stitched(std::function<std::string(int)> const& page, int from, int to, int in_feed) {
  return templates::stitch(
      base, {saved(page(from), feed_of(from, in_feed)), saved(page(from + 1), feed_of(from + 1, in_feed))},
      feed_of(to, in_feed));
}

std::size_t count(std::string const& in, std::string const& what) {
  std::size_t out = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++out;
  return out;
}

}  // namespace

TEST_CASE("a new month goes under its year, and the older years stay where they were", "[stitch]") {
  auto const page = [](int newest) {
    using namespace std::chrono;
    static constexpr char const* months[] = {"January", "February", "March",     "April",   "May",      "June",
                                             "July",    "August",   "September", "October", "November", "December"};
    std::string out = "<body><h1>Blog</h1><div>";
    int year = 0;
    unsigned month = 0;
    for (int n = newest; n > 330; n -= 1) {
      year_month_day const date{sys_days{2021y / January / 1} + days{n}};
      if (static_cast<unsigned>(date.month()) != month && month != 0) out += "</ul>";
      if (static_cast<int>(date.year()) != year) {
        year = static_cast<int>(date.year());
        out += "<h2>" + std::to_string(year) + "</h2>";
      }
      if (static_cast<unsigned>(date.month()) != month) {
        month = static_cast<unsigned>(date.month());
        out += std::string{"<h3>"} + months[month - 1] + "</h3><ul>";
      }
      out += "<li>" + link_to(n) + "</li>";
    }
    return out + "</ul></div></body>";
  };
  auto const o = stitched(page, 393, 396, 80);  // 397 days after the first of January 2021 it is February 2022
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(396)));
}

TEST_CASE("each section of a planet takes the items of its own site", "[stitch]") {
  auto const host = [](int n) { return std::string{n % 2 == 0 ? "https://even.test" : "https://odd.test"}; };
  auto const feeds = [&](int newest) {
    auto out = feed_of(newest, 8);
    for (int k = 0; k < 8; ++k)
      out[0].items[static_cast<std::size_t>(k)].link = host(newest - k) + "/story-" + std::to_string(newest - k);
    return out;
  };
  auto const page = [&](int newest) {
    std::string out = "<body><ul>";
    for (int odd : {0, 1}) {
      out += "<li><b>" + std::string{odd ? "Odd" : "Even"} + "</b><ul>";
      for (int n = newest; n > newest - 8; --n)
        if (n % 2 == odd)
          out += "<li><a href=\"" + host(n) + "/story-" + std::to_string(n) + "\">Story number " + std::to_string(n) +
                 "</a></li>";
      out += "</ul></li>";
    }
    return out + "</ul></body>";
  };
  auto const o = templates::stitch(base, {saved(page(20), feeds(20)), saved(page(22), feeds(22))}, feeds(24));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(24)));
}

TEST_CASE("a list of recent titles beside the posts stays at five", "[stitch]") {
  auto const page = [](int newest) {
    auto out = page_of(newest, newest, plain_record);
    std::string recent = "<ul>";
    for (int n = newest; n > std::max(0, newest - 5); --n) recent += "<li>" + link_to(n) + "</li>";
    return out.insert(out.find("<p>About"), recent + "</ul>");
  };
  auto const o = templates::stitch(base, {saved(page(4), feed_of(4, 4)), saved(page(5), feed_of(5, 5))}, feed_of(6, 6));
  REQUIRE_FALSE(o.declined);
  CHECK(count(o.page, "<li") == 5);
  CHECK(count(o.page, "class=post") == 6);
}

TEST_CASE("a rule that did not foretell the second page is not used on the third", "[stitch]") {
  // Five entries, then two, of a feed that has ten: nobody knows how many there will be.
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, plain_record), feed_of(10, 10)), saved(page_of(13, 9, plain_record), feed_of(11, 3))},
      feed_of(14, 10));
  CHECK(o.declined);
  CHECK(o.page == page_of(13, 9, plain_record));
}

TEST_CASE("an item that was corrected is shown as it reads now", "[stitch]") {
  auto const title_only = [](int n) { return "<div class=post><h2>" + link_to(n) + "</h2></div>"; };
  auto feeds = feed_of(12, 5);
  feeds[0].items[2].title = "Story number ten, corrected";
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, title_only), feed_of(10, 5)), saved(page_of(11, 5, title_only), feed_of(11, 5))},
      feeds);
  REQUIRE_FALSE(o.declined);
  CHECK(count(o.page, ">Story number ten, corrected</a>") == 1);
  CHECK(count(o.page, ">Story number 10</a>") == 0);
}

TEST_CASE("an item that the page words differently keeps its bytes when the feed corrects it", "[stitch]") {
  auto const record = [](int n) {
    auto const link = n == 10 ? "<a href=\"/story-10.html\">Our story number 10 of the week</a>" : link_to(n);
    return "<div class=post><h2>" + link + "</h2></div>";
  };
  auto feeds = feed_of(12, 5);
  feeds[0].items[2].title = "Story number ten, corrected";
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, record), feed_of(10, 5)), saved(page_of(11, 5, record), feed_of(11, 5))}, feeds);
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find(record(10)) != std::string::npos);
}

TEST_CASE("a page that shows the first paragraph shows it wherever it stands", "[stitch]") {
  auto const feeds = [](int newest) {
    auto out = feed_of(newest, 6);
    for (auto& i : out[0].items) {
      auto const n = i.title.substr(i.title.rfind(' ') + 1);
      std::string const lead = n == "9" || n == "12" ? "<h2>Lesson</h2><ul><li>" : "";
      i.content = lead + "<p>Opening words of story " + n + " are these</p>" + (lead.empty() ? "" : "</li></ul>") +
                  "<p>And more follows</p>";
    }
    return out;
  };
  auto const record = [](int n) {
    return "<div class=post><h2>" + link_to(n) + "</h2><p>Opening words of story " + std::to_string(n) +
           " are these</p></div>";
  };
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, record), feeds(10)), saved(page_of(11, 5, record), feeds(11))}, feeds(12));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, record)));
}
