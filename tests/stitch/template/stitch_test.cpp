#include "stitch/template/stitch.hpp"

#include "stitch/template/heatmap.hpp"
#include "stitch/template/self_check.hpp"
#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

TEST_CASE("a new item appears as the site itself would have shown it", "[stitch]") {
  auto const title_and_date = [](int n) { return plain_record(n).substr(0, plain_record(n).find("<p>")) + "</div>"; };
  auto const o = next_page(title_and_date);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, title_and_date)));
}

TEST_CASE("everything outside the list stays byte for byte", "[stitch]") {
  auto const o = next_page(plain_record);
  auto const before = page_of(11, 5, plain_record);
  auto const head = before.substr(0, before.find("<div class=post>")),
             tail = before.substr(before.rfind("</div><p>About"));
  CHECK(o.page.starts_with(head));
  CHECK(o.page.ends_with(tail));
}

TEST_CASE("records of items that stay keep their bytes", "[stitch]") {
  auto const o = next_page(plain_record);
  for (int n = 11; n > 8; --n) CHECK(o.page.find(plain_record(n)) != std::string::npos);
  CHECK(o.page.find(plain_record(7)) == std::string::npos);
}

TEST_CASE("what was made is labelled", "[stitch]") {
  CHECK(next_page(plain_record).page.find("data-cistern-item=\"/story-12.html\"") != std::string::npos);
}

TEST_CASE("records that are runs of siblings move as a whole", "[stitch]") {
  auto const run = [](int n) { return "<h3>" + link_to(n) + "</h3><p>Read it</p>"; };
  auto const o = next_page(run);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, run)));
}

TEST_CASE("a featured item moves into the list when a newer one takes its place", "[stitch]") {
  auto const page = [](int newest) {
    auto const body = page_of(newest - 1, 4, [](int n) { return "<div class=post><h2>" + link_to(n) + "</h2></div>"; });
    return body.substr(0, body.find("<div id=posts>")) + "<section class=hero><h1>" + link_to(newest) +
           "</h1></section>" + body.substr(body.find("<div id=posts>"));
  };
  auto const o =
      templates::stitch(base, {saved(page(10), feed_of(10, 8)), saved(page(11), feed_of(11, 8))}, feed_of(12, 8));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(12)));
}

TEST_CASE("a new month gets a heading of its own", "[stitch]") {
  auto const month_of = [](int n) {
    using namespace std::chrono;
    return static_cast<unsigned>(year_month_day{sys_days{2021y / January / 1} + days{n}}.month());
  };
  auto const page = [&](int newest) {
    static constexpr char const* names[] = {"", "January", "February", "March"};
    std::string out = "<body><h1>Archive</h1><div id=posts>";
    unsigned month = 0;
    for (int n = newest; n > 20; --n) {
      if (month_of(n) != month)
        out += std::string{month != 0 ? "</ul>" : ""} + "<h2>" + names[month_of(n)] + " 2021</h2><ul>";
      month = month_of(n);
      out += "<li>" + link_to(n) + "</li>";
    }
    return out + "</ul></div></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(57), feed_of(57, 40)), saved(page(58), feed_of(58, 40))}, feed_of(60, 40));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(60)));
}

TEST_CASE("a lone link among look-alikes that the feed does not know is left alone", "[stitch]") {
  std::string const page =
      "<body><ul><li><a href=/about>About</a><li>" + link_to(11) + "<li><a href=/shop>Shop</a></ul></body>";
  auto const o = templates::stitch(base, {saved(page, feed_of(11, 5)), saved(page, feed_of(11, 5))}, feed_of(12, 5));
  CHECK(o.declined);
  CHECK(o.page == page);
}

TEST_CASE("a page that shows none of the items is declined and unchanged", "[stitch]") {
  std::string const page = "<body><p>Nothing here</p></body>";
  auto const o = templates::stitch(base, {saved(page, feed_of(11, 5)), saved(page, feed_of(11, 5))}, feed_of(12, 5));
  CHECK(o.declined);
  CHECK(o.page == page);
}

TEST_CASE("nothing a feed says can run in the page", "[stitch]") {
  auto feeds = feed_of(12, 5);
  feeds[0].items[0].title = "<script>alert(1)</script><img src=x onerror=alert(2)>";
  feeds[0].items[0].content =
      "<p onclick=\"alert(3)\">Opening<script>alert(4)</script><iframe src=\"javascript:alert(5)\"></iframe></p>";
  feeds[0].items[0].author = "\"><script>alert(6)</script>";
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, plain_record), feed_of(10, 5)), saved(page_of(11, 5, plain_record), feed_of(11, 5))},
      feeds);
  auto const d = html::document::parse(o.page).value();
  for (html::node_id n = 0; n < d.size(); ++n) {
    CHECK_FALSE(d.is(n, "script"));
    CHECK_FALSE(d.is(n, "iframe"));
    for (auto const* a = d.attributes_begin(n); a != d.attributes_end(n); ++a) CHECK_FALSE(a->name.starts_with("on"));
  }
}

