#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tests;

TEST_CASE("every version of RSS, Atom, CDF and JSON Feed is known by name", "[stitch]") {
  for (auto const* version : {"0.91", "0.92", "0.93", "0.94", "2.0", "2.01", "2.1"})
    CHECK(read("<rss version='" + std::string{version} + "'><channel/></rss>").format == "rss " + std::string{version});
  CHECK(read("<rss><channel/></rss>").format == "rss");
  CHECK(read("<feed xmlns='http://www.w3.org/2005/Atom'/>").format == "atom 1.0");
  CHECK(read("<feed version='0.3' xmlns='http://purl.org/atom/ns#'/>").format == "atom 0.3");
  CHECK(read("<feed version='0.2' xmlns='http://purl.org/atom/ns#'/>").format == "atom 0.2");
  CHECK(read("{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[]}").format == "json feed 1.1");
  CHECK(read("{\"version\":\"http://www.jsonfeed.org/version/1\",\"items\":[]}").format == "json feed 1.0");
}

TEST_CASE("RSS 0.90 and 1.0 have their items beside the channel or inside it", "[stitch]") {
  auto const f = read(
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
      "<channel rdf:about='http://c.test/'><title>c</title><items><rdf:Seq><rdf:li resource='x'/></rdf:Seq></items>"
      "<item rdf:about='http://c.test/1'><title>in</title></item></channel>"
      "<image><title>img</title></image>"
      "<item rdf:about='http://c.test/2'><title>beside</title><link>http://c.test/two</link></item></rdf:RDF>");
  CHECK(f.format == "rss 1.0");
  CHECK(f.title == "c");
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].id == "http://c.test/1");
  CHECK(f.items[0].link == "http://c.test/1");
  CHECK(f.items[1].id == "http://c.test/2");
  CHECK(f.items[1].link == "http://c.test/two");
  CHECK(read("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' "
             "xmlns:dc='http://purl.org/dc/elements/1.1/'><item rdf:about='http://c.test/3'><dc:identifier>doi:3"
             "</dc:identifier></item></rdf:RDF>")
            .items[0]
            .id == "http://c.test/3");
  CHECK(read("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
             "xmlns:r='http://my.netscape.com/rdf/simple/0.9/'>"
             "<r:channel><r:title>old</r:title></r:channel><r:item><r:title>i</r:title></r:item></rdf:RDF>")
            .items[0]
            .title == "i");
}

TEST_CASE("items count wherever they stand, and channel fields after them too", "[stitch]") {
  auto const f = read(
      "<rss "
      "version='2.0'><item><title>before</title></item><channel><item><title>in</title></item><title>c</title></"
      "channel>"
      "<item><title>after</title></item></rss>");
  CHECK(f.title == "c");
  CHECK(f.items.size() == 3);
}

TEST_CASE("a lone Atom entry is a feed of one", "[stitch]") {
  auto const f = read("<entry xmlns='http://www.w3.org/2005/Atom'><title>alone</title><id>x</id></entry>");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].title == "alone");
}

TEST_CASE("an entry inside a source or inside content is not an item", "[stitch]") {
  auto const f =
      read(atom("<entry><title>own</title><source><title>s</title><author><name>Sue</name></author></source>"
                "<content type='application/atom+xml'><entry><title>inner</title></entry></content></entry>"));
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].title == "own");
  CHECK(f.items[0].author == "Sue");
}

TEST_CASE("CDF is read", "[stitch]") {
  auto const f = read(
      "<CHANNEL HREF='http://c.test/' LASTMOD='1998-11-05T22:12'><TITLE>cdf</TITLE><ABSTRACT>about</ABSTRACT>"
      "<ITEM HREF='http://c.test/1' "
      "LASTMOD='1998-11-06T08:00'><TITLE>one</TITLE><ABSTRACT>first</ABSTRACT></ITEM></CHANNEL>");
  CHECK(f.format == "cdf");
  CHECK(f.link == "http://c.test/");
  CHECK(f.description == "about");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].link == "http://c.test/1");
  CHECK(f.items[0].summary == "first");
  CHECK(time_of(f.items[0].updated) == "1998-11-06T08:00:00Z");
}

