#include "stitch/feed/text.hpp"
#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

TEST_CASE("Atom's text types mean what they say", "[stitch]") {
  CHECK(atom_entry("<title>a &lt;b&gt; c</title>").title == "a <b> c");
  CHECK(atom_entry("<title type='text'>a &lt;b&gt;</title>").title == "a <b>");
  CHECK(atom_entry("<title type='html'>a &lt;b&gt;c&lt;/b&gt;</title>").title == "a c");
  CHECK(atom_entry("<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>c</b></div></title>").title ==
        "a c");
  CHECK(atom_entry("<summary type='text/html'>&lt;b&gt;x&lt;/b&gt;</summary>").summary == "<b>x</b>");
  CHECK(atom_entry("<summary type='text/plain'>1 &lt; 2</summary>").summary == "1 < 2");
  CHECK(atom_entry("<content type='application/xhtml+xml'><x:div xmlns:x='http://www.w3.org/1999/xhtml'><x:p>a &amp; "
                   "b</x:p></x:div></content>")
            .content == "<p>a &amp; b</p>");
  CHECK(
      atom_entry("<content type='html'><div xmlns='http://www.w3.org/1999/xhtml'>&lt;p&gt;a&lt;/p&gt;</div></content>")
          .content == "<p>a</p>");
  CHECK(atom_entry("<content type='xhtml'><h:div>a <h:b>c</h:b></h:div></content>").content == "a <b>c</b>");
  CHECK(atom_entry("<content type='application/octet-stream'>SGk8Yj4=</content>").content == "Hi<b>");
  CHECK(atom_entry("<content type='application/xml'><a><c/></a></content>").content == "<a><c></c></a>");
}

TEST_CASE("drawings and formulas inside a text come out as HTML writes them", "[stitch]") {
  CHECK(
      atom_entry("<content type='xhtml' xmlns:s='http://www.w3.org/2000/svg'><div xmlns='http://www.w3.org/1999/xhtml'>"
                 "<s:svg width='1'><s:circle r='1'/></s:svg></div></content>")
          .content == "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\"><circle r=\"1\"></circle></svg>");
  CHECK(rss_item("<description><math xmlns='http://www.w3.org/1998/Math/MathML'><mi>a</mi></math></description>")
            .summary == "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><mi>a</mi></math>");
}

TEST_CASE("Atom 0.3 has modes", "[stitch]") {
  auto const entry = [](std::string_view inside) {
    return read("<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry>" + std::string{inside} +
                "</entry></feed>")
        .items[0];
  };
  CHECK(entry("<summary type='text/html' mode='escaped'>&lt;b&gt;x&lt;/b&gt;</summary>").summary == "<b>x</b>");
  CHECK(entry("<summary type='application/xhtml+xml' mode='xml'>a <b>c</b></summary>").summary == "a <b>c</b>");
  CHECK(entry("<content type='text/html' mode='base64'>PGI+eDwvYj4=</content>").content == "<b>x</b>");
  CHECK(entry("<content type='text/html' mode='base64'>plain</content>").content == "plain");
  CHECK(entry("<title mode='base64'>no base64 at all!</title>").title == "no base64 at all!");
  CHECK(entry("<content type='image/png'>iVBORw0KGgoAAAAN</content>").content.empty());
  CHECK(entry("<content type='image/png'>no base64 at all!</content>").content.empty());
  CHECK(entry("<title>a <b>c</b></title>").title == "a c");
  auto const i = entry(
      "<issued>2004-01-01T00:00:00Z</issued><modified>2004-01-02T00:00:00Z</modified><created>2003-01-01T00:00:00Z</"
      "created>");
  CHECK(time_of(i.published) == "2004-01-01T00:00:00Z");
  CHECK(time_of(i.updated) == "2004-01-02T00:00:00Z");
}

