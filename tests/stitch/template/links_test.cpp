#include "stitch/template/links.hpp"

#include <catch2/catch.hpp>

using namespace cistern::stitch::templates;

TEST_CASE("spellings of one address have one key", "[stitch]") {
  auto const url = GENERATE(
      as<std::string>{}, "http://www.a.test/2020/x/", "https://a.test/2020/x", "https://a.test//2020//x/index.html",
      "https://a.test/2020/x?utm_source=rss&utm_medium=feed", "https://a.test/2020/%78/#comments");
  CHECK(key_of(url) == "/2020/x");
}

TEST_CASE("a site's root is never an item", "[stitch]") {
  CHECK(key_of("https://a.test/").empty());
  CHECK(key_of("https://a.test").empty());
  CHECK(key_of("https://a.test/index.html").empty());
}

TEST_CASE("queries that name the item stay in its key", "[stitch]") {
  CHECK(key_of("https://a.test/?p=12&utm_campaign=x") == "?p=12");
}

TEST_CASE("links are read from the page they stand on", "[stitch]") {
  CHECK(resolve("https://a.test/blog/", "post.html") == "https://a.test/blog/post.html");
  CHECK(resolve("https://a.test/blog/", "../x/./y") == "https://a.test/x/y");
  CHECK(resolve("https://a.test/blog/", "//b.test/z") == "https://b.test/z");
  CHECK(resolve("https://a.test/blog/?q=1", "?page=2") == "https://a.test/blog/?page=2");
  CHECK(resolve("https://a.test/", "javascript:alert(1)").empty());
}
