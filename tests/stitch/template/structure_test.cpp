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

TEST_CASE("links that turn the page are no entries of the list", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><div id=posts>";
    for (int n = newest; n > newest - 5; --n) out += "<div class=post>" + link_to(n) + "</div>";
    return out + "<div class=pager><a href=/page/2>Older</a></div></div></body>";
  };
  auto const o = stitched(page, 20, 22, 12);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("a record's lower half is no record although it has such a link", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><div id=posts>";
    for (int n = newest; n > newest - 5; --n)
      out += "<div class=row>" + link_to(n) + "</div><div class=row>in <a href=/c/all>everything</a></div>";
    return out + "</div></body>";
  };
  auto const o = stitched(page, 20, 22, 12);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("a link that stays at the end of a list is none of its entries", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><ul>";
    for (int n = newest; n > newest - 5; --n) out += "<li>" + link_to(n) + "</li>";
    return out + "<li><a href=/all>all stories</a></li></ul></body>";
  };
  auto const o = stitched(page, 20, 22, 12);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("a planet's new entries go to their day and to the row of their author", "[stitch]") {
  auto const author = [](int n) { return std::string{n % 5 < 3 ? "Ann Lee" : "Tom Ode"}; };
  auto const day = [](int n) { return n / 3; };  // three entries a day
  auto const feeds = [&](int newest) {
    auto out = feed_of(newest, 12);
    for (int k = 0; k < 12; ++k) {
      auto& i = out[0].items[static_cast<std::size_t>(k)];
      i.author = author(newest - k);
      i.published = std::chrono::sys_days{std::chrono::year{2021} / 3 / 1} + std::chrono::days{day(newest - k)} +
                    std::chrono::hours{6 + (newest - k) % 3};
    }
    return out;
  };
  auto const page = [&](int newest) {
    std::string out = "<body>";
    for (int n = newest; n > newest - 12; --n) {
      bool const new_day = n == newest || day(n) != day(n + 1), new_row = new_day || author(n) != author(n + 1);
      if (new_row && n != newest) out += "</div>";
      if (new_day && n != newest) out += "</div>";
      if (new_day) out += "<div class=day><h2>March " + std::to_string(day(n) + 1) + ", 2021</h2>";
      if (new_row)
        out += "<div class=row><h3><a href=\"http://" + author(n).substr(0, 3) + ".test/\">" + author(n) + "</a></h3>";
      out += "<div class=entry><h4>" + link_to(n) + "</h4></div>";
    }
    return out + "</div></div></body>";
  };
  for (int const next : {22, 23, 25}) {
    auto const o = templates::stitch(base, {saved(page(20), feeds(20)), saved(page(21), feeds(21))}, feeds(next));
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(page(next)));
  }
}

TEST_CASE("a record alone in its month takes its text along", "[stitch]") {
  auto const page = [](int newest) {
    using namespace std::chrono;
    static constexpr char const* months[] = {"January", "February", "March"};
    std::string out = "<body><main>";
    unsigned open = 13;
    for (int n = newest; n > 20; --n) {
      year_month_day const date{sys_days{2021y / January / 1} + days{n}};
      auto const month = static_cast<unsigned>(date.month());
      if (month != open) out += std::string{open == 13 ? "" : "</dl>"} + "<h3>" + months[month - 1] + " 2021</h3><dl>";
      open = month;
      out += "<dt>" + link_to(n) + "</dt><dd>" + item(n).content + "</dd>";
    }
    return out + "</dl></main></body>";
  };
  auto const o =
      stitched(page, 30, 59, 40);  // the last page saved has one record of February; the next has one of March
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(59)));
}

TEST_CASE("a first post shown whole is told by the link that the others have", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><div id=posts>";
    for (int n = newest; n > newest - 6; --n) {
      auto const whole = item(n).content;
      out += "<article><h2>" + link_to(n) + "</h2>";
      out += n == newest ? "<div>" + whole + "</div>"
                         : "<div>" + whole.substr(0, whole.find("<p>Second")) + "</div><a href=\"/story-" +
                               std::to_string(n) + ".html\">Read more</a>";
      out += "</article>\n";
    }
    return out + "</div></body>";
  };
  auto const o = stitched(page, 20, 22, 12);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("sections under the names of their categories are sections although they follow the feed's order",
          "[stitch]") {
  // Three sections of at most three; on the first page the categories happen to come one after the other.
  static constexpr char const* names[] = {"Gardens", "Kitchens", "Workshops"};
  using numbers = std::vector<std::pair<int, int>>;  // story, category
  auto const feeds = [](numbers const& shown) {
    feed::feed f;
    for (auto const& [n, c] : shown) {
      f.items.push_back(item(n));
      f.items.back().categories = {names[c]};
    }
    return std::vector{f};
  };
  auto const page = [](numbers const& shown) {
    std::string out = "<body>";
    for (int section = 0; section < 3; ++section) {
      out += "<section><h2>" + std::string{names[section]} + "</h2><div>";
      int room = 3;
      for (auto const& [n, c] : shown)
        if (c == section && room-- > 0) out += "<article><h3>" + link_to(n) + "</h3></article>";
      out += "</div></section>";
    }
    return out + "</body>";
  };
  numbers const before{{20, 0}, {19, 0}, {18, 0}, {17, 0}, {16, 1}, {15, 1}, {14, 1}, {13, 1}, {12, 2}, {11, 2}};
  auto now = before, then = before;
  now.insert(now.begin(), {21, 2});
  then = now;
  then.insert(then.begin(), {{24, 1}, {23, 2}, {22, 0}});
  auto const o =
      templates::stitch(base, {saved(page(before), feeds(before)), saved(page(now), feeds(now))}, feeds(then));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(then)));
}