TEST_CASE("content in several forms is content in the first of them", "[stitch]") {
  CHECK(atom_entry(
            "<content type='multipart/alternative'><content type='text/html' mode='escaped'>&lt;p>a&lt;/p></content>"
            "<content type='text/plain'>b</content></content><title>t</title>")
            .content == "<p>a</p>");
}

TEST_CASE("nothing is unescaped twice", "[stitch]") {
  CHECK(atom_entry("<title type='html'>&amp;lt;</title>").title == "<");
  CHECK(atom_entry("<title type='text'>&amp;amp;</title>").title == "&amp;");
  CHECK(atom_entry("<title type='html'>AT&amp;amp;T</title>").title == "AT&T");
  CHECK(rss_item("<description>&amp;lt;b&amp;gt;</description>").summary == "&lt;b&gt;");
}

TEST_CASE("RSS titles are plain text whatever was put in them", "[stitch]") {
  CHECK(rss_item("<title><![CDATA[Tom &amp; Jerry &#8217;]]></title>").title == "Tom & Jerry ’");
  CHECK(rss_item("<title>AT&amp;amp;T</title>").title == "AT&T");
  CHECK(rss_item("<title>&lt;b&gt;Bold&lt;/b&gt; news</title>").title == "Bold news");
  CHECK(rss_item("<title>1 &lt; 2 and x &lt;y&gt; z</title>").title == "1 < 2 and x <y> z");
  CHECK(rss_item("<title>\n  Wide   \t</title>").title == "Wide");
  CHECK(rss_item("<title>&amp;nbsp; Wide\u00a0&#x3000;</title>").title == "Wide");
  CHECK(atom_entry("<title>&#x2003;\u00a0</title>").title.empty());
  CHECK(rss_item("<title>&lt;script&gt;evil()&lt;/script&gt;ok</title>").title == "ok");
}

TEST_CASE("an item's fields fall back over all vocabularies, the format's own first", "[stitch]") {
  CHECK(rss_item("<dc:title>dc</dc:title>").title == "dc");
  CHECK(rss_item("<media:group><media:title>m</media:title></media:group>").title == "m");
  CHECK(rss_item("<dc:title>dc</dc:title><title>own</title>").title == "own");
  CHECK(rss_item("<itunes:subtitle>sub</itunes:subtitle><itunes:summary>sum</itunes:summary>").summary == "sum");
  CHECK(rss_item("<media:group><media:description>m</media:description></media:group>").summary == "m");
  CHECK(rss_item("<dc:description>dc</dc:description>").summary == "dc");
  CHECK(rss_item("<encoded>e</encoded>").content == "e");
  CHECK(rss_item("<body xmlns='http://www.w3.org/1999/xhtml'><p>x</p></body>").content == "<p>x</p>");
  CHECK(rss_item("<fullitem>f</fullitem>").content == "f");
  CHECK(rss_item("<atom:content type='html'>a</atom:content>").content == "a");
  CHECK(read(rss("<itunes:summary>i</itunes:summary>")).description == "i");
  CHECK(read(atom("<subtitle>s</subtitle>")).description == "s");
}

TEST_CASE("Atom's own content counts for more than content in other vocabularies", "[stitch]") {
  constexpr auto other = "<c:encoded xmlns:c='http://purl.org/rss/1.0/modules/content/'>c</c:encoded>";
  CHECK(atom_entry(std::string{other} + "<content>a</content>").content == "a");
  CHECK(atom_entry(std::string{other} + "<content/>").content == "c");
  CHECK(rss_item(std::string{other} + "<atom:content>a</atom:content>").content == "c");
}

TEST_CASE("an empty content does not hide a filled description", "[stitch]") {
  auto const i = rss_item("<content:encoded> </content:encoded><description>d</description>");
  CHECK(i.content.empty());
  CHECK(i.summary == "d");
}

TEST_CASE("white space inside pre is kept", "[stitch]") {
  CHECK(rss_item("<description>&lt;pre&gt;a\n  b&lt;/pre&gt;</description>").summary == "<pre>a\n  b</pre>");
}

