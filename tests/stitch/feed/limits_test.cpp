#include "stitch/feed/sanitize.hpp"
#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

namespace {
std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  while (count-- > 0) out += text;
  return out;
}
}  // namespace

TEST_CASE("entities that grow without end mean nothing and the feed is read", "[stitch]") {
  std::string bomb = "<!DOCTYPE rss [<!ENTITY l0 'lol'>";
  for (int i = 1; i < 12; ++i)
    bomb += "<!ENTITY l" + std::to_string(i) + " '" + repeated("&l" + std::to_string(i - 1) + ";", 10) + "'>";
  auto const f =
      read(bomb + "]>" + rss("<title>t&l11;</title><item><title>i</title><description>&l2;</description></item>"));
  CHECK(f.title == "t");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].summary.size() == 300);
  auto const wide = read("<!DOCTYPE rss [<!ENTITY a '" + std::string(10'000, 'x') + "'>]>" +
                         rss("<item><description>" + repeated("&a;", 100'000) + "</description></item>"));
  REQUIRE(wide.items.size() == 1);
  CHECK(wide.items[0].summary.size() <= 1U << 20);
  CHECK(wide.repaired);
  CHECK(read("<!DOCTYPE rss [<!ENTITY a '&b;&b;'><!ENTITY b '&a;&a;'>]>" + rss("<title>t&a;</title>")).repaired);
}

TEST_CASE("nesting without end keeps its text", "[stitch]") {
  auto const f = read(rss("<title>t</title><item><description>" + repeated("<b>", 100'000) + "deep" +
                          repeated("</b>", 100'000) + "</description><guid>g</guid></item>"));
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].summary.find("deep") != std::string::npos);
  CHECK(f.items[0].id == "g");
  CHECK(is_feed("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"id\":\"1\"}],\"x\":" +
                repeated("[", 100'000)));
}

TEST_CASE("a field, an item and a feed are as large as they may be and no larger", "[stitch]") {
  auto const f = read(rss("<item><guid>g</guid><description>" + std::string(20U << 20, 'x') +
                          "</description></item><item><guid>h</guid>" +
                          repeated("<category>c</category><enclosure url='http://a.test/x'/>", 1000) + "</item>"));
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].summary.size() <= 4U << 20);
  CHECK(f.items[1].enclosures.size() == 1);
  CHECK(f.repaired);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "<category>c" + std::to_string(i) + "</category>";
  CHECK(rss_item(many).categories.size() == 500);
  CHECK(rss_item("<link>http://a.test/" + repeated("../", 100'000) + "x</link>").link.size() < 100);
}

TEST_CASE("what there is no budget left to sanitise keeps its text and loses its markup", "[stitch]") {
  stitch::feed::allowance left{1000};
  item one;
  one.summary = "<p onclick=x>a <b>b</b></p>";
  one.content = "1 < 2";
  one.content_is_text = true;
  CHECK(sanitize(one, left));
  CHECK(one.summary == "<p>a <b>b</b></p>");
  CHECK(one.content == "1 &lt; 2");
  std::string large = "<p>a <b>b</b> &lt;i&gt;</p><script>evil()</script>" + std::string(2000, 'x');
  CHECK_FALSE(sanitize(large, left));
  CHECK(large == "a b &lt;i&gt; " + std::string(2000, 'x'));
  std::string small = "<i>c</i>";  // the large one did not take what was left
  CHECK(sanitize(small, left));
  CHECK(small == "<i>c</i>");
}

TEST_CASE("more damage than document ends the reading", "[stitch]") {
  auto const f = read(rss("<title>t</title><item><guid>g</guid></item><item><title>" + std::string(1'000'000, '<') +
                          "</title></item>"));
  CHECK(f.title == "t");
  CHECK(f.items.size() == 1);
  CHECK(f.repaired);
  CHECK(read(rss("<title>t</title>") + std::string(1'000'000, '\xff')).title == "t");
}
