#include "stitch/template/content.hpp"
#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

using page_text = std::function<std::string(int)>;

std::string number(int n) { return std::to_string(n); }

outcome two_steps(page_text const& page, std::function<std::vector<feed::feed>(int)> const& feeds) {
  return templates::stitch(base, {saved(page(20), feeds(20)), saved(page(21), feeds(21))}, feeds(23));
}

void is_foretold(page_text const& page, std::function<std::vector<feed::feed>(int)> const& feeds) {
  auto const o = two_steps(page, feeds);
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(23)));
}

std::vector<feed::feed> ten(int newest) { return feed_of(newest, 10); }

std::vector<feed::feed> with_categories(int newest, std::function<std::vector<std::string>(int)> const& of) {
  auto out = ten(newest);
  for (int k = 0; k < 10; ++k) out[0].items[static_cast<std::size_t>(k)].categories = of(newest - k);
  return out;
}

}  // namespace

TEST_CASE("a date below each title moves with its post, and so does the text of the last one", "[stitch]") {
  is_foretold(
      [](int newest) {
        std::string out = "<body><div id=c>";
        for (int n = newest; n > newest - 6; --n) {
          out += "<h2>" + link_to(n) + "</h2><p class=date>" + number(n + 1) + ". 1. 2021</p>";
          out += item(n).content;
          for (int more = 0; more < n % 3; ++more) out += "<blockquote>aside</blockquote>";
          out += "<p class=more><a href=\"/story-" + number(n) + ".html\">Continue</a></p><hr>";
        }
        return out + "<div class=pager>Older</div></div></body>";
      },
      [](int newest) {
        auto out = ten(newest);
        for (int k = 0; k < 10; ++k)
          for (int more = 0; more < (newest - k) % 3; ++more)
            out[0].items[static_cast<std::size_t>(k)].content += "<blockquote>aside</blockquote>";
        return out;
      });
}

TEST_CASE("a category and the tags have a place each", "[stitch]") {
  auto const names = [](int n) {
    return std::vector<std::string>{n % 2 ? "travel" : "food", "tag" + number(n % 3), "tag" + number(n % 4 + 5)};
  };
  is_foretold(
      [&](int newest) {
        return page_of(newest, 6, [&](int n) {
          auto const own = names(n);
          return "<div class=post><span class=cat>in <a href=\"/c/" + own[0] + "\">" + own[0] + "</a></span><h2>" +
                 link_to(n) + "</h2><span class=tags><em><a href=\"/t/" + own[1] + "\">" + own[1] +
                 "</a></em><em><a href=\"/t/" + own[2] + "\">" + own[2] + "</a></em></span></div>";
        });
      },
      [&](int newest) { return with_categories(newest, names); });
}

TEST_CASE("a section takes the items of the category that its heading names", "[stitch]") {
  auto const names = [](int n) {
    return n == 17 ? std::vector<std::string>{"aside", "rare"} : std::vector<std::string>{"often", "aside" + number(n)};
  };
  is_foretold(
      [&](int newest) {
        std::string often, rare;
        for (int n = newest; n > newest - 10; --n) (n == 17 ? rare : often) += "<li>" + link_to(n) + "</li>";
        return "<body><section><h2>often</h2><ul>" + often + "</ul></section><section><h2>rare</h2><ul>" + rare +
               "</ul></section></body>";
      },
      [&](int newest) {
        auto out = with_categories(newest, names);
        out[0].items[1].categories.push_back("aside");  // of the other section, though the rare one has it too
        return out;
      });
}