TEST_CASE("persons are known in every form RSS writes them", "[stitch]") {
  auto const [text, name] = GENERATE(table<std::string, std::string>({
      {"me@a.test (Ann Bee)", "Ann Bee"},
      {"Ann Bee (me@a.test)", "Ann Bee"},
      {"Ann Bee <me@a.test>", "Ann Bee"},
      {"me@a.test", "me@a.test"},
      {"mailto:me@a.test", "me@a.test"},
      {"This Life (WBEZ)", "This Life (WBEZ)"},
      {"me@a.test (Ann (Bee))", "Ann (Bee)"},
      {"  ", ""},
      {"\"Ann Bee\" <me@a.test>", "Ann Bee"},
      {"@handle", "@handle"},
      {"Ann &amp; Bob", "Ann & Bob"},
      {"<b>Ann</b>", "Ann"},
      {"me+x@a.test (Ann)", "Ann"},
  }));
  CHECK(stitch::feed::person_name(text) == name);
}

TEST_CASE("mail addresses have more letters than the alphabet", "[stitch]") {
  CHECK(rss_item("<author>P.O'Neill@a.test</author>").author == "P.O'Neill@a.test");
  CHECK(rss_item("<author>~@a.test (Ann)</author>").author == "Ann");
  CHECK(rss_item("<author>'ann@a.test' (Ann)</author>").author == "Ann");
  CHECK(rss_item("<author>Ann Lee, ann@a.test</author>").author == "Ann Lee");
  CHECK(rss_item("<author>mailto:ann%40a.test%20%28Ann%20Lee%29</author>").author == "Ann Lee");
  CHECK(rss_item("<author>mailto:Ann%20Lee%20%3Cann%40a%2Etest%3E?subject=x%20y</author>").author == "Ann Lee");
}

TEST_CASE("authors come from where the format keeps them", "[stitch]") {
  CHECK(rss_item("<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>").author == "Ann, Bob");
  CHECK(rss_item("<author>me@a.test (Ann)</author><dc:creator>Bob</dc:creator>").author == "Ann");
  CHECK(rss_item("<author/><itunes:author>Ann</itunes:author>").author == "Ann");
  CHECK(rss_item("<atom:author><atom:name>Ann</atom:name><atom:email>a@b.test</atom:email></atom:author>").author ==
        "Ann");
  auto const f =
      read(atom("<entry><title>a</title></entry><entry><author><email>b@b.test</email></author></"
                "entry><author><name>Top</name><uri>http://t.test</uri></author>"));
  CHECK(f.items[0].author == "Top");
  CHECK(f.items[1].author == "b@b.test");
  CHECK(atom_entry("<author><name>Ann</name></author><author><name>Bob</name></author><contributor><name>Con</name></"
                   "contributor>")
            .author == "Ann, Bob");
  CHECK(rss_item("<dc:creator><foaf:Person xmlns:foaf='http://xmlns.com/foaf/0.1/' foaf:name='Ann'><foaf:homepage "
                 "rdf:resource='http://a.test/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></foaf:Person>"
                 "</dc:creator>")
            .author == "Ann");
}

TEST_CASE("who made an item's picture is not its author", "[stitch]") {
  auto const f =
      read(rss("<managingEditor>ed@a.test (Ed)</managingEditor><item><title>a</title><media:group>"
               "<media:credit role='photographer'>Ann</media:credit></media:group></item>"));
  CHECK(f.items.at(0).author == "Ed");
}

