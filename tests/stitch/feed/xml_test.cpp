#include "stitch/entities.hpp"
#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

TEST_CASE("lines end in one way, in short texts and in long ones", "[stitch]") {
  std::string const line(100, 'x');
  std::string given, expected;
  for (int i = 0; i < 2000; ++i) {
    given += line.substr(static_cast<std::size_t>(i % 7)) + (i % 3 == 0 ? "\r" : "\r\n");
    expected += line.substr(static_cast<std::size_t>(i % 7)) + "\n";
  }
  auto const i = rss_item("<title>a\r\nb\rc\n\r\nd</title><description>" + given + "end</description>");
  CHECK(i.title == "a\nb\nc\n\nd");
  CHECK(i.summary == expected + "end");
}

TEST_CASE("HTML's names for characters are known without a DTD, capitals told apart", "[stitch]") {
  CHECK(read(rss("<title>&AElig;&aelig;&nbsp;&shy;&rsquo;&hearts;&Omega;&omega;</title>")).title ==
        "Ææ\u00a0\u00ad’♥Ωω");
  CHECK(rss_item("<link>http://a.test/?x=1&amp;y=2</link>").link == "http://a.test/?x=1&y=2");
  CHECK(atom_entry("<title>&eacute;</title><category term='&uuml;'/>").categories[0] == "ü");
}

TEST_CASE("damaged references are repaired and a query variable stays one", "[stitch]") {
  CHECK(read(rss("<title>AT&T &amp B &#X41; &#65 &unknown; &</title>")).title == "AT&T & B A A &unknown; &");
  CHECK(rss_item("<link>http://a.test/?a=1&copy=2&reg=3&b=4</link>").link == "http://a.test/?a=1&copy=2&reg=3&b=4");
  CHECK(rss_item("<enclosure url='http://a.test/?a=1&copy=2' type='x/y'/>").enclosures[0].url ==
        "http://a.test/?a=1&copy=2");
}

TEST_CASE("a character written as references to its bytes is that character", "[stitch]") {
  CHECK(rss_item("<title>a&#226;&#128;&#166;b</title>").title == "a…b");
  CHECK(rss_item("<title>&#xE2;&#x80;&#x99;</title>").title == "’");
  CHECK(rss_item("<title>&#195;&#137;</title>").title == "É");
  CHECK(rss_item("<title>&#195;&#169;</title>").title == "Ã©");  // both are characters, so both are meant
  CHECK(rss_item("<title>&#226;&#128;</title>").title == "â€");
  CHECK(rss_item("<title>&#128;&#128;</title>").title == "€€");
}

TEST_CASE("numeric references mean what browsers make of them", "[stitch]") {
  CHECK(read(rss("<title>&#128;&#145;x&#146;&#x99;</title>")).title == "€‘x’™");
  CHECK(read(rss("<title>a&#x110000;b&#xD800;c&#0;d&#12;e</title>")).title == "a\ufffdb\ufffdc\ufffdde");
}

TEST_CASE("internal entities are expanded, external ones mean nothing", "[stitch]") {
  auto const f = read(
      "<!DOCTYPE rss [<!ENTITY who 'Me &amp; you'><!ENTITY both '&who;!'><!ENTITY file SYSTEM 'file:///etc/passwd'>"
      "<!ENTITY % p SYSTEM 'http://127.0.0.1:1/x.dtd'>%p;]><rss version='2.0'><channel><title>[&both;][&file;]</title>"
      "<item><title>x</title><category>&who;</category></item></channel></rss>");
  CHECK(f.title == "[Me & you!][]");
  CHECK(f.items[0].categories[0] == "Me & you");
}

TEST_CASE("brackets in an entity's value or a comment do not end the DOCTYPE", "[stitch]") {
  CHECK(read("<!DOCTYPE rss [<!-- don't ] --><!ENTITY e '[x]>'>]><rss "
             "version='2.0'><channel><title>&e;</title></channel></rss>")
            .title == "[x]>");
}

TEST_CASE("a prefix nobody declared means what it usually means", "[stitch]") {
  auto const f = read(
      "<rss version='2.0'><channel><item><title>t</title><dc:creator>Ann</dc:creator>"
      "<content:encoded>full</content:encoded><media:thumbnail url='http://a.test/i.png'/></item></channel></rss>");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].author == "Ann");
  CHECK(f.items[0].content == "full");
  CHECK(f.items[0].image == "http://a.test/i.png");
}