TEST_CASE("an item whose link is a script is no item", "[stitch]") {
  auto feeds = feed_of(12, 5);
  feeds[0].items[0].link = "javascript:alert(1)";
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, plain_record), feed_of(10, 5)), saved(page_of(11, 5, plain_record), feed_of(11, 5))},
      feeds);
  CHECK(o.page.find("javascript:") == std::string::npos);
}

TEST_CASE("one snapshot is enough, with less confidence than two", "[stitch]") {
  auto const one = templates::stitch(base, {saved(page_of(11, 5, plain_record), feed_of(11, 5))}, feed_of(12, 5));
  auto const two = next_page(plain_record);
  CHECK_FALSE(one.declined);
  CHECK(one.confidence < two.confidence);
}

TEST_CASE("a stitched page that is what was served later scores full", "[stitch]") {
  auto const o = next_page(plain_record);
  auto const served = html::document::parse(page_of(12, 5, plain_record)).value();
  auto feeds = feed_of(12, 8);
  auto const good = templates::self_check(html::document::parse(o.page).value(), served, base, feeds);
  auto const stale =
      templates::self_check(html::document::parse(page_of(11, 5, plain_record)).value(), served, base, feeds);
  CHECK(good.order == 1);
  CHECK(good.right());
  CHECK(stale.score < good.score);
  CHECK_FALSE(stale.right());
}

TEST_CASE("the paper's method fills the novel area by position", "[stitch]") {
  templates::options options;
  options.method = templates::method::novelty;
  auto const record = [](int n) { return "<div class=post><h2>" + link_to(n) + "</h2></div>"; };
  auto const o = templates::stitch(
      base, {saved(page_of(5, 5, record), feed_of(5, 5)), saved(page_of(15, 5, record), feed_of(15, 5))},
      feed_of(25, 5), options);
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find("Story number 25") != std::string::npos);
  CHECK(o.page.find("Story number 15") == std::string::npos);
}

TEST_CASE("titles are cut where the page cuts them", "[stitch]") {
  auto const cut = [](int n) {
    auto const title = "Story number " + std::to_string(n) + (n % 2 == 0 ? " and what became of it in the end" : "");
    return "<div class=post><a href=\"/story-" + std::to_string(n) + ".html\">" +
           (title.size() > 24 ? title.substr(0, 21) + "..." : title) + "</a></div>";
  };
  auto const long_titles = [](int newest) {
    auto feeds = feed_of(newest, 5);
    for (std::size_t i = 0; i < feeds[0].items.size(); ++i)
      if ((newest - static_cast<int>(i)) % 2 == 0) feeds[0].items[i].title += " and what became of it in the end";
    return feeds;
  };
  auto const o = templates::stitch(
      base, {saved(page_of(10, 5, cut), long_titles(10)), saved(page_of(11, 5, cut), long_titles(11))},
      long_titles(12));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page_of(12, 5, cut)));
}

TEST_CASE("the picture names the regions and their fields", "[stitch]") {
  std::vector<snapshot> const snapshots{saved(page_of(10, 5, plain_record), feed_of(10, 5)),
                                        saved(page_of(11, 5, plain_record), feed_of(11, 5))};
  auto const picture = templates::draw_heatmap(base, snapshots, templates::stitch(base, snapshots, feed_of(12, 5)));
  CHECK(picture.find("data-cistern-region=") != std::string::npos);
  CHECK(picture.find("{title}") != std::string::npos);
  CHECK(picture.find("data-cistern-heat=") != std::string::npos);
  CHECK(picture.find("cistern-legend") != std::string::npos);
}

TEST_CASE("hostile pages end in bounded time, and what is declined is unchanged", "[stitch]") {
  std::string page = "<body>";
  SECTION("a hundred thousand unclosed tags around the links") {
    for (int i = 0; i < 100'000; ++i) page += "<div class=c" + std::to_string(i % 7) + ">";
    for (int n = 11; n > 6; --n) page += link_to(n);
  }
  SECTION("fifty thousand links to one item") {
    for (int i = 0; i < 50'000; ++i) page += "<p>" + link_to(11) + "</p>";
  }
  SECTION("links to items in tables that push their content out") {
    for (int i = 0; i < 2'000; ++i) page += "<table>" + link_to(11 - i % 5) + "<tr>";
  }
  auto const o = templates::stitch(base, {saved(page, feed_of(10, 5)), saved(page, feed_of(11, 5))}, feed_of(12, 5));
  if (o.declined) CHECK(o.page == saved(page, {}).page.source());
  CHECK(html::document::parse(o.page).has_value());
}
