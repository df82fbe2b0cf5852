#include "stitch/html/document.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;
using html::document;

namespace {

document parsed(std::string_view page) {
  auto d = document::parse(page);
  REQUIRE(d.has_value());
  return *d;
}

std::string repeated(std::string_view s, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += s;
  return out;
}

std::size_t depth_of(document const& d) {
  std::size_t deepest = 0;
  for (auto const& n : d.nodes()) deepest = std::max<std::size_t>(deepest, n.depth);
  return deepest;
}

}  // namespace

TEST_CASE("each node knows the bytes it came from", "[stitch]") {
  std::string const page =
      "<!doctype html><body><ul class=a><li>one<li><a href=\"/x?a=1&amp;b\">t&eacute;</a></ul></body>";
  auto const d = parsed(page);
  auto const list = d.find("ul");
  REQUIRE(list != html::no_node);
  CHECK(d.source_of(list) == "<ul class=a><li>one<li><a href=\"/x?a=1&amp;b\">t&eacute;</a></ul>");
  auto const first = d.find("li");
  CHECK(d.source_of(first) == "<li>one");
  CHECK(d.source_of(d[first].next) == "<li><a href=\"/x?a=1&amp;b\">t&eacute;</a>");
  auto const link = d.find("a");
  CHECK(d.attribute_or_empty(link, "href") == "/x?a=1&b");
  CHECK(d.text_of(link) == "t\u00e9");
  auto const* href = d.find_attribute(link, "href");
  REQUIRE(href);
  CHECK(page.substr(href->value_begin, href->value_end - href->value_begin) == "/x?a=1&amp;b");
  CHECK(page.substr(href->begin, href->end - href->begin) == "href=\"/x?a=1&amp;b\"");
}

TEST_CASE("elements that the parser moved or made up claim no bytes", "[stitch]") {
  auto const d = parsed("<table><tr><td>in</td></tr><b>out</b></table>");
  CHECK_FALSE(d[d.find("tbody")].placed);
  CHECK_FALSE(d[d.find("b")].placed);
  CHECK(d.source_of(d.find("td")) == "<td>in</td>");
}

TEST_CASE("a tree outlives the bytes it was made from", "[stitch]") {
  auto const d = [] { return parsed(std::string{"<p>short"}); }();
  CHECK(d.text_of(d.find("p")) == "short");
}

TEST_CASE("nesting is cut at the limit", "[stitch]") {
  auto const tag =
      GENERATE(as<std::string>{}, "<div>", "<b>", "<a href=x><div>", "<table><tr><td>", "<ul><li>", "<x-y>");
  auto const d = parsed(repeated(tag, 200'000) + "text");
  CHECK(depth_of(d) < 1200);
  CHECK(d.size() < 1'000'000);
}

TEST_CASE("nesting that no scan of the text sees is refused, not followed", "[stitch]") {
  auto const page = GENERATE(as<std::string>{}, repeated("<x><div></x>", 200'000), repeated("<b><div></b>", 200'000),
                             "<select><title></select>" + repeated("<div>", 200'000),
                             "<svg>" + repeated("<td>", 200'000), repeated("<div></body><!---->", 200'000),
                             "<script><!--<script></script><style></script>" + repeated("<div>", 200'000));
  auto const d = html::document::parse(page);
  if (d) CHECK(depth_of(*d) < 2100);
}

TEST_CASE("a comment that ends at once hides nothing", "[stitch]") {
  auto const d = parsed(GENERATE(as<std::string>{}, "<!-->", "<!--->", "<!-- x --!>") + repeated("<div>", 200'000));
  CHECK(depth_of(d) < 1200);
}

TEST_CASE("long runs of tags that end each other are not nesting", "[stitch]") {
  auto const d = parsed("<ul>" + repeated("<li>x", 5000) + "</ul>" + repeated("<p>y", 5000));
  std::size_t items = 0, paragraphs = 0;
  for (html::node_id n = 0; n < d.size(); ++n) items += d.is(n, "li"), paragraphs += d.is(n, "p");
  CHECK(items == 5000);
  CHECK(paragraphs == 5000);
}

TEST_CASE("unclosed formatting is not multiplied into every later paragraph", "[stitch]") {
  std::string page = "<p>";
  for (int i = 0; i < 2000; ++i) page += "<b class=c" + std::to_string(i) + ">";
  auto const d = parsed(page + "</p>" + repeated("<p>x</p>", 3000));
  CHECK(d.size() < 200'000);
}

TEST_CASE("a tag with a hundred thousand attributes is read in bounded time", "[stitch]") {
  std::string page = "<p";
  for (int i = 0; i < 100'000; ++i) page += " a" + std::to_string(i) + "=1";
  auto const d = parsed(page + ">text</p>");
  auto const p = d.find("p");
  CHECK(d.attributes_end(p) - d.attributes_begin(p) <= 257);
}

TEST_CASE("limits are errors, not crashes", "[stitch]") {
  html::parse_options options;
  SECTION("source") {
    options.limits.source = 10;
    CHECK(document::parse("<p>more than ten", options).error() == html::errc::too_large);
  }
  SECTION("nodes") {
    options.limits.nodes = 100;
    CHECK(document::parse(repeated("<p>x", 1000), options).error() == html::errc::too_many_nodes);
  }
  SECTION("memory") {
    options.limits.memory = 1u << 20;
    CHECK(document::parse(repeated("<p>x", 100'000), options).error() == html::errc::out_of_memory);
  }
}

TEST_CASE("a fragment is the inside of an element", "[stitch]") {
  html::parse_options options;
  options.fragment = true;
  auto const d = document::parse("one <b>two</b>", options);
  REQUIRE(d.has_value());
  CHECK(d->size() == 4);
  CHECK(d->source_of(2) == "<b>two</b>");
}