TEST_CASE("the usual prefix of an extension whose namespace nobody knows means what it usually means", "[stitch]") {
  auto const f = read(
      "<rss version='2.0' xmlns:dc='http://purl.test/dc/element' xmlns:content='http://typo.test/content' "
      "xmlns:atom='http://no.test/atom' xmlns:x='http://purl.test/dc/element'><channel><item><title>t</title>"
      "<dc:creator>Ann</dc:creator><content:encoded>full</content:encoded><atom:link href='http://a.test/'/>"
      "<x:subject>s</x:subject></item></channel></rss>");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].author == "Ann");
  CHECK(f.items[0].content == "full");
  CHECK(f.items[0].link.empty());
  CHECK(f.items[0].categories.empty());
}

TEST_CASE("RDF's attributes are known by their namespace, and without one in RDF", "[stitch]") {
  std::string const about = GENERATE(as<std::string>{}, "r:about", "about");
  auto const f = read(
      "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
      "<channel r:about='http://a.test/f'><title>c</title><link r:resource='http://a.test/'/></channel><item " +
      about + "='http://a.test/1'><title>t</title></item></r:RDF>");
  CHECK(f.link == "http://a.test/");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].id == "http://a.test/1");
  CHECK(f.items[0].link == "http://a.test/1");
}

TEST_CASE("an attribute in its element's own namespace is the element's, in another it is not", "[stitch]") {
  auto const f = read(
      "<a:feed xmlns:a='http://www.w3.org/2005/Atom' xmlns:x='http://x.test/'><a:title a:type='html'>A &amp;amp; "
      "B</a:title>"
      "<a:link a:rel='self' a:href='http://a.test/f' x:href='http://x.test/'/><a:entry><a:category a:term='k'/>"
      "<a:link x:href='http://x.test/'/></a:entry></a:feed>");
  CHECK(f.title == "A & B");
  CHECK(f.self == "http://a.test/f");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].categories == std::vector<std::string>{"k"});
  CHECK(f.items[0].link.empty());
}

TEST_CASE("elements are bound by namespace, not by prefix or default", "[stitch]") {
  auto const f = read(
      "<r:rss version='2.0' xmlns:r='http://nowhere.test/rss'><r:channel><r:title>c</r:title>"
      "<r:item><r:title>prefixed</r:title></r:item></r:channel></r:rss>");
  CHECK(f.title == "c");
  REQUIRE(f.items.size() == 1);
  CHECK(f.items[0].title == "prefixed");
  CHECK(read("<rss version='2.0' xmlns='http://backend.userland.com/rss2'><channel><title>d</title></channel></rss>")
            .title == "d");
  auto const a = read(
      "<a:feed xmlns:a='http://www.w3.org/2005/Atom' xmlns='http://www.w3.org/1999/xhtml'><a:title>p</a:title>"
      "<a:entry><a:title type='xhtml'><div>in <b>bold</b></div></a:title></a:entry></a:feed>");
  CHECK(a.title == "p");
  CHECK(a.items[0].title == "in bold");
}

TEST_CASE("a title in a foreign place does not replace the item's own", "[stitch]") {
  auto const i = rss_item(
      "<media:title>media</media:title><title>own</title><itunes:title>itunes</itunes:title>"
      "<s:title xmlns:s='http://shop.test/'>shop</s:title><image><title>image</title></image>"
      "<source url='http://b.test/'>Source</source><svg xmlns='http://www.w3.org/2000/svg'><title>svg</title></svg>");
  CHECK(i.title == "own");
  CHECK(read(rss("<title>own</title><image><title>image</title><link>http://i.test/</link></image><link>http://c.test/"
                 "</link>"
                 "<textInput><title>in</title><link>http://t.test/</link></textInput>"))
            .link == "http://c.test/");
}