TEST_CASE("what is no feed is refused", "[stitch]") {
  auto const text =
      GENERATE(as<std::string>{}, "", "   ", "just text", "[1,2]", "{\"a\":1}", "{\"items\":[{\"x\":1}]}",
               "<opml version='2.0'><body><outline text='x'/></body></opml>",
               "<kml xmlns='http://www.opengis.net/kml/2.2'><Document/></kml>",
               "<svg xmlns='http://www.w3.org/2000/svg'><title>x</title></svg>",
               "<!DOCTYPE html><html><head><title>x</title></head><body><p>rss</p></body></html>",
               "<html><body><rss version='2.0'>in text</rss></body></html>",
               "<OpenSearchDescription "
               "xmlns='http://a9.com/-/spec/opensearch/1.1/'><ShortName>x</ShortName></OpenSearchDescription>",
               "<service xmlns='http://www.w3.org/2007/app' "
               "xmlns:atom='http://www.w3.org/2005/Atom'><workspace><atom:title>x</atom:title></workspace></service>",
               "<app:categories xmlns:app='http://www.w3.org/2007/app'/>",
               "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'/>",
               "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
               "xmlns:foaf='http://xmlns.com/foaf/0.1/'><foaf:Person/></rdf:RDF>",
               "<?xml version='1.0'?>", "<feed xmlns='http://shop.test/products'><title>x</title></feed>");
  CHECK_FALSE(is_feed(text));
}

TEST_CASE("a feed with nothing in it is a feed when its root says so", "[stitch]") {
  CHECK(is_feed("<rss version='2.0'><channel/></rss>"));
  CHECK(is_feed("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'/>"));
  CHECK(
      is_feed("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
              "xmlns='http://channel.netscape.com/rdf/simple/0.9/'></rdf:RDF>"));
  CHECK(read("<feed version='0.3' xmlns='http://a.test/format-to-come#'><title>x</title></feed>").title == "x");
  auto const misnamed = read(
      "<feed xmlns='http://a.test/'><title>x</title><entry><title>e</title><link "
      "href='http://a.test/e'/></entry></feed>");
  CHECK(misnamed.title == "x");
  REQUIRE(misnamed.items.size() == 1);
  CHECK(misnamed.items[0].link == "http://a.test/e");
  CHECK(read("<feed xmlns='http://www.w3.org/2005/atom'><title>x</title></feed>").format == "atom 1.0");
}

TEST_CASE("JSON Feed's oddities are forgiven", "[stitch]") {
  auto const f = read(
      R"({"version":"https://jsonfeed.org/version/1.1","title":"T","home_page_url":"https://a.test/","feed_url":"/feed.json",
    "next_url":"page2.json","language":"de_DE","hubs":[{"type":"WebSub","url":"https://hub.test/"}],"author":{"name":"Top"},"description":null,
    "items":[{"id":7,"url":"/1","content_html":"<a href='x'>h</a>","content_text":"t","tags":"one","date_published":"2024-01-02T03:04:05+01:00"},
             {"id":"b","content_text":"a < b","authors":{"name":"Own"},"tags":["x",null,"x",""],"title":null,"image":"i.png",
              "attachments":[{"url":"a.mp3","mime_type":"audio/mpeg","size_in_bytes":9},{"mime_type":"x/y"},null]},
             {"id":1.5,"title":1984,"date_published":1072915200,"external_url":"https://e.test/","authors":[{"name":"A"},{"name":"B"}]}, 3, null]})",
      "https://a.test/f/feed.json");
  CHECK(f.self == "https://a.test/feed.json");
  CHECK(f.next == "https://a.test/f/page2.json");
  CHECK(f.hub == "https://hub.test/");
  CHECK(f.language == "de-DE");
  CHECK(f.description.empty());
  REQUIRE(f.items.size() == 3);
  CHECK(f.items[0].id == "7");
  CHECK(f.items[0].link == "https://a.test/1");
  CHECK(f.items[0].content == "<a href='https://a.test/f/x'>h</a>");
  CHECK(f.items[0].author == "Top");
  CHECK(f.items[0].categories == std::vector<std::string>{"one"});
  CHECK(time_of(f.items[0].published) == "2024-01-02T02:04:05Z");
  CHECK(f.items[1].content == "a < b");
  CHECK(f.items[1].content_is_text);
  CHECK(f.items[1].author == "Own");
  CHECK(f.items[1].categories == std::vector<std::string>{"x"});
  CHECK(f.items[1].image == "https://a.test/f/i.png");
  REQUIRE(f.items[1].enclosures.size() == 1);
  CHECK(f.items[1].enclosures[0].length == 9);
  CHECK(f.items[2].id == "1.5");
  CHECK(f.items[2].title == "1984");
  CHECK(time_of(f.items[2].published) == "2004-01-01T00:00:00Z");
  CHECK(f.items[2].link == "https://e.test/");
  CHECK(f.items[2].author == "A, B");
}