TEST_CASE("a list that has met its limit stays as long as it is", "[stitch]") {
  auto const shown = [](int newest) { return std::min(newest - 12, 8); };
  auto const page = [&](int newest) { return page_of(newest, shown(newest), plain_record); };
  auto const o =
      templates::stitch(base, {saved(page(19), feed_of(19, 5)), saved(page(21), feed_of(21, 5))}, feed_of(22, 5));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("a list that leaves items out for a reason nobody knows is left alone", "[stitch]") {
  auto const page = [](int newest) {
    return page_of(newest, newest - 10, [](int n) { return n % 3 == 2 ? plain_record(n) : std::string{}; });
  };
  auto const o =
      templates::stitch(base, {saved(page(19), feed_of(19, 10)), saved(page(20), feed_of(20, 10))}, feed_of(22, 10));
  CHECK(o.declined);
}

TEST_CASE("a name that only some records have is not put into a new one", "[stitch]") {
  auto const o = two_steps(
      [](int newest) {
        return page_of(newest, 6, [](int n) {
          return "<div class=post><h2>" + link_to(n) + "</h2><i>written by " +
                 (n % 3 == 0   ? "Ann"
                  : n % 3 == 1 ? "Tom O'Hara"
                               : "Tom O'Hara") +
                 "</i></div>";
        });
      },
      ten);
  REQUIRE_FALSE(o.declined);
  auto const made = o.page.substr(0, o.page.find("Story number 21<"));
  CHECK(made.find("Story number 23<") != std::string::npos);
  CHECK(made.find("Hara") == std::string::npos);
}

TEST_CASE("a post pinned on top in a dress of its own stays there", "[stitch]") {
  is_foretold(
      [](int newest) {
        std::string out = "<body><div id=posts><div class=\"post pinned\"><h2>" + link_to(15) + "</h2></div>\n";
        for (int n = newest; n > newest - 8; --n)
          if (n != 15) out += "<div class=post><h2>" + link_to(n) + "</h2></div>\n";
        return out + "</div></body>";
      },
      [](int newest) { return feed_of(newest, 8); });
}

TEST_CASE("a first post of another dress keeps its words when it joins the others", "[stitch]") {
  auto const record = [](int n, std::string const& dress) {
    return "<div class=\"" + dress + "\"><h2>" + link_to(n) + "</h2><i>" + number(7 * n % 5 + 1) +
           " minutes</i></div>\n";
  };
  auto const o = two_steps(
      [&](int newest) {
        std::string out = "<body><div id=posts>";
        for (int n = newest; n > newest - 6; --n) out += record(n, n == newest ? "post first" : "post");
        return out + "</div></body>";
      },
      ten);
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find(record(21, "post")) != std::string::npos);
}

TEST_CASE("a number that counts the list is counted up", "[stitch]") {
  is_foretold(
      [](int newest) { return "<body><p>" + number(newest) + " stories</p>" + page_of(newest, newest, plain_record); },
      [](int newest) { return feed_of(newest, newest); });
}

TEST_CASE("items are known by their titles when the feed's links go through a counter", "[stitch]") {
  auto const feeds = [](int newest) {
    auto out = ten(newest);
    for (auto& i : out[0].items)
      i.link = "https://counter.test/r/" + number(static_cast<int>(i.title.size())) + i.title.substr(13);
    return out;
  };
  auto const o = two_steps([](int newest) { return page_of(newest, 5, plain_record); }, feeds);
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find(">Story number 23</a>") != std::string::npos);
  CHECK(o.page.find("Story number 18<") == std::string::npos);
}

TEST_CASE("text taken out of marked-up code keeps its blanks", "[stitch]") {
  templates::content const c{"<pre><b>int</b> <i>main</i>\n<u>x</u></pre>"};
  CHECK(c.text(3) == "int main x");
}

TEST_CASE("a title that led elsewhere leads to its item in a new record", "[stitch]") {
  auto const record = [](int n) {
    return "<div class=post><h2><a href=\"https://other" + std::to_string(n * n) + ".test/\">Story number " +
           std::to_string(n) + "</a> <a href=\"/story-" + std::to_string(n) + ".html\">#</a></h2></div>";
  };
  auto const o = next_page(record);
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find("<a href=\"https://blog.test/story-12.html\">Story number 12</a>") != std::string::npos);
}

TEST_CASE("a new record has a title however the page changes its titles", "[stitch]") {
  auto const o = two_steps(
      [](int newest) {
        return page_of(newest, 5, [](int n) {
          auto const shown = n % 2 == 0 ? "Tale " + number(7 * n) + "!" : "Narrative, " + number(3 * n);
          return "<div class=post><h2><a href=\"/story-" + number(n) + ".html\">" + shown + "</a></h2><p>" +
                 item(n).content.substr(3, 90) + "</p></div>";
        });
      },
      ten);
  CHECK(o.page.find("story-23.html\"></a>") == std::string::npos);
}
