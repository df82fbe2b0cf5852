#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

// Three stories a day by two people who take turns, Ann two days out of three; story 30 is by somebody new.
int day_of(int n) { return n / 3; }
std::string author_of(int n) { return n == 30 ? "Newcomer" : n % 3 != 0 ? "Ann Other" : "Bob Else"; }

std::vector<feed::feed> planet_feed(int newest, int count) {
  auto out = feed_of(newest, count);
  for (auto& i : out[0].items) {
    auto const n = std::stoi(i.title.substr(i.title.rfind(' ') + 1));
    using namespace std::chrono;
    i.published = sys_days{2021y / January / 1} + days{day_of(n)} + hours{n % 3 + 8};
    i.author = author_of(n);
  }
  return out;
}

std::string heading(int n) { return "January " + std::to_string(day_of(n) + 1) + ", 2021"; }

// What stands around the stories of a day and of an author: boxes inside of each other, or headings in a row.
struct markup {
  std::string day, end_of_day, author, end_of_author;
};
markup const all_markups[] = {{"<div class=day>\n", "</div>\n", "<section>\n", "</section>\n"},
                              {"<div class=day>\n", "</div>\n", "", ""},
                              {"", "", "<section>\n", "</section>\n"},
                              {"", "", "", ""}};

std::string planet(int newest, int count, markup const& m) {
  std::string out = "<body><h1>Planet</h1>\n<main>";
  for (int n = newest; n > newest - count; --n) {
    bool const first = n == newest, new_day = first || day_of(n) != day_of(n + 1),
               new_author = new_day || author_of(n) != author_of(n + 1);
    if (new_author && !first) out += m.end_of_author;
    if (new_day && !first) out += m.end_of_day;
    if (new_day) out += m.day + "<h2>" + heading(n) + "</h2>\n";
    if (new_author) out += m.author + "<h3><b>" + author_of(n) + "</b></h3>\n";
    out += "<div class=post><h4>" + link_to(n) + "</h4></div>\n";
  }
  return out + m.end_of_author + m.end_of_day + "</main><p>About this site</p></body>";
}

outcome next_planet(int from, int to, markup const& m) {
  return templates::stitch(
      base, {saved(planet(from - 1, 9, m), planet_feed(from - 1, 9)), saved(planet(from, 9, m), planet_feed(from, 9))},
      planet_feed(to, 9));
}

}  // namespace

TEST_CASE("a story goes under its day and its author, and both are opened where they are missing", "[stitch]") {
  for (auto const& m : all_markups)
    for (int from = 20; from < 23; ++from)
      for (int to = from + 1; to < from + 5; ++to) {
        CAPTURE(m.day, m.author, from, to);
        auto const o = next_planet(from, to, m);
        REQUIRE_FALSE(o.declined);
        CHECK(squeezed(without_labels(o.page)) == squeezed(planet(to, 9, m)));
      }
}

TEST_CASE("an author whom the page has never named gets a caption of his own", "[stitch]") {
  for (auto const& m : all_markups) {
    CAPTURE(m.day, m.author);
    auto const o = next_planet(29, 30, m);
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(planet(30, 9, m)));
  }
}

TEST_CASE("a new day is not opened with words that belong to another day", "[stitch]") {
  auto const diary = [](int newest) {
    static constexpr char const* weathers[] = {"sunny", "cloudy", "rainy", "windy", "foggy", "icy", "mild"};
    std::string out = "<body><main>";
    for (int n = newest; n > newest - 9; --n) {
      if (n == newest || day_of(n) != day_of(n + 1))
        out += std::string{n == newest ? "" : "</section>\n"} + "<section><h2>" + heading(n) + "</h2><p>" +
               weathers[day_of(n) % 7] + "</p>";
      out += "<div class=post><h4>" + link_to(n) + "</h4></div>\n";
    }
    return out + "</section></main></body>";
  };
  auto const next = [&](int to) {
    return templates::stitch(base, {saved(diary(19), planet_feed(19, 9)), saved(diary(20), planet_feed(20, 9))},
                             planet_feed(to, 9));
  };
  CHECK(next(21).declined);
  CHECK(next(21).page == diary(20));
}

TEST_CASE("the date below each story is no heading of the next one", "[stitch]") {
  auto const page = [](int newest) {
    std::string out = "<body><main>";
    for (int n = newest; n > newest - 9; --n) {
      if (n == newest || day_of(n) != day_of(n + 1)) out += "<h2>" + heading(n) + "</h2>\n";
      out += "<h3>" + author_of(n) + ": " + link_to(n) + "</h3>\n" + item(n).content + "\n<p><em>" + heading(n) +
             "</em></p>\n";
    }
    return out + "</main></body>";
  };
  for (int const to : {21, 22, 24}) {
    auto const o = templates::stitch(base, {saved(page(19), planet_feed(19, 9)), saved(page(20), planet_feed(20, 9))},
                                     planet_feed(to, 9));
    CAPTURE(to);
    REQUIRE_FALSE(o.declined);
    CHECK(squeezed(without_labels(o.page)) == squeezed(page(to)));
  }
}