TEST_CASE("an item without an author has the feed's, in every format", "[stitch]") {
  auto const [channel, name] = GENERATE(table<std::string, std::string>({
      {"<managingEditor>ed@a.test (Ed)</managingEditor>", "Ed"},
      {"<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator>", "Ann, Bob"},
      {"<itunes:author>Ann</itunes:author>", "Ann"},
      {"<itunes:owner><itunes:name>Ann</itunes:name><itunes:email>a@b.test</itunes:email></itunes:owner>", "Ann"},
      {"<atom:author><atom:name>Ann</atom:name></atom:author><managingEditor>ed@a.test</managingEditor>", "Ann"},
      {"<webMaster>root@a.test</webMaster>", ""},
  }));
  auto const f = read(rss(channel + "<item><title>a</title></item><item><author>own@a.test</author></item>"));
  REQUIRE(f.items.size() == 2);
  CHECK(f.items[0].author == name);
  CHECK(f.items[1].author == "own@a.test");
}

TEST_CASE("two names in one author are two authors, or one said twice", "[stitch]") {
  CHECK(atom_entry("<author><name>Ann</name><email>a@a.test</email><name>Bob</name></author>").author == "Ann, Bob");
  CHECK(atom_entry("<author><name>Ann</name><name>Ann</name></author>").author == "Ann");
  CHECK(
      atom_entry("<source><author><name>Ann</name><name>Bob</name></author></source><author><name>Cem</name></author>")
          .author == "Cem");
}

TEST_CASE("several people in one line are several people", "[stitch]") {
  CHECK(rss_item("<author>a@a.test (Ann), b@a.test (Bob), c@a.test</author>").author == "Ann, Bob, c@a.test");
  CHECK(rss_item("<author>Ann ([()]) (a@a.test)</author>").author == "Ann");
  CHECK(rss_item("<author>Ann &lt;a@a.test&gt;; Bob &lt;b@a.test&gt;</author>").author == "Ann, Bob");
  CHECK(rss_item("<author>a@a.test; b@a.test</author>").author == "a@a.test, b@a.test");
}

TEST_CASE("whoever has a name is not called by his addresses", "[stitch]") {
  auto const [author, name] = GENERATE(table<std::string, std::string>({
      {"Ann Lee http://a.test/ann", "Ann Lee"},
      {"Ann (https://a.test/@ann) Lee", "Ann Lee"},
      {"a@a.test [Ann Lee]", "Ann Lee"},
      {"Ann a@a.test Lee", "Ann Lee"},
      {"Ann Lee (a@a.test) (b@a.test)", "Ann Lee"},
      {"a@a.test (Ann) and b@a.test (Bob)", "(Ann) and (Bob)"},
      {"a@a.test (https://a.test/)", "a@a.test"},
      {"a@a.test b@a.test", "a@a.test"},
      {"a@a.test?subject=your_feed", "a@a.test"},
      {"https://a.test/@ann", "https://a.test/@ann"},
      {"Ann (@ann@a.test)", "Ann (@ann@a.test)"},
  }));
  CHECK(rss_item("<author>" + author + "</author>").author == name);
}

TEST_CASE("categories come from all vocabularies, without empties and repetitions", "[stitch]") {
  CHECK(rss_item("<category>a</category><category/><dc:subject>b</dc:subject><category>a</category><media:category>c</"
                 "media:category>"
                 "<itunes:keywords>d, e,,d</itunes:keywords><category><![CDATA[Q &amp; A]]></category>")
            .categories == std::vector<std::string>{"a", "b", "c", "d", "e", "Q & A"});
  CHECK(atom_entry("<category term='t' label='L'/><category term='u'/>").categories ==
        std::vector<std::string>{"L", "t", "u"});
  CHECK(rss_item("<itunes:category text='Tech'><itunes:category text='Gadgets'/></itunes:category>").categories ==
        std::vector<std::string>{"Tech", "Gadgets"});
  CHECK(rss_item("<tags>one, two</tags>").categories == std::vector<std::string>{"one", "two"});
}

TEST_CASE("a category's name is its text, not what someone put inside it", "[stitch]") {
  CHECK(
      rss_item("<category>News <image><url>http://a.test/i.png</url><title>x</title></image></category>").categories ==
      std::vector<std::string>{"News"});
  CHECK(rss_item("<category><b>News</b></category>").categories == std::vector<std::string>{"News"});
}