TEST_CASE("old and new addresses of the modules are the same modules", "[stitch]") {
  for (auto const* dc : {"http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.0/",
                         "http://purl.org/dc/elements/1.1", "http://dublincore.org/documents/dcmi-namespace/"})
    CHECK(read("<rss version='2.0' xmlns:d='" + std::string{dc} +
               "'><channel><item><d:creator>Ann</d:creator></item></channel></rss>")
              .items[0]
              .author == "Ann");
  for (auto const* itunes :
       {"http://www.itunes.com/DTDs/PodCast-1.0.dtd", "http://www.itunes.com/dtds/podcast-1.0.dtd"})
    CHECK(read("<rss version='2.0' xmlns:i='" + std::string{itunes} +
               "'><channel><item><i:author>Ann</i:author></item></channel></rss>")
              .items[0]
              .author == "Ann");
}

TEST_CASE("markup left unescaped is kept in order with its text", "[stitch]") {
  CHECK(rss_item("<description>a <b>bold</b> <![CDATA[<i>c</i>]]> d<br/>e</description>").summary ==
        "a <b>bold</b> <i>c</i> d<br />e");
  CHECK(rss_item("<title>one <em>two</em> <![CDATA[three]]></title>").title == "one two three");
  CHECK(rss_item("<description><![CDATA[a]]>b<![CDATA[c]]></description>").summary == "abc");
}

TEST_CASE("a feed that was cut off keeps every complete item", "[stitch]") {
  auto const whole =
      rss("<title>t</title><item><title>one</title><guid>1</guid></item><item><title>two</title><guid>2</guid></item>"
          "<item><title>three</title><guid>3</guid><description><![CDATA[long text]]></description></item>");
  for (auto const* cut : {"<description><![CDATA[long", "<guid>3</gu", "<title>thr", "<description><!-- "}) {
    auto const at = whole.find("<item><title>three");
    auto const f = read(whole.substr(0, at) + "<item>" + cut);
    CHECK(f.items.size() == 2);
    CHECK(f.repaired);
  }
  CHECK(read(whole + "<p>trailing</p> garbage &").items.size() == 3);
}

TEST_CASE("wrong nesting is put right", "[stitch]") {
  auto const f =
      read(rss("<item><title>a</item><item><title>b</title><description>x <b>y <br> "
               "z</description><link>http://b.test/</link></item>"
               "</p><item><title>c</title><item><title>d</title></item>"));
  REQUIRE(f.items.size() == 4);
  CHECK(f.items[0].title == "a");
  CHECK(f.items[1].link == "http://b.test/");
  CHECK(f.items[2].title == "c");
  CHECK(f.items[3].title == "d");
  CHECK(rss_item("<title>t</title><item /><guid>g</guid>").id == "g");
}

TEST_CASE("an end tag without its '>' or with another prefix is one", "[stitch]") {
  auto const f = read(
      "<a:feed "
      "xmlns:a='http://www.w3.org/2005/Atom'><a:title>F</title><a:entry><a:title>T</title><a:id>i</x:id></entry>"
      "<a:entry><a:title>U</a:title\n <a:id>j</a:id></a:entry></a:feed>");
  CHECK(f.title == "F");
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].title == "T");
  CHECK(f.items[0].id == "i");
  CHECK(f.items[1].title == "U");
  CHECK(f.items[1].id == "j");
}

TEST_CASE("an item that an extension keeps inside another one is not an item of the feed", "[stitch]") {
  auto const f =
      read(rss("<item><x:old xmlns:x='urn:x'><x:version><item><title>before</title></item></x:version></x:old>"
               "<title>now</title></item><item><title>next</title></item>"));
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].title == "now");
  CHECK(f.items[1].title == "next");
}

TEST_CASE("a field of the channel whose end was forgotten does not swallow the items", "[stitch]") {
  auto const f =
      read(rss("<title>t</title><ttl>60<ttl>\n<image><url>u</url></image><item><title>1</title></item>"
               "<item><title>2</title></item><language>de</language>"));
  CHECK(f.title == "t");
  CHECK(f.language == "de");
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].title == "1");
  CHECK(f.items[1].title == "2");

  auto const prefixed = read(
      "<x:rss xmlns:x='http://bogus.test/'><x:channel><x:description>d<x:item><x:title>1</x:title></x:item>"
      "<x:item><x:title>2</x:title></x:item></x:channel></x:rss>");
  CHECK(prefixed.description == "d");
  CHECK(prefixed.items.size() == 2);
}

