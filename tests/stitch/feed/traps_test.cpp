// Every trap of the list we were given (feed-traps.md, by its number), with a fixture of our own. What a table cannot
// show stands in the other files of this folder: 2 to 4 bytes_test, 8 bytes_test, 17 and 50 limits_test, identity and
// OPML in their own.

#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

namespace cistern::tests {
namespace {

using namespace std::string_literals;

enum class form { raw, item, channel, entry, feed };

struct trap {
  std::string_view name;
  form how;
  std::string bytes;  // the document, or what is inside of its item, channel, entry or feed
  std::string_view field, expected;
  std::string base, content_type;
};

std::string document_of(trap const& t) {
  switch (t.how) {
    case form::raw:
      return t.bytes;
    case form::item:
      return rss("<item>" + t.bytes + "</item>");
    case form::channel:
      return rss(t.bytes);
    case form::entry:
      return atom("<entry>" + t.bytes + "</entry>");
    case form::feed:
      return atom(t.bytes);
  }
  return {};
}

std::string joined(std::vector<std::string> const& values) {
  std::string out;
  for (auto const& v : values) (out += out.empty() ? "" : "|") += v;
  return out;
}

std::string field_of(stitch::feed::feed const& f, std::string_view field) {
  if (field == "feed.items") return std::to_string(f.items.size());
  if (field == "feed.title") return f.title;
  if (field == "feed.description") return f.description;
  if (field == "feed.hub") return f.hub;
  if (field == "feed.self") return f.self;
  if (field == "feed.language") return f.language;
  if (field == "feed.ttl") return f.ttl_minutes ? std::to_string(*f.ttl_minutes) : "";
  if (f.items.empty()) return "no item";
  auto const& i = f.items[0];
  if (field == "title") return i.title;
  if (field == "link") return i.link;
  if (field == "id") return i.id;
  if (field == "summary") return i.summary;
  if (field == "content") return i.content;
  if (field == "author") return i.author;
  if (field == "comments") return i.comments;
  if (field == "image") return i.image;
  if (field == "published") return time_of(i.published);
  if (field == "updated") return time_of(i.updated);
  if (field == "categories") return joined(i.categories);
  std::vector<std::string> urls;
  for (auto const& e : i.enclosures) urls.push_back(e.url);
  return joined(urls);
}

// clang-format off
trap const traps[] = {
    {"1 header charset before declaration", form::raw, "<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><item><title>caf\351</title></item></channel></rss>", "title", "café", "", "text/xml; charset=iso-8859-1"},
    {"1 declaration", form::raw, "<?xml version='1.0' encoding='koi8-r'?><rss version='2.0'><channel><item><title>\304\301</title></item></channel></rss>", "title", "да", "", ""},
    {"1 nothing said means UTF-8", form::raw, "<rss version='2.0'><channel><item><title>café</title></item></channel></rss>", "title", "café", "", ""},
    {"1 unreadable bytes are windows-1252", form::raw, "<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><item><title>\223caf\351\224</title></item></channel></rss>", "title", "“café”", "", ""},
    {"2 iso-8859-1 means windows-1252", form::raw, "<?xml version='1.0' encoding='iso-8859-1'?><rss version='2.0'><channel><item><title>\200</title></item></channel></rss>", "title", "€", "", ""},
    {"2 gb2312 means gb18030", form::raw, "<?xml version='1.0' encoding='gb2312'?><rss version='2.0'><channel><item><title>\326\320\351F</title></item></channel></rss>", "title", "中镕", "", ""},
    {"2 x-sjis", form::raw, "<?xml version='1.0' encoding='x-sjis'?><rss version='2.0'><channel><item><title>\223\372\207@</title></item></channel></rss>", "title", "日①", "", ""},
    {"2 euc-kr", form::raw, "<?xml version='1.0' encoding='euc-kr'?><rss version='2.0'><channel><item><title>\307\321</title></item></channel></rss>", "title", "한", "", ""},
    {"2 tis-620", form::raw, "<?xml version='1.0' encoding='tis-620'?><rss version='2.0'><channel><item><title>\241</title></item></channel></rss>", "title", "ก", "", ""},
    {"3 8-bit file that declares utf-16", form::raw, "<?xml version='1.0' encoding='utf-16'?><rss version='2.0'><channel><item><title>plain</title></item></channel></rss>", "title", "plain", "", ""},
    {"4 unknown label", form::raw, "<?xml version='1.0' encoding='nonsense-7'?><rss version='2.0'><channel><item><title>plain</title></item></channel></rss>", "title", "plain", "", ""},
    {"4 blanks and quotes in the parameter", form::raw, "<rss version='2.0'><channel><item><title>\351</title></item></channel></rss>", "title", "é", "", "text/xml; charset = \"iso-8859-1\" "},
    {"5 warning in front", form::raw, "<br />\n<b>Warning</b>: x in <b>/a.php</b>\n<?xml version='1.0'?><rss version='2.0'><channel><item><title>t</title></item></channel></rss>", "title", "t", "", ""},
    {"6 control bytes", form::item, "<title>a\001b\000c</title>"s, "title", "abc", "", ""},
    {"7 128-159", form::item, "<title>&#147;x&#148; &#x80;</title>", "title", "“x” €", "", ""},
    {"7 out of range", form::item, "<title>a&#x110000;b</title>", "title", "a�b", "", ""},
    {"7 surrogate", form::item, "<title>a&#xD800;b</title>", "title", "a�b", "", ""},
    {"9 capitals", form::item, "<title>&AElig;&aelig;&Omega;&nbsp;&hellip;</title>", "title", "ÆæΩ\302\240…", "", ""},
    {"10 no semicolon", form::item, "<title>caf&eacute x &copy 2</title>", "title", "café x © 2", "", ""},
    {"10 capital X", form::item, "<title>&#X41;</title>", "title", "A", "", ""},
    {"10 bare ampersand", form::item, "<title>a & b && c</title>", "title", "a & b && c", "", ""},
    {"10 query variable", form::item, "<link>http://a.test/?a=1&copy=2&lt=3</link>", "link", "http://a.test/?a=1&copy=2&lt=3", "", ""},
    {"11 internal entity", form::raw, "<!DOCTYPE rss [<!ENTITY me 'mine'>]><rss version='2.0'><channel><item><title>&me;</title></item></channel></rss>", "title", "mine", "", ""},
    {"11 external entity", form::raw, "<!DOCTYPE rss [<!ENTITY me SYSTEM 'file:///etc/hostname'>]><rss version='2.0'><channel><item><title>a&me;b</title></item></channel></rss>", "title", "ab", "", ""},
    {"11 parameter entity", form::raw, "<!DOCTYPE rss [<!ENTITY % p SYSTEM 'file:///etc/hostname'>%p;]><rss version='2.0'><channel><item><title>t</title></item></channel></rss>", "title", "t", "", ""},
    {"12 undeclared prefix", form::raw, "<rss version='2.0'><channel><item><dc:creator>Me</dc:creator></item></channel></rss>", "author", "Me", "", ""},
    {"13 all prefixed", form::raw, "<r:rss xmlns:r='http://backend.userland.com/rss2' version='2.0'><r:channel><r:item><r:title>t</r:title></r:item></r:channel></r:rss>", "title", "t", "", ""},
    {"13 bogus namespace", form::raw, "<rss xmlns='http://bogus.test/' version='2.0'><channel><item><title>t</title></item></channel></rss>", "title", "t", "", ""},
    {"13 foreign titles", form::item, "<media:title>m</media:title><title>own</title><itunes:title>i</itunes:title>", "title", "own", "", ""},
    {"14 dc without the final slash", form::raw, "<rss version='2.0' xmlns:d='http://purl.org/dc/elements/1.1'><channel><item><d:creator>Me</d:creator></item></channel></rss>", "author", "Me", "", ""},
    {"14 dc 1.0", form::raw, "<rss version='2.0' xmlns:d='http://purl.org/dc/elements/1.0/'><channel><item><d:creator>Me</d:creator></item></channel></rss>", "author", "Me", "", ""},
    {"15 markup unescaped", form::item, "<description>a <b>bold</b> <![CDATA[& <i>c</i>]]> d</description>", "summary", "a <b>bold</b> & <i>c</i> d", "", ""},
    {"16 cut off", form::raw, "<rss version='2.0'><channel><item><title>one</title></item><item><title>tw", "feed.items", "1", "", ""},
    {"16 text after the root", form::raw, "<rss version='2.0'><channel><item><title>one</title></item></channel></rss> trailing <!-- ", "feed.items", "1", "", ""},
    {"18 version 2.1", form::raw, "<rss version='2.1'><channel><item><title>t</title></item></channel></rss>", "title", "t", "", ""},
    {"18 no version", form::raw, "<rss><channel><item><title>t</title></item></channel></rss>", "title", "t", "", ""},
    {"18 atom 0.3", form::raw, "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title>t</title><issued>2004-01-02T03:04:05Z</issued></entry></feed>", "published", "2004-01-02T03:04:05Z", "", ""},
    {"18 lone entry", form::raw, "<entry xmlns='http://www.w3.org/2005/Atom'><title>t</title></entry>", "title", "t", "", ""},
    {"18 CDF", form::raw, "<CHANNEL HREF='http://a.test/'><ITEM HREF='http://a.test/1' LASTMOD='2001-02-03T04:05'><TITLE>t</TITLE><ABSTRACT>s</ABSTRACT></ITEM></CHANNEL>", "summary", "s", "", ""},
    {"19 rdf:about is id and link", form::raw, "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'><channel/><item rdf:about='http://a.test/1'><title>t</title></item></rdf:RDF>", "link", "http://a.test/1", "", ""},
    {"20 items under rss", form::raw, "<rss version='2.0'><channel><title>c</title></channel><item><title>t</title></item></rss>", "title", "t", "", ""},
    {"20 fields after the items", form::raw, "<rss version='2.0'><channel><item><title>t</title></item><title>late</title></channel></rss>", "feed.title", "late", "", ""},
    {"21 source", form::entry, "<source><title>s</title><author><name>S</name></author></source><title>t</title>", "title", "t", "", ""},
    {"21 source author", form::entry, "<source><title>s</title><author><name>S</name></author></source><title>t</title>", "author", "S", "", ""},
    {"22 OPML", form::raw, "<opml version='2.0'><body/></opml>", "refused", "yes", "", ""},
    {"22 KML", form::raw, "<kml xmlns='http://www.opengis.net/kml/2.2'/>", "refused", "yes", "", ""},
    {"22 SVG", form::raw, "<svg xmlns='http://www.w3.org/2000/svg'><title>t</title></svg>", "refused", "yes", "", ""},
    {"22 OpenSearch", form::raw, "<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'/>", "refused", "yes", "", ""},
    {"22 AtomPub service", form::raw, "<service xmlns='http://www.w3.org/2007/app'/>", "refused", "yes", "", ""},
    {"22 AtomPub categories", form::raw, "<categories xmlns='http://www.w3.org/2007/app'/>", "refused", "yes", "", ""},
    {"22 XRD", form::raw, "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'/>", "refused", "yes", "", ""},
    {"22 HTML", form::raw, "<!DOCTYPE html><html><title>t</title></html>", "refused", "yes", "", ""},
    {"22 JSON", form::raw, "{\"a\": 1}", "refused", "yes", "", ""},
    {"22 empty", form::raw, "", "refused", "yes", "", ""},
    {"22 JSON array", form::raw, "[1]", "refused", "yes", "", ""},
    {"22 sitemap", form::raw, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>", "refused", "yes", "", ""},
    {"22 SOAP", form::raw, "<soap:Envelope xmlns:soap='http://schemas.xmlsoap.org/soap/envelope/'/>", "refused", "yes", "", ""},
    {"22 plain text", form::raw, "hello", "refused", "yes", "", ""},
    {"23 prefers html", form::entry, "<link rel='self' href='/s'/><link rel='enclosure' href='/e'/><link type='application/pdf' href='/p'/><link type='text/html' href='/h'/>", "link", "http://a.test/h", "http://a.test/dir/feed", ""},
    {"23 no href does not shift", form::entry, "<link/><link rel='alternate' href=''/><link href='/x'/>", "link", "http://a.test/x", "http://a.test/dir/feed", ""},
    {"24 guid as link", form::item, "<guid>http://a.test/g</guid>", "link", "http://a.test/g", "", ""},
    {"24 not a permalink", form::item, "<guid isPermaLink='FALSE'>http://a.test/g</guid>", "link", "", "", ""},
    {"24 guid that is no address", form::item, "<guid>tag:a,1</guid>", "link", "", "", ""},
    {"24 atom:link", form::item, "<atom:link rel='alternate' href='http://a.test/x'/><guid isPermaLink='false'>1</guid>", "link", "http://a.test/x", "", ""},
    {"25 chain", form::raw, "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.test/one/'><entry xml:base='two/'><link href='x'/></entry></feed>", "link", "http://b.test/one/two/x", "http://a.test/dir/feed", ""},
    {"25 empty base changes nothing", form::raw, "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.test/one/'><entry xml:base=''><link xml:base='#f' href='x'/></entry></feed>", "link", "http://b.test/one/x", "", ""},
    {"25 self link", form::raw, "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='http://c.test/d/feed'/><entry><link href='x'/></entry></feed>", "link", "http://c.test/d/x", "", ""},
    {"25 channel link", form::channel, "<link>http://c.test/d/</link><item><link>x</link></item>", "link", "http://c.test/d/x", "", ""},
    {"26 links in summary", form::entry, "<summary type='html'>&lt;a href='x'&gt;&lt;img src='/i' srcset='/j 2x, k 3x'&gt;&lt;/a&gt;</summary>", "summary", "<a href='http://a.test/dir/x'><img src='http://a.test/i' srcset='http://a.test/j 2x, http://a.test/dir/k 3x'></a>", "http://a.test/dir/feed", ""},
    {"26 text is left alone", form::entry, "<summary type='text'>&lt;a href='x'></summary>", "summary", "<a href='x'>", "http://a.test/dir/feed", ""},
    {"26 id is never resolved", form::entry, "<id>x</id>", "id", "x", "http://a.test/dir/feed", ""},
    {"27 backslashes and dots", form::item, "<link> http:\\\\a.test\\b\\..\\c </link>", "link", "http://a.test/c", "", ""},
    {"27 host and port", form::item, "<link>HTTP://A.TEST:80/x</link>", "link", "http://a.test/x", "", ""},
    {"28 IRI", form::item, "<link>http://a.test/ü</link>", "link", "http://a.test/ü", "", ""},
    {"29 hub in RSS", form::channel, "<atom:link rel='HUB' href='http://h.test/'/><item/>", "feed.hub", "http://h.test/", "", ""},
    {"29 IANA rel", form::feed, "<link rel='http://www.iana.org/assignments/relation/self' href='http://s.test/'/><entry/>", "feed.self", "http://s.test/", "", ""},
    {"29 token list", form::feed, "<link rel='hub self' href='http://s.test/'/><entry/>", "feed.hub", "http://s.test/", "", ""},
    {"30 text is literal", form::entry, "<title type='text'>a &lt;b> &amp;amp;</title>", "title", "a <b> &amp;", "", ""},
    {"30 html", form::entry, "<title type='html'>a &lt;b>b&lt;/b> &amp;amp;</title>", "title", "a b &", "", ""},
    {"30 xhtml", form::entry, "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>a &amp; b</p></div></content>", "content", "<p>a &amp; b</p>", "", ""},
    {"30 prefixed xhtml", form::entry, "<content type='xhtml'><h:div xmlns:h='http://www.w3.org/1999/xhtml'><h:p>a</h:p></h:div></content>", "content", "<p>a</p>", "", ""},
    {"30 text/plain", form::entry, "<content type='text/plain'>a &lt; b</content>", "content", "a < b", "", ""},
    {"30 base64", form::entry, "<content type='application/octet-stream'>aGVsbG8=</content>", "content", "hello", "", ""},
    {"30 atom 0.3 base64", form::raw, "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><content type='text/html' mode='base64'>PGI+aGk8L2I+</content></entry></feed>", "content", "<b>hi</b>", "", ""},
    {"30 atom 0.3 escaped", form::raw, "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title type='text/html' mode='escaped'>a &lt;b>b&lt;/b></title></entry></feed>", "title", "a b", "", ""},
    {"31 once", form::entry, "<title type='html'>&amp;amp;lt;</title>", "title", "&lt;", "", ""},
    {"32 CDATA", form::item, "<title><![CDATA[a &amp; b &#8217;]]></title>", "title", "a & b ’", "", ""},
    {"32 tags", form::item, "<title>a &lt;i&gt;b&lt;/i&gt; c</title>", "title", "a b c", "", ""},
    {"33 the last link that says something", form::item, "<link>http://a.test/1</link><link>http://a.test/2</link><link/>", "link", "http://a.test/2", "", ""},
    {"33 own element wins", form::item, "<pubDate>Thu, 01 Jan 2004 00:00:00 GMT</pubDate><dc:date>2005-01-01</dc:date>", "published", "2004-01-01T00:00:00Z", "", ""},
    {"34 title from dc:title", form::item, "<dc:title>t</dc:title>", "title", "t", "", ""},
    {"34 title from atom:title", form::item, "<atom:title>t</atom:title>", "title", "t", "", ""},
    {"34 title from media:title", form::item, "<media:title>t</media:title>", "title", "t", "", ""},
    {"34 summary from dc:description", form::item, "<dc:description>s</dc:description>", "summary", "s", "", ""},
    {"34 summary from itunes:summary", form::item, "<itunes:summary>s</itunes:summary>", "summary", "s", "", ""},
    {"34 summary from itunes:subtitle", form::item, "<itunes:subtitle>s</itunes:subtitle>", "summary", "s", "", ""},
    {"34 summary from media:description", form::item, "<media:description>s</media:description>", "summary", "s", "", ""},
    {"34 media:group", form::item, "<media:group><media:description>s</media:description></media:group>", "summary", "s", "", ""},
    {"34 encoded", form::item, "<encoded>c</encoded>", "content", "c", "", ""},
    {"34 fullitem", form::item, "<fullitem>c</fullitem>", "content", "c", "", ""},
    {"34 xhtml:body", form::raw, "<rss version='2.0' xmlns:x='http://www.w3.org/1999/xhtml'><channel><item><x:body><x:p>c</x:p></x:body></item></channel></rss>", "content", "<p>c</p>", "", ""},
    {"34 tagline", form::raw, "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><tagline>d</tagline><entry/></feed>", "feed.description", "d", "", ""},
    {"34 subtitle", form::feed, "<subtitle>d</subtitle><entry/>", "feed.description", "d", "", ""},
    {"35 empty content", form::item, "<content:encoded></content:encoded><description>d</description>", "summary", "d", "", ""},
    {"36 pre", form::item, "<description>&lt;pre&gt;a\n  b&lt;/pre&gt;</description>", "summary", "<pre>a\n  b</pre>", "", ""},
    {"36 ends", form::item, "<title>\n  t \n</title><guid> g </guid>", "id", "g", "", ""},
    {"37 me@a.test (Me Too)", form::item, "<author>me@a.test (Me Too)</author>", "author", "Me Too", "", ""},
    {"37 Me Too (me@a.test)", form::item, "<author>Me Too (me@a.test)</author>", "author", "Me Too", "", ""},
    {"37 Me Too &lt;me@a.test&gt;", form::item, "<author>Me Too &lt;me@a.test&gt;</author>", "author", "Me Too", "", ""},
    {"37 me@a.test", form::item, "<author>me@a.test</author>", "author", "me@a.test", "", ""},
    {"37 Me", form::item, "<author>Me</author>", "author", "Me", "", ""},
    {"38 several", form::entry, "<author><name>A</name></author><author><name>B</name></author>", "author", "A, B", "", ""},
    {"38 inherited", form::feed, "<author><name>F</name></author><entry><title>t</title></entry>", "author", "F", "", ""},
    {"38 JSON", form::raw, "{\"version\":\"https://jsonfeed.org/version/1.1\",\"authors\":[{\"name\":\"F\"}],\"items\":[{\"id\":\"1\",\"content_text\":\"x\"}]}", "author", "F", "", ""},
    {"38 authors as object", form::raw, "{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"id\":\"1\",\"content_text\":\"x\",\"authors\":{\"name\":\"O\"}}]}", "author", "O", "", ""},
    {"39 all vocabularies", form::item, "<category>a</category><dc:subject>b</dc:subject><category> </category><category>a</category><media:category>m</media:category><itunes:keywords>k, l</itunes:keywords>", "categories", "a|b|m|k|l", "", ""},
    {"39 label", form::entry, "<category term='t' label='L'/>", "categories", "L|t", "", ""},
    {"40 odd lengths", form::item, "<enclosure url='http://a.test/1.mp3' length='-5' type='audio/mpeg'/><enclosure url=''/><enclosure url='http://a.test/2.mp3' length='1,000'/>", "enclosures", "http://a.test/1.mp3|http://a.test/2.mp3", "", ""},
    {"41 comments", form::item, "<comments>http://a.test/c</comments><slash:comments>5</slash:comments>", "comments", "http://a.test/c", "", ""},
    {"41 no address", form::item, "<comments>none yet</comments>", "comments", "", "", ""},
    {"41 replies", form::entry, "<link rel='replies' type='text/html' href='http://a.test/c'/>", "comments", "http://a.test/c", "", ""},
    {"42 thumbnail in a group", form::item, "<media:group><media:thumbnail url='/i.png'/></media:group>", "image", "http://a.test/i.png", "http://a.test/dir/feed", ""},
    {"42 itunes", form::item, "<itunes:image href='/i.png'/>", "image", "http://a.test/i.png", "http://a.test/dir/feed", ""},
    {"42 itunes text", form::item, "<itunes:image>http://a.test/i.png</itunes:image>", "image", "http://a.test/i.png", "", ""},
    {"43 id is a number", form::raw, "{\"version\":\"http://jsonfeed.org/version/1\",\"items\":[{\"id\":7,\"title\":null,\"content_html\":\"<p>x</p>\",\"tags\":\"one\"}]}", "id", "7", "", ""},
    {"43 tags a string", form::raw, "{\"version\":\"http://jsonfeed.org/version/1\",\"items\":[{\"id\":7,\"title\":null,\"content_html\":\"<p>x</p>\",\"tags\":\"one\"}]}", "categories", "one", "", ""},
    {"44 created", form::entry, "<created>2004-01-02</created>", "published", "2004-01-02T00:00:00Z", "", ""},
    {"44 not invented", form::item, "<pubDate>Thu, 01 Jan 2004 00:00:00 GMT</pubDate>", "updated", "", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 GMT", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 01 Jan 2004 19:48 EST", form::item, "<pubDate>01 Jan 2004 19:48 EST</pubDate>", "published", "2004-01-02T00:48:00Z", "", ""},
    {"45-46 Fri, 01 Jan 2004 19:48:21 +0000", form::item, "<pubDate>Fri, 01 Jan 2004 19:48:21 +0000</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 Donnerstag, 01 Januar 2004 19:48:21 GMT", form::item, "<pubDate>Donnerstag, 01 Januar 2004 19:48:21 GMT</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 jeu., 01 janv. 2004 19:48:21 GMT", form::item, "<pubDate>jeu., 01 janv. 2004 19:48:21 GMT</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 Thu, 1 Jan 04 9:48 GMT", form::item, "<pubDate>Thu, 1 Jan 04 9:48 GMT</pubDate>", "published", "2004-01-01T09:48:00Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 GMT+1", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 GMT+1</pubDate>", "published", "2004-01-01T18:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 UTC+02:00", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 UTC+02:00</pubDate>", "published", "2004-01-01T17:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 -05:00Z", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 -05:00Z</pubDate>", "published", "2004-01-02T00:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 CEST", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 CEST</pubDate>", "published", "2004-01-01T17:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 MSK", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 MSK</pubDate>", "published", "2004-01-01T16:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 JST", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 JST</pubDate>", "published", "2004-01-01T10:48:21Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 19:48:21 (comment) GMT", form::item, "<pubDate>Thu, 01 Jan 2004 19:48:21 (comment) GMT</pubDate>", "published", "2004-01-01T19:48:21Z", "", ""},
    {"45-46 Thu, 16th Jan 2004 24:00:00 GMT", form::item, "<pubDate>Thu, 16th Jan 2004 24:00:00 GMT</pubDate>", "published", "2004-01-17T00:00:00Z", "", ""},
    {"45-46 Jan 16, 2004 7:48 PM", form::item, "<pubDate>Jan 16, 2004 7:48 PM</pubDate>", "published", "2004-01-16T19:48:00Z", "", ""},
    {"45-46 Mon, May 25 2020 04:45:26 +0000", form::item, "<pubDate>Mon, May 25 2020 04:45:26 +0000</pubDate>", "published", "2020-05-25T04:45:26Z", "", ""},
    {"45-46 Sep 23, 2024", form::item, "<pubDate>Sep 23, 2024</pubDate>", "published", "2024-09-23T00:00:00Z", "", ""},
    {"45-46 23 Sept 2024 10:00 GMT", form::item, "<pubDate>23 Sept 2024 10:00 GMT</pubDate>", "published", "2024-09-23T10:00:00Z", "", ""},
    {"45-46 Tue, 31 Dec 2013 17:00:00 Z", form::item, "<pubDate>Tue, 31 Dec 2013 17:00:00 Z</pubDate>", "published", "2013-12-31T17:00:00Z", "", ""},
    {"45-46 2003", form::item, "<pubDate>2003</pubDate>", "published", "2003-01-01T00:00:00Z", "", ""},
    {"45-46 2003-12", form::item, "<pubDate>2003-12</pubDate>", "published", "2003-12-01T00:00:00Z", "", ""},
    {"45-46 20031231", form::item, "<pubDate>20031231</pubDate>", "published", "2003-12-31T00:00:00Z", "", ""},
    {"45-46 2003-335", form::item, "<pubDate>2003-335</pubDate>", "published", "2003-12-01T00:00:00Z", "", ""},
    {"45-46 2003335", form::item, "<pubDate>2003335</pubDate>", "published", "2003-12-01T00:00:00Z", "", ""},
    {"45-46 03-12-31", form::item, "<pubDate>03-12-31</pubDate>", "published", "2003-12-31T00:00:00Z", "", ""},
    {"45-46 2003-12-31T10:14:55,123Z", form::item, "<pubDate>2003-12-31T10:14:55,123Z</pubDate>", "published", "2003-12-31T10:14:55Z", "", ""},
    {"45-46 2003-12-31 10:14:55", form::item, "<pubDate>2003-12-31 10:14:55</pubDate>", "published", "2003-12-31T10:14:55Z", "", ""},
    {"45-46 2003-12-31t10:14:55z", form::item, "<pubDate>2003-12-31t10:14:55z</pubDate>", "published", "2003-12-31T10:14:55Z", "", ""},
    {"45-46 2003-12-31T10:14:55-0800", form::item, "<pubDate>2003-12-31T10:14:55-0800</pubDate>", "published", "2003-12-31T18:14:55Z", "", ""},
    {"45-46 2003-12-31T10:14:55+08", form::item, "<pubDate>2003-12-31T10:14:55+08</pubDate>", "published", "2003-12-31T02:14:55Z", "", ""},
    {"45-46 2003/12/31 10:14", form::item, "<pubDate>2003/12/31 10:14</pubDate>", "published", "2003-12-31T10:14:00Z", "", ""},
    {"45-46 2003.12.31", form::item, "<pubDate>2003.12.31</pubDate>", "published", "2003-12-31T00:00:00Z", "", ""},
    {"45-46 2003-W01-1", form::item, "<pubDate>2003-W01-1</pubDate>", "published", "2002-12-30T00:00:00Z", "", ""},
    {"45-46 Sun Jan  4 16:29:06 2004", form::item, "<pubDate>Sun Jan  4 16:29:06 2004</pubDate>", "published", "2004-01-04T16:29:06Z", "", ""},
    {"45-46 Sun Jan 4 16:29:06 PST 2004", form::item, "<pubDate>Sun Jan 4 16:29:06 PST 2004</pubDate>", "published", "2004-01-05T00:29:06Z", "", ""},
    {"45-46 1072915200", form::item, "<pubDate>1072915200</pubDate>", "published", "2004-01-01T00:00:00Z", "", ""},
    {"45-46 2004-05-25 오후 11:23:17", form::item, "<pubDate>2004-05-25 오후 11:23:17</pubDate>", "published", "2004-05-25T14:23:17Z", "", ""},
    {"45-46 2004년 05월 28일  01:31:15", form::item, "<pubDate>2004년 05월 28일  01:31:15</pubDate>", "published", "2004-05-27T16:31:15Z", "", ""},
    {"45-46 2004-július-13T9:15-05:00", form::item, "<pubDate>2004-július-13T9:15-05:00</pubDate>", "published", "2004-07-13T14:15:00Z", "", ""},
    {"45-46 Κυρ, 11 Ιούλ 2004 12:00:00 EST", form::item, "<pubDate>Κυρ, 11 Ιούλ 2004 12:00:00 EST</pubDate>", "published", "2004-07-11T17:00:00Z", "", ""},
    {"45-46 Thu, 01 Jan 2004 23:59:60 GMT", form::item, "<pubDate>Thu, 01 Jan 2004 23:59:60 GMT</pubDate>", "published", "2004-01-02T00:00:00Z", "", ""},
    {"45-46 Thu, 30 Feb 2004 00:00:00 GMT", form::item, "<pubDate>Thu, 30 Feb 2004 00:00:00 GMT</pubDate>", "published", "", "", ""},
    {"45-46 rubbish", form::item, "<pubDate>rubbish</pubDate>", "published", "", "", ""},
    {"45-46 2004-07-08 23:56:58.7", form::item, "<pubDate>2004-07-08 23:56:58.7</pubDate>", "published", "2004-07-08T23:56:58Z", "", ""},
    {"45-46 Thu, 31 Jun 2004 19:48:21 GMT", form::item, "<pubDate>Thu, 31 Jun 2004 19:48:21 GMT</pubDate>", "published", "", "", ""},
    {"45-46 -0312", form::item, "<pubDate>-0312</pubDate>", "published", "2003-12-01T00:00:00Z", "", ""},
    {"45-46 Thu, 5 Apr 2012 13:00:00 Europe/Paris", form::item, "<pubDate>Thu, 5 Apr 2012 13:00:00 Europe/Paris</pubDate>", "published", "2012-04-05T11:00:00Z", "", ""},
    {"48 en_US", form::channel, "<language>en_US</language><item/>", "feed.language", "en-US", "", ""},
    {"48 xml:lang", form::raw, "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><entry/></feed>", "feed.language", "de", "", ""},
    {"49 ttl", form::channel, "<ttl>-5</ttl><item/>", "feed.ttl", "", "", ""},
};
// clang-format on

}  // namespace

TEST_CASE("none of the known traps catches the reader", "[stitch]") {
  for (auto const& t : traps) {
    INFO(t.name);
    if (t.field == "refused") {
      CHECK_FALSE(is_feed(document_of(t)));
      continue;
    }
    CHECK(field_of(read(document_of(t), t.base, t.content_type), t.field) == t.expected);
  }
}

}  // namespace cistern::tests