TEST_CASE("enclosures keep what can be believed", "[stitch]") {
  auto const i = rss_item(
      "<enclosure url='http://a.test/1' type='audio/mpeg; x=y' length='5'/><enclosure url=''/><enclosure "
      "url='http://a.test/2' length='1,000'/>"
      "<enclosure url='http://a.test/3' length='-1'/><enclosure url='http://a.test/4' length='1.5'/><media:content "
      "url='http://a.test/5' type='video/mp4' fileSize='7'/>"
      "<media:content url='http://a.test/1'/>");
  REQUIRE(i.enclosures.size() == 5);
  CHECK(i.enclosures[0].type == "audio/mpeg; x=y");
  CHECK(i.enclosures[0].length == 5);
  CHECK_FALSE(i.enclosures[1].length);
  CHECK_FALSE(i.enclosures[2].length);
  CHECK_FALSE(i.enclosures[3].length);
  CHECK(i.enclosures[4].length == 7);
  CHECK(atom_entry("<link rel='enclosure' href='http://a.test/e' type='a/b' length='3'/>").enclosures[0].length == 3);
  CHECK(atom_entry("<enclosure url='http://a.test/e' length='3'/>").enclosures[0].length == 3);
}

TEST_CASE("transcripts and chapters of a podcast come behind the episode", "[stitch]") {
  auto const f = read(
      "<rss version='2.0' xmlns:podcast='https://podcastindex.org/namespace/1.0'><channel><item>"
      "<podcast:transcript url='http://a.test/t.vtt' type='text/vtt'/><podcast:chapters url='http://a.test/c.json' "
      "type='application/json+chapters'/>"
      "<enclosure url='http://a.test/e.mp3' type='audio/mpeg'/></item></channel></rss>");
  REQUIRE(f.items[0].enclosures.size() == 3);
  CHECK(f.items[0].enclosures[0].url == "http://a.test/e.mp3");
  CHECK(f.items[0].enclosures[1].type == "text/vtt");
}

TEST_CASE("comments are a page, not a number", "[stitch]") {
  CHECK(rss_item("<slash:comments>5</slash:comments><comments>http://a.test/c</comments>").comments ==
        "http://a.test/c");
  CHECK(rss_item("<comments>12</comments>", "http://a.test/").comments.empty());
  CHECK(rss_item("<comments>see below</comments>", "http://a.test/").comments.empty());
  CHECK(atom_entry("<link rel='replies' type='application/atom+xml' href='http://a.test/f'/><link rel='replies' "
                   "type='text/html' href='http://a.test/c'/>")
            .comments == "http://a.test/c");
}

TEST_CASE("what an enclosure does not say of itself is taken from media:content of the same address", "[stitch]") {
  auto const i = rss_item(
      "<enclosure url='http://a.test/v'/><media:content url='http://a.test/v' type='video/mpeg' fileSize='7'/>"
      "<enclosure url='http://a.test/w' type='a/b' length='1'/>"
      "<media:content url='http://a.test/w' type='c/d' fileSize='2'/>");
  REQUIRE(i.enclosures.size() == 2);
  CHECK(i.enclosures[0].type == "video/mpeg");
  CHECK(i.enclosures[0].length == 7U);
  CHECK(i.enclosures[1].type == "a/b");
  CHECK(i.enclosures[1].length == 1U);
}