TEST_CASE("nothing whose end was forgotten swallows the items or the item's other fields", "[stitch]") {
  for (std::string const open :
       {"<copyright>c", "<skipHours><hour>3</hour>", "<skipHours><hour>3", "<image><url>u</url>", "<x:start>1",
        "<itunes:category text='a'>", "<textInput><title>s</title><name>q", "<x:unknown>u</x:other>"}) {
    CAPTURE(open);
    auto const f = read(rss(open + "<item><title>1</title></item><item><title>2</title></item>"));
    REQUIRE(f.items.size() == 2);
    CHECK(f.items[0].title == "1");
    CHECK(f.items[1].title == "2");
  }
  auto const f = read(atom("<updated>2020-01-02T03:04:05Z<entry><title>1</title></entry><entry><id>i</id></entry>"));
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].title == "1");

  auto const one = rss_item(
      "<guid>g<title>T &lt;b&gt;x&lt;/b&gt; <b>y</b><link>http://a.test/1<pubDate>2020-01-02T03:04:05Z<description>d");
  CHECK(one.id == "g");
  CHECK(one.title == "T x y");
  CHECK(one.link == "http://a.test/1");
  CHECK(time_of(one.published) == "2020-01-02T03:04:05Z");
  CHECK(one.summary == "d");
  CHECK(read("<rss><channel><copyright>c<title>F</title><x:n>1<link>http://a.test/</link></channel></rss>").title ==
        "F");
  auto const author = rss_item("<author>Ann<description>d</description><x:until>2020<guid>g</guid>");
  CHECK(author.author == "Ann");
  CHECK(author.summary == "d");
  CHECK(author.id == "g");
  CHECK(rss_item("<itunes:subtitle>s<guid>g</guid>").id == "g");
  CHECK(rss_item("<pubDate>2020<summary>s</summary>").summary == "s");
  CHECK(read(rss("<image>I</title><link>http://i.test/</link></image><link>http://a.test/</link>")).link ==
        "http://a.test/");
  CHECK(read("<rss><channel><link>http://a.test/</link><image>I<link>http://i.test/</link></image></channel></rss>")
            .link == "http://a.test/");
  CHECK(read(rss("<textInput><title>Find</title><description>x<name>q</name></textInput><title>F</title>")).title ==
        "F");
  CHECK(read(rss("<x:box><item><title>no</title></item></x:box><item><title>1</title></item>")).items.size() == 1);
}

TEST_CASE("a quote that only the next tag's closes ends with its own tag", "[stitch]") {
  auto const item =
      rss_item("<media:thumbnail url='http://a.test/t.png><title>T</title><enclosure url='http://a.test/e'/>");
  CHECK(item.image == "http://a.test/t.png");
  CHECK(item.title == "T");
  REQUIRE(item.enclosures.size() == 1);
  CHECK(item.enclosures[0].url == "http://a.test/e");
  CHECK(rss_item("<link>l</link><description><b title='a > b'>c</b></description>").summary ==
        "<b title=\"a &gt; b\">c</b>");
}

TEST_CASE("a link, a picture or an enclosure left open does not swallow what follows", "[stitch]") {
  for (std::string const open :
       {"<enclosure url='http://a.test/e'>", "<atom:link rel='self' href='http://a.test/e'>",
        "<media:thumbnail url='http://a.test/e'>", "<media:thumbnail url='http://a.test/e'><enclosure url='e'>"}) {
    CAPTURE(open);
    auto const f = read(rss("<item>" + open +
                            "<title>t</title><link>http://a.test/1</link></item>"
                            "<item><title>2</title></item>"));
    REQUIRE(f.items.size() == 2);
    CHECK(f.items[0].title == "t");
    CHECK(f.items[0].link == "http://a.test/1");
    CHECK(f.items[1].title == "2");
  }
  auto const entry = atom_entry("<link href='http://a.test/1'><title>t</title><id>i</id>");
  CHECK(entry.title == "t");
  CHECK(entry.id == "i");
  CHECK(entry.link == "http://a.test/1");
}

