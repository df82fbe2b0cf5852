#include "stitch/template/pattern.hpp"

#include <catch2/catch.hpp>

#include <chrono>

using namespace cistern::stitch;
using namespace cistern::stitch::templates;
using namespace std::chrono_literals;

namespace {

std::chrono::sys_seconds at(int y, unsigned m, unsigned d, int h = 12, int minute = 30) {
  using namespace std::chrono;
  return sys_days{year{y} / month{m} / day{d}} + hours{h} + minutes{minute};
}

feed::item item(std::string title, std::string link, std::chrono::sys_seconds when) {
  feed::item i;
  i.title = std::move(title);
  i.link = std::move(link);
  i.published = when;
  return i;
}

struct shown {
  item_fields fields;
  std::string value;
};

pattern learned(std::vector<shown> const& rows) {
  std::vector<sample> samples;
  for (auto const& r : rows) samples.push_back({r.value, &r.fields});
  return learn_pattern(samples, likely_zones());
}

item_fields of(feed::item const& i) { return fields_of(i, i.link, "https://a.test/"); }

}  // namespace

TEST_CASE("a date is written in the page's own format, language and zone", "[stitch]") {
  auto const one = item("A", "https://a.test/a", at(2019, 5, 3, 23)),
             two = item("B", "https://a.test/b", at(2019, 11, 21, 22)),
             three = item("C", "https://a.test/c", at(2020, 1, 9, 20));
  auto const next = of(item("D", "https://a.test/d", at(2020, 12, 31, 23)));
  SECTION("English, in UTC") {
    auto const p = learned({{of(one), "Posted on May 3, 2019 by Ann"},
                            {of(two), "Posted on November 21, 2019 by Ann"},
                            {of(three), "Posted on January 9, 2020 by Ann"}});
    CHECK(p.write(next) == "Posted on December 31, 2020 by Ann");
  }
  SECTION("two hours ahead, so that late items are of the next day") {
    auto const p = learned({{of(one), "04.05.2019"}, {of(two), "22.11.2019"}, {of(three), "09.01.2020"}});
    CHECK(p.write(next) == "01.01.2021");
  }
  SECTION("short months are short all year where nothing else is seen") {
    auto const p = learned({{of(two), "Nov 21, 2019"}, {of(three), "Jan 9, 2020"}});
    CHECK(p.write(of(item("D", "https://a.test/d", at(2020, 3, 5)))) == "Mar 5, 2020");
  }
  SECTION("some months in full") {
    auto const p = learned({{of(two), "Nov. 21, 2019"},
                            {of(three), "Jan. 9, 2020"},
                            {of(item("E", "https://a.test/e", at(2019, 4, 2))), "April. 2, 2019"}});
    CHECK(p.write(of(item("D", "https://a.test/d", at(2020, 3, 5)))) == "March. 5, 2020");
  }
  SECTION("German months") {
    auto const p = learned({{of(one), "3. Mai 2019"}, {of(two), "21. November 2019"}, {of(three), "9. Januar 2020"}});
    CHECK(p.write(next) == "31. Dezember 2020");
  }
  SECTION("Greek and Turkish months") {
    auto const greek =
        learned({{of(one), "3 Μαΐου 2019"}, {of(two), "21 Νοεμβρίου 2019"}, {of(three), "9 Ιανουαρίου 2020"}});
    CHECK(greek.write(next) == "31 Δεκεμβρίου 2020");
    auto const turkish = learned({{of(one), "3 Mayıs 2019"}, {of(two), "21 Kasım 2019"}, {of(three), "9 Ocak 2020"}});
    CHECK(turkish.write(next) == "31 Aralık 2020");
  }
}

TEST_CASE("title and link are found inside longer values", "[stitch]") {
  auto const one = item("First things", "https://a.test/2019/first.html", at(2019, 5, 3)),
             two = item("More of it", "https://a.test/2019/more.html", at(2019, 5, 9));
  auto const p = learned({{of(one), "Read First things »"}, {of(two), "Read More of it »"}});
  CHECK(p.write(of(item("New", "https://a.test/n.html", at(2019, 6, 1)))) == "Read New »");
  auto const q = learned({{of(one), "/blog/2019/first.html#comments"}, {of(two), "/blog/2019/more.html#comments"}});
  CHECK(q.write(of(item("New", "https://a.test/2020/n.html", at(2019, 6, 1)))) == "/blog/2020/n.html#comments");
}

TEST_CASE("what nothing explains is left out and never copied", "[stitch]") {
  auto const one = item("First things", "https://a.test/1.html", at(2019, 5, 3)),
             two = item("More of it", "https://a.test/2.html", at(2019, 5, 9)),
             three = item("Still more", "https://a.test/3.html", at(2019, 6, 9));
  auto const p = learned({{of(one), "read by Zoe"}, {of(two), "read by Yan"}, {of(three), "read by Bob"}});
  CHECK_FALSE(p.explained());
  CHECK(p.write(of(item("New", "https://a.test/n.html", at(2019, 7, 1)))) == "read by ");
}