TEST_CASE("sections stay apart although an item of one belongs to the other too", "[stitch]") {
  auto const is_in = [](std::string const& name, int n) {
    return name == "Elm" ? n % 8 == 0 : n % 8 != 0 || n % 16 == 0;
  };
  auto const feeds = [&](int newest) {
    auto out = feed_of(newest, 24);
    for (int k = 0; k < 24; ++k)
      for (std::string const name : {"Oak", "Elm"})
        if (is_in(name, newest - k)) out[0].items[static_cast<std::size_t>(k)].categories.push_back(name);
    return out;
  };
  auto const page = [&](int newest) {
    std::string out = "<body><div>";
    for (std::string const name : {"Oak", "Elm"}) {
      out += "<div><h4>" + name + "</h4><ul>";
      for (int n = newest, left = name == "Elm" ? 2 : 4; left > 0; --n)
        if (is_in(name, n)) out += "<li>" + link_to(n) + "</li>", --left;
      out += "</ul></div>";
    }
    return out + "</div></body>";
  };
  auto const o = templates::stitch(base, {saved(page(37), feeds(37)), saved(page(38), feeds(38))}, feeds(41));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(41)));
}

TEST_CASE("a list goes on where those above it end, however many they show", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><h1>" + link_to(newest) + "</h1><div>";
    for (int n = newest - 1; n > newest - 7; --n) out += "<div><h2>" + link_to(n) + "</h2></div>";
    out += "</div><ul>";
    for (int n = newest - 7; n > newest - 15; --n) out += "<li>" + link_to(n) + "</li>";
    return out + "</ul></body>";
  };
  auto const o = stitched(page, 30, 33, 12);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(33)));
}

TEST_CASE("a page with room for four days shows four, however many stories they have", "[stitch]") {
  using namespace std::chrono;
  auto const posted = [](int n) { return sys_days{2021y / March / 1} + days{n / 3 * 3 + (n % 3 == 2 ? 1 : 0)}; };
  auto const feeds = [&](int newest) {
    auto out = feed_of(newest, 12);
    for (int k = 0; k < 12; ++k) out[0].items[static_cast<std::size_t>(k)].published = posted(newest - k) + hours{12};
    return out;
  };
  auto const page = [&](int newest) {
    std::string out = "<body><div>";
    int shown = 0;
    for (int n = newest; shown < 5; --n) {
      if (n == newest || posted(n) != posted(n + 1)) {
        if (++shown == 5) break;
        out += (n == newest ? "" : "</ul>") + std::string{"<h3>"} +
               std::to_string(static_cast<unsigned>(year_month_day{posted(n)}.day())) + " March 2021</h3><ul>";
      }
      out += "<li>" + link_to(n) + "</li>";
    }
    return out + "</ul></div></body>";
  };
  auto const o = templates::stitch(base, {saved(page(20), feeds(20)), saved(page(21), feeds(21))}, feeds(23));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(23)));
}

TEST_CASE("a list of the newest month's titles grows with the month and is left alone at its end", "[stitch]") {
  using namespace std::chrono;
  auto const month = [](int n) { return year_month_day{sys_days{2021y / January / 1} + days{n}}.month(); };
  auto const page = [&](int newest, int of_month) {
    std::string out = "<ul class=month>";
    for (int n = of_month; month(n) == month(of_month); --n) out += "<li>" + link_to(n) + "</li>";
    auto all = page_of(newest, 6, plain_record);
    return all.insert(all.find("<p>About"), out + "</ul>");
  };
  auto const at = [&](int first, int second, int third) {
    return templates::stitch(
        base, {saved(page(first, first), feed_of(first, 20)), saved(page(second, second), feed_of(second, 20))},
        feed_of(third, 20));
  };
  auto const grown = at(60, 61, 64);  // day 59 is the first of March
  REQUIRE_FALSE(grown.declined);
  CHECK(squeezed(without_labels(grown.page)) == squeezed(page(64, 64)));
  auto const over = at(34, 36, 60);
  REQUIRE_FALSE(over.declined);
  CHECK(squeezed(without_labels(over.page)) == squeezed(page(60, 36)));
}

TEST_CASE("sections of one container are told apart by the headings between them", "[stitch]") {
  auto const feeds = [](int newest) {
    auto out = feed_of(newest, 12);
    for (int k = 0; k < 12; ++k)
      out[0].items[static_cast<std::size_t>(k)].categories = {(newest - k) % 3 == 0 ? "news" : "notes"};
    return out;
  };
  auto const page = [](int newest) {
    std::string out = "<body><div id=c><p>Hello</p>";
    for (bool const news : {true, false}) {
      out += news ? "<h2>News</h2>\n" : "<h2>Jottings</h2>\n";
      int room = 4;
      for (int n = newest; room > 0; --n)
        if ((n % 3 == 0) == news) out += "<p>" + link_to(n) + "</p>\n", --room;
    }
    return out + "</div></body>";
  };
  for (int const newest : {21, 22}) {
    auto const o = templates::stitch(
        base, {saved(page(newest - 3), feeds(newest - 3)), saved(page(newest - 1), feeds(newest - 1))}, feeds(newest));
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(page(newest)));
  }
}
