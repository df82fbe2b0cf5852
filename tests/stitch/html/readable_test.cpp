#include "stitch/html/readable.hpp"

#include <catch2/catch.hpp>

using namespace cistern::stitch::html;

namespace {

readable_page read(std::string_view html, std::size_t most = 10'000) {
  return readable(document::parse(html).value(), most);
}

}  // namespace

TEST_CASE("a page is read as its title and its article, without what stands around it", "[stitch]") {
  auto const page = read(R"(<!doctype html><html><head><title> The
    bridge </title><style>p { color: red }</style></head><body>
    <header>The Brook Courier</header><nav>Home <a href=/>News</a></nav>
    <main><article><header><h1>The bridge</h1></header><p>It was <b>built</b> of oak.</p><p>It stands&nbsp;still,
    and people walk over it every day of the year.</p><script>var x = 1</script><aside>Related</aside>
    <form><input value=x><button>Subscribe</button></form></article></main>
    <footer>Imprint</footer></body></html>)");
  CHECK(page.title == "The bridge");
  CHECK(page.text ==
        "The bridge\nIt was built of oak.\nIt stands\u00a0still, and people walk over it every day of the year.");
}

TEST_CASE("a page without landmarks is read whole, but not what is hidden or runs", "[stitch]") {
  auto const page = read(
      "<title>x</title><div>One<div hidden>No</div><span aria-hidden=true>No</span></div>Two<ul><li>Three<li>Four</ul>"
      "<noscript>No</noscript><svg><text>No</text></svg>Five<br>Six");
  CHECK(page.text == "One\nTwo\nThree\nFour\nFive\nSix");
}

TEST_CASE("a page that is nothing but navigation is still read", "[stitch]") {
  CHECK(read("<title>x</title><nav>Home News</nav>").text == "Home News");
}

TEST_CASE("a short main part does not hide the page", "[stitch]") {
  auto const page =
      read("<main>Loading</main><div>The whole article is beside it, for reasons only its maker knows.</div>");
  CHECK(page.text.find("The whole article") != std::string::npos);
}

TEST_CASE("a title is taken from the heading when the page has none", "[stitch]") {
  CHECK(read("<h1>Rain <i>at</i> last</h1>").title == "Rain at last");
}

TEST_CASE("text is cut between characters", "[stitch]") {
  for (std::size_t most = 0; most < 12; ++most) {
    auto const text = read("<p>\xe6\xb0\xb4\xe6\xb0\xb4\xe6\xb0\xb4", most).text;
    CHECK(text.size() % 3 == 0);
    CHECK(text.size() <= most);
  }
}

TEST_CASE("what a feed carries is read as text", "[stitch]") {
  CHECK(readable_text("<p>Rain &amp; wind</p><p>and more<script>x</script></p>", 1000) == "Rain & wind\nand more");
  CHECK(readable_text("plain & simple", 1000) == "plain & simple");
  CHECK(readable_text("", 1000).empty());
}
