#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

// Stories of a sentence that is their summary and more; story 10 is its one sentence and has no summary.
feed::item story(int n) {
  auto i = item(n);
  auto const number = std::to_string(n);
  auto const lead = "First sentence of story " + number + " is this one";
  i.content = "<p>" + lead + "</p>";
  if (n == 10) return i;
  i.summary = "<p>" + lead + "</p>";
  i.content += "<p>Then follows much more of story " + number + " that only patient people read</p>";
  return i;
}

std::vector<feed::feed> stories(std::vector<int> const& numbers) {
  feed::feed f;
  for (int const n : numbers) f.items.push_back(story(n));
  return {f};
}

std::string whole(int n) {
  return "<div class=post><h2>" + link_to(n) + "</h2><div class=text>" + story(n).content +
         "</div><a class=talk href=\"/story-" + std::to_string(n) + ".html\">Comment</a></div>";
}

std::string cut(int n) {
  return "<div class=post><h2>" + link_to(n) + "</h2><div class=lead><p>First sentence of story " + std::to_string(n) +
         " is this one</p></div><a class=rest href=\"/story-" + std::to_string(n) + ".html\">Read more</a></div>";
}

std::string page(std::vector<int> const& numbers) {
  std::string out = "<body><h1><a href=/>Blog</a></h1><main>\n";
  for (std::size_t i = 0; i < numbers.size(); ++i) out += (i == 0 ? whole(numbers[i]) : cut(numbers[i])) + "\n";
  return out + "</main></body>";
}

outcome next(std::vector<int> const& before, std::vector<int> const& now, std::vector<int> const& then) {
  return templates::stitch(base, {saved(page(before), stories(before)), saved(page(now), stories(now))}, stories(then));
}

}  // namespace

TEST_CASE("the newest story is shown whole and the one before it is cut like the others", "[stitch]") {
  auto const o = next({10, 9, 8, 7, 6}, {11, 10, 9, 8, 7}, {12, 11, 10, 9, 8});
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page({12, 11, 10, 9, 8})));
}

TEST_CASE("a first story that stayed because it is the newest is no pinned one", "[stitch]") {
  // Story 9 came late and went below story 10, the only first story that is known.
  auto const o = next({10, 8, 7, 6, 5}, {10, 9, 8, 7, 6}, {12, 10, 9, 8, 7});
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page({12, 10, 9, 8, 7})));
}

TEST_CASE("a story beside the link home gives way to the newest, and the list takes it over", "[stitch]") {
  auto const blog = [](int newest) {
    std::string out = "<body><header><h1><a href=\"https://blog.test\">Blog</a> " + link_to(newest) +
                      "</h1></header>\n<article>" + item(newest).content + "</article>\n<section><ol>\n";
    for (int n = newest - 1; n > newest - 6; --n) out += "<li>" + link_to(n) + "</li>\n";
    return out + "</ol></section></body>";
  };
  auto const o =
      templates::stitch(base, {saved(blog(10), feed_of(10, 8)), saved(blog(11), feed_of(11, 8))}, feed_of(12, 8));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(blog(12)));
}

TEST_CASE("a button beside the newest title is no entry of its list", "[stitch]") {
  auto const page = [](int newest) {
    auto const n = std::to_string(newest);
    std::string out =
        "<body><div><div><a class=button href=/archive>All</a></div><div>Latest <a class=name href=\"/story-" + n +
        ".html\">Story number " + n + "</a></div></div><ul>";
    for (int k = newest; k > newest - 5; --k) out += "<li>" + link_to(k) + "</li>";
    return out + "</ul></body>";
  };
  auto const o =
      templates::stitch(base, {saved(page(20), feed_of(20, 5)), saved(page(21), feed_of(21, 5))}, feed_of(23, 5));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(23)));
}