TEST_CASE("a JSON feed that says only the number of its version is one when its items are", "[stitch]") {
  CHECK(read(R"({"version":"1.0","items":[{"content_text":"x"}]})").format == "json feed 1.0");
  CHECK_FALSE(is_feed(R"({"version":"1.0","items":[{"price":3}]})"));
}

TEST_CASE("the version of a JSON feed is known in whatever way it is written", "[stitch]") {
  auto const format = [](std::string_view version) {
    return read(R"({"version":)" + std::string{version} + R"(,"title":7,"items":[{"content_text":"x"}]})").format;
  };
  CHECK(format(R"("https://jsonfeed.org/version/1/")") == "json feed 1.0");
  CHECK(format(R"("HTTPS://JSONFEED.ORG/VERSION/1.1")") == "json feed 1.1");
  CHECK(format("1") == "json feed 1.0");
  CHECK(format("1.1") == "json feed 1.1");
  CHECK(format("null") == "json feed");
  CHECK(read(R"({"version":1,"title":7,"items":[{"content_text":"x"}]})").title == "7");
}

TEST_CASE("JSON that is not quite JSON loses nothing but what is broken", "[stitch]") {
  std::string const whole =
      "{\"version\":\"https:\\/\\/jsonfeed.org\\/version\\/1\", // a \"comment\n"
      "\"title\":\"two\nlines,\ta tab\", /* \"another */ "
      "\"items\":[{\"id\":\"\\ud83d\\ude00\",\"title\":\"\\ud800x\\udc00\\u0000\\ud83d\\\"\"},"
      "{\"id\":\"it\\'s\",\"title\":\"\\u00zz \\q\\\\\"}]}";
  auto const check = [](feed const& f) {
    CHECK(f.title == "two\nlines,\ta tab");
    CHECK(f.repaired);
    REQUIRE(f.items.size() == 2);
    CHECK(f.items[0].id == "\U0001f600");
    CHECK(f.items[0].title == "\ufffdx\ufffd\ufffd\"");
    CHECK(f.items[1].id == "it's");
    CHECK(f.items[1].title == "u00zz q\\");
  };
  check(read(whole));

  std::vector<item> items;
  cistern::stitch::feed::feed_reader reader{{}, [&items](item&& i) { items.push_back(std::move(i)); }};
  for (char const c : whole) reader.push({&c, 1});
  auto pieces = reader.finish();
  REQUIRE(pieces.has_value());
  pieces->items = std::move(items);
  check(*pieces);
}

TEST_CASE("numbers in a JSON feed's tags and sizes count", "[stitch]") {
  auto const f = read(R"({"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","tags":[2024,"a"],
    "attachments":[{"url":"http://a.test/1","size_in_bytes":5.0},{"url":"http://a.test/2","size_in_bytes":5.5},
                   {"url":"http://a.test/3","size_in_bytes":-1}]}]})");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].categories == std::vector<std::string>{"2024", "a"});
  REQUIRE(f.items[0].enclosures.size() == 3);
  CHECK(f.items[0].enclosures[0].length == 5);
  CHECK_FALSE(f.items[0].enclosures[1].length);
  CHECK_FALSE(f.items[0].enclosures[2].length);
}

TEST_CASE("the names in a JSON feed are known in any case", "[stitch]") {
  auto const f =
      read(R"({"Version":"https://jsonfeed.org/version/1","TITLE":"T","items":[{"ID":"1","content_HTML":"h"}]})");
  CHECK(f.title == "T");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].content == "h");
}