TEST_CASE("dates are written by the clock that the feed states for each item", "[stitch]") {
  auto const stated = [](feed::item i, int hours) {
    i.zone = std::chrono::hours{hours};
    return of(i);
  };
  auto const one = item("A", "https://a.test/a", at(2019, 5, 3, 12)),
             two = item("B", "https://a.test/b", at(2019, 5, 9, 14));
  std::vector<shown> const rows{{stated(one, 2), "3 May 2019"}, {stated(two, 2), "9 May 2019"}};
  std::vector<sample> samples;
  for (auto const& r : rows) samples.push_back({r.value, &r.fields});
  std::vector<date_zone> zones{{{}, true}};
  zones.insert(zones.end(), likely_zones().begin(), likely_zones().end());
  auto const next = item("C", "https://a.test/c", at(2019, 6, 11, 23));  // after midnight in summer, not in winter
  CHECK(learn_pattern(samples, zones).write(stated(next, 2)) == "12 June 2019");
  CHECK(learn_pattern(samples, zones).write(stated(next, 0)) == "11 June 2019");
}

TEST_CASE("a leading zero that no record shows follows from the form of the date", "[stitch]") {
  auto const one = item("A", "https://a.test/a", at(2019, 5, 13)),
             two = item("B", "https://a.test/b", at(2019, 11, 21));
  auto const next = of(item("C", "https://a.test/c", at(2020, 10, 4)));
  CHECK(learned({{of(one), "2019-05-13"}, {of(two), "2019-11-21"}}).write(next) == "2020-10-04");
  CHECK(learned({{of(one), "13.5.2019"}, {of(two), "21.11.2019"}}).write(next) == "4.10.2020");
  CHECK(learned({{of(two), "21.11.2019"}}).write(next) == "04.10.2020");
}

TEST_CASE("parts of a date that stand alone follow the item's", "[stitch]") {
  auto const one = item("A", "https://a.test/a", at(2019, 5, 14)), two = item("B", "https://a.test/b", at(2019, 5, 16)),
             three = item("C", "https://a.test/c", at(2019, 5, 28));
  auto const next = of(item("D", "https://a.test/d", at(2019, 6, 2)));
  CHECK(learned({{of(one), "th"}, {of(two), "th"}, {of(three), "th"}}).write(next) == "nd");
  CHECK(learned({{of(one), "May"}, {of(two), "May"}, {of(three), "May"}}).write(next) == "June");
}

TEST_CASE("a day that the items' dates do not give is not copied", "[stitch]") {
  auto const one = item("A", "https://a.test/a", at(2019, 5, 14)), two = item("B", "https://a.test/b", at(2019, 5, 16));
  auto const p = learned({{of(one), "built 2020-11-05"}, {of(two), "built 2020-11-05"}});
  CHECK_FALSE(p.explained());
  CHECK(p.write(of(item("C", "https://a.test/c", at(2019, 6, 2))))->find("2020") == std::string::npos);
}

TEST_CASE("prose that no item tells leaves none of its words behind", "[stitch]") {
  auto const one = of(item("A", "https://a.test/a", at(2019, 5, 3))),
             two = of(item("B", "https://a.test/b", at(2019, 11, 21)));
  CHECK(learned({{one, "I have been near some sea and swam"}, {two, "I went up along a hill and sang"}}).prose());
  CHECK_FALSE(
      learned({{one, "1,204 words, 6 minutes, 12 comments"}, {two, "1,733 words, 9 minutes, 3 comments"}}).prose());
}

TEST_CASE("a title is written in small letters or capitals where the page does that", "[stitch]") {
  auto const one = of(item("The Élan of Things", "https://a.test/a", at(2019, 5, 3))),
             two = of(item("Заметки о Сети", "https://a.test/b", at(2019, 11, 21))),
             next = of(item("Über Żuraw & Řeka", "https://a.test/c", at(2020, 1, 9)));
  CHECK(learned({{one, "> the élan of things"}, {two, "> заметки о сети"}}).write(next) == "> über żuraw & řeka");
  CHECK(learned({{one, "THE ÉLAN OF THINGS!"}, {two, "ЗАМЕТКИ О СЕТИ!"}}).write(next) == "ÜBER ŻURAW & ŘEKA!");
}

TEST_CASE("months in capitals are known in every alphabet", "[stitch]") {
  auto const p = learned({{of(item("A", "https://a.test/a", at(2019, 3, 3))), "3 МАРТА 2019"},
                          {of(item("B", "https://a.test/b", at(2019, 5, 21))), "21 МАЯ 2019"}});
  CHECK(p.write(of(item("C", "https://a.test/c", at(2020, 1, 9)))) == "9 ЯНВАРЯ 2020");
}