TEST_CASE("an item's image is a thumbnail, else what iTunes or the item says", "[stitch]") {
  CHECK(rss_item(
            "<itunes:image href='http://a.test/i'/><media:group><media:thumbnail url='http://a.test/t'/></media:group>")
            .image == "http://a.test/t");
  CHECK(rss_item("<itunes:image>http://a.test/i</itunes:image>").image == "http://a.test/i");
  CHECK(rss_item("<image><url>http://a.test/i</url><title>x</title></image>").image == "http://a.test/i");
  auto const pictured =
      rss_item("<media:content url='http://a.test/i' medium='image'/><enclosure url='http://a.test/e'/>");
  CHECK(pictured.image == "http://a.test/i");
  CHECK(rss_item("<enclosure url='http://a.test/e.mp3' type='audio/mpeg'/><enclosure url='http://a.test/e' "
                 "type='Image/png'/>")
            .image == "http://a.test/e");
  CHECK(atom_entry("<link rel='enclosure' href='http://a.test/e' type='image/gif'/>").image == "http://a.test/e");
  CHECK(rss_item("<enclosure url='http://a.test/e' type='image/png'/><itunes:image href='http://a.test/i'/>").image ==
        "http://a.test/i");
  REQUIRE(pictured.enclosures.size() == 2);  // a picture is attached too, behind what the item itself attaches
  CHECK(pictured.enclosures[0].url == "http://a.test/e");
  CHECK(pictured.enclosures[1].url == "http://a.test/i");
}

TEST_CASE("a title keeps angle brackets that are no HTML and loses what is", "[stitch]") {
  auto const title = [](std::string_view text) {
    return rss_item("<title><![CDATA[" + std::string{text} + "]]></title>").title;
  };
  CHECK(title("RSS <<<Tutorial>>>") == "RSS <<<Tutorial>>>");
  CHECK(title("<<b>bold</b>>") == "<bold>");
  CHECK(title("if a < b then <em>yes</em> else x<y>z") == "if a < b then yes else x<y>z");
  CHECK(title("<!DOCTYPE html>Title") == "Title");
  CHECK(title("<?xml version='1.0'?>Title") == "Title");
  CHECK(title("<?php ?> explained") == "<?php ?> explained");
  for (std::string const name :
       {"applet", "datalist", "hgroup", "meter", "noframes", "output", "progress", "slot", "xmp"})
    CHECK(title("<" + name + ">x</" + name + "> and <" + name + " />y") == "x and y");
}

TEST_CASE("Atom content of any kind of plain text is that text", "[stitch]") {
  auto const i = atom_entry("<content type='text/markdown'>a &lt; *b*</content>");
  CHECK(i.content == "a < *b*");
  CHECK(i.content_is_text);
}

TEST_CASE("an enclosure may say its address as a link does", "[stitch]") {
  auto const i = rss_item("<enclosure href='http://a.test/e' type='a/b' length='5'/>");
  REQUIRE(i.enclosures.size() == 1);
  CHECK(i.enclosures[0].url == "http://a.test/e");
  CHECK(i.enclosures[0].length == 5);
  auto const shared = rss_item("<media:peerLink type='application/x-bittorrent' href=' http://a.test/t '/>");
  REQUIRE(shared.enclosures.size() == 1);
  CHECK(shared.enclosures[0].url == "http://a.test/t");
  CHECK(shared.enclosures[0].type == "application/x-bittorrent");
}

TEST_CASE("of an RSS description and a summary the second is the content", "[stitch]") {
  auto const after = rss_item("<description>d</description><summary>s</summary>");
  CHECK(after.summary == "d");
  CHECK(after.content == "s");
  auto const before = rss_item("<summary>s</summary><description>d</description>");
  CHECK(before.summary == "s");
  CHECK(before.content == "d");
  auto const full = rss_item("<summary>s</summary><description>d</description><content:encoded>c</content:encoded>");
  CHECK(full.summary == "s");
  CHECK(full.content == "c");
}

TEST_CASE("an XHTML body that holds escaped text is the markup in it", "[stitch]") {
  std::string const open = "<body xmlns='http://www.w3.org/1999/xhtml'>";
  CHECK(rss_item(open + "<![CDATA[<p>a &amp; b</p>]]></body>").content == "<p>a &amp; b</p>");
  CHECK(rss_item(open + "<p>a &lt; b</p></body>").content == "<p>a &lt; b</p>");
}