TEST_CASE("in a JSON feed a list stands for its first value, and one value for a list of one", "[stitch]") {
  auto const f = read(R"({"version":"https://jsonfeed.org/version/1.1","title":["T","U"],"language":["en","de"],
    "hubs":{"type":"WebSub","url":"https://hub.test/"},
    "items":[{"id":["1","2"],"url":["https://a.test/1","https://a.test/2"],"content_html":["<p>1</p>"],
      "author":{"name":["Ann","Bob"]},"date_published":["2023-05-15T14:30:00Z"],"tags":"one",
      "attachments":{"url":["https://a.test/f"],"mime_type":["a/b"],"size_in_bytes":["7"]}},
     {"id":"2","authors":[{"name":"Cem"},12,true,{"url":"https://c.test/"},"Dan"]}]})");
  CHECK(f.title == "T");
  CHECK(f.language == "en");
  CHECK(f.hub == "https://hub.test/");
  REQUIRE(f.items.size() == 2);
  auto const& first = f.items[0];
  CHECK(first.id == "1");
  CHECK(first.link == "https://a.test/1");
  CHECK(first.content == "<p>1</p>");
  CHECK(first.author == "Ann");
  CHECK(first.published.has_value());
  REQUIRE(first.enclosures.size() == 1);
  CHECK(first.enclosures[0].url == "https://a.test/f");
  CHECK(first.enclosures[0].length == 7U);
  CHECK(f.items[1].author == "Cem, 12, https://c.test/, Dan");
  CHECK(read(R"({"version":"https://jsonfeed.org/version/1","items":{"id":"9"}})").items.at(0).id == "9");
}

TEST_CASE("a JSON feed that was cut off keeps its complete items", "[stitch]") {
  auto const f =
      read(R"({"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1"},{"id":"2"},{"id":"3","tit)");
  CHECK(f.items.size() == 2);
  CHECK(f.repaired);
}

TEST_CASE("the first RSS is known by its namespace, before any element", "[stitch]") {
  CHECK(read("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
             "xmlns='http://my.netscape.com/rdf/simple/0.9/'/>")
            .format == "rss 0.90");
}

TEST_CASE("the word <rss> in a text is no feed", "[stitch]") {
  CHECK_FALSE(is_feed("Please subscribe to <rss> now"));
  CHECK(is_feed("<rss/>"));
  CHECK(is_feed("<rss version='2.0'/>"));
  CHECK(is_feed("<rss><channel/></rss>"));
}

TEST_CASE("an Atom feed may use the names of RSS", "[stitch]") {
  auto const f =
      read(atom("<description>about</description><link>http://h.test/</link>"
                "<entry><guid>g</guid><link>http://h.test/1</link><description>text</description>"
                "<pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate></entry>"));
  CHECK(f.description == "about");
  CHECK(f.link == "http://h.test/");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].id == "g");
  CHECK(f.items[0].link == "http://h.test/1");
  CHECK(f.items[0].summary == "text");
  CHECK(time_of(f.items[0].published) == "2004-01-01T19:48:21Z");
  CHECK(atom_entry("<link>http://h.test/rss</link><link href='http://h.test/atom'/>").link == "http://h.test/atom");
}
