#include "stitch/feed/opml.hpp"

#include <catch2/catch.hpp>

using namespace cistern::stitch::feed;

namespace {
constexpr auto sample =
    R"(<?xml version="1.0"?><opml version="2.0"><head><title>Mine &amp; yours</title><ownerName>Me</ownerName></head><body>
<outline text="News" type="rss"><outline text="A &amp; B" type="rss" xmlUrl="http://a.test/f?x=1&amp;y=2" htmlUrl="http://a.test/" x:odd="kept"/>
  <outline text="Deep"><outline title="No text" xmlUrl="http://b.test/f"/></outline></outline>
<outline text="Empty"/><outline text="Other"><outline text="Deep"><outline xmlUrl="http://a.test/f?x=1&amp;y=2"/></outline></outline></body></opml>)";
}

TEST_CASE("an OPML file gives its feeds with their folders", "[stitch]") {
  auto const list = subscriptions(parse_opml(sample).value());
  REQUIRE(list.size() == 3);
  CHECK(list[0].feed_url == "http://a.test/f?x=1&y=2");
  CHECK(list[0].title == "A & B");
  CHECK(list[0].folders == std::vector<std::string>{"News"});
  CHECK(list[1].title == "No text");
  CHECK(list[1].folders == std::vector<std::string>{"News", "Deep"});
  CHECK(list[2].feed_url == list[0].feed_url);
  CHECK(list[2].folders == std::vector<std::string>{"Other", "Deep"});
}

TEST_CASE("writing OPML and reading it again changes nothing", "[stitch]") {
  auto const document = parse_opml(sample).value();
  CHECK(parse_opml(write_opml(document)).value() == document);
  auto odd = document;
  odd.outlines[0].attributes.emplace_back("note", "line\nbreak \"quoted\" <tag>\ttab");
  CHECK(parse_opml(write_opml(odd)).value() == odd);
}

TEST_CASE("subscriptions survive export and import", "[stitch]") {
  auto const list = subscriptions(parse_opml(sample).value());
  auto const again = subscriptions(parse_opml(write_opml(make_opml("t", list))).value());
  REQUIRE(again.size() == list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    CHECK(again[i].feed_url == list[i].feed_url);
    CHECK(again[i].folders == list[i].folders);
  }
}

TEST_CASE("broken OPML is read and what is none is refused", "[stitch]") {
  CHECK(subscriptions(
            parse_opml("<opml><body><outline text='A & B' xmlUrl='http://a.test/?a&b'><outline text='x'").value())[0]
            .title == "A & B");
  CHECK_FALSE(parse_opml("<rss version='2.0'><channel/></rss>").has_value());
  CHECK_FALSE(parse_opml("").has_value());
  std::string deep = "<opml><body>";
  for (int i = 0; i < 100000; ++i) deep += "<outline text='x'>";
  CHECK(parse_opml(deep).has_value());
}