TEST_CASE("RSS in the namespace of one of its extensions is still RSS", "[stitch]") {
  for (std::string const uri : {"http://www.w3.org/2005/Atom", "http://search.yahoo.com/mrss/",
                                "http://purl.org/dc/elements/1.1/", "http://www.itunes.com/dtds/podcast-1.0.dtd",
                                "http://purl.org/rss/1.0/modules/content/", "http://www.w3.org/1999/xhtml"}) {
    CAPTURE(uri);
    std::string const inside =
        "<title>c</title><link>http://a.test/</link><x:link rel='self' "
        "href='http://a.test/self'/><item><title>a</title>"
        "<link>http://a.test/1</link><description>d</description><guid>g</guid>"
        "<pubDate>Mon, 21 Oct 2002 14:04:23 GMT</pubDate></item></channel></rss>";
    for (auto const& start : {"<rss xmlns:x='http://www.w3.org/2005/Atom' xmlns='" + uri + "'><channel>",
                              "<rss xmlns:x='http://www.w3.org/2005/Atom'><channel xmlns='" + uri + "'>"}) {
      auto const f = read(start + inside);
      CHECK(f.title == "c");
      CHECK(f.link == "http://a.test/");
      CHECK(f.self == "http://a.test/self");
      REQUIRE(f.items.size() == 1);
      CHECK(f.items[0].title == "a");
      CHECK(f.items[0].link == "http://a.test/1");
      CHECK(f.items[0].summary == "d");
      CHECK(f.items[0].id == "g");
      CHECK(time_of(f.items[0].published) == "2002-10-21T14:04:23Z");
    }
  }
}

TEST_CASE("the end of a CDATA section that never began costs no text", "[stitch]") {
  auto const i = rss_item("<title>a ]]> b]]></title><link>http://a.test/]]></link><description>x ]]> y</description>");
  CHECK(i.title == "a ]]> b]]>");
  CHECK(i.summary == "x ]]> y");
  CHECK(rss_item("<title><![CDATA[a <![CDATA[b]]> c]]></title>").title == "a b c]]>");

  auto const text = rss("<item><title>a ]]> b</title></item>");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    std::string title;
    stitch::feed::feed_reader reader{{}, [&title](item&& each) { title = each.title; }};
    reader.push(std::string_view{text}.substr(0, cut));
    reader.push(std::string_view{text}.substr(cut));
    REQUIRE(reader.finish().has_value());
    CHECK(title == "a ]]> b");
  }
}

TEST_CASE("attributes without quotes, without values and twice are read", "[stitch]") {
  auto const i = rss_item(
      "<enclosure url=http://a.test/x.mp3 type='audio/mpeg' type='b' length=5 nowrap /><title>a < b & c > d</title>");
  REQUIRE(i.enclosures.size() == 1);
  CHECK(i.enclosures[0].url == "http://a.test/x.mp3");
  CHECK(i.enclosures[0].type == "audio/mpeg");
  CHECK(i.title == "a < b & c > d");
}

TEST_CASE("every way of cutting a document into pieces gives the same feed", "[stitch]") {
  auto const text = "<?xml version='1.0'?><!-- c -->" +
                    rss("<title>A&amp;B &copy; é</title><item><title><![CDATA[x ]] y]]></title>"
                        "<description>&lt;p&gt;d&lt;/p&gt;</description><link>http://a.test/?a=1&b=2</link></item>");
  auto const expected = read(text);
  for (std::size_t step = 1; step < 40; ++step) {
    std::vector<item> items;
    stitch::feed::feed_reader reader{{}, [&items](item&& i) { items.push_back(std::move(i)); }};
    for (std::size_t at = 0; at < text.size(); at += step) reader.push(std::string_view{text}.substr(at, step));
    auto const f = reader.finish();
    REQUIRE(f.has_value());
    CHECK(f->title == expected.title);
    REQUIRE(items.size() == 1);
    CHECK(items[0].title == expected.items[0].title);
    CHECK(items[0].summary == expected.items[0].summary);
    CHECK(items[0].link == expected.items[0].link);
  }
}

TEST_CASE("what a feed says of itself is known before the items that waited for it", "[stitch]") {
  std::vector<std::string> order;
  stitch::feed::reader_options options;
  options.hold_bytes = 1U << 20;
  stitch::feed::feed_reader reader{options, [&order](item&& i) { order.push_back(i.title + " by " + i.author); }};
  reader.push(R"(<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>one</title></entry>
      <entry><title>two</title></entry><title>Late</title><author><name>Ann</name></author></feed>)");
  CHECK(order.empty());
  auto const whole = reader.finish([&order](stitch::feed::feed const& head) { order.push_back(head.title); });
  REQUIRE(whole.has_value());
  CHECK(order == std::vector<std::string>{"Late", "one by Ann", "two by Ann"});
}
