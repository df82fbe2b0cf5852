#include "stitch/feed/links.hpp"
#include "tests/stitch/feed/support.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;

TEST_CASE("an address is resolved as browsers resolve it", "[stitch]") {
  auto const [base, reference, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"http://a.test/b/c?d", "e", "http://a.test/b/e"},
      {"http://a.test/b/c", "/e", "http://a.test/e"},
      {"http://a.test/b/c", "//h.test/e", "http://h.test/e"},
      {"http://a.test/b/c?d", "?q", "http://a.test/b/c?q"},
      {"http://a.test/b/c?d", "#f", "http://a.test/b/c?d#f"},
      {"http://a.test/b/c/d", "../../x", "http://a.test/x"},
      {"http://a.test/b", "../../../x/./y", "http://a.test/x/y"},
      {"http://a.test", "x", "http://a.test/x"},
      {"http://a.test/b/", "", "http://a.test/b/"},
      {"http://a.test/b/", "  HTTP://EXAMPLE.Test:80/P\n/Q ", "http://example.test/P/Q"},
      {"http://a.test/b/", "x\\y", "http://a.test/b/x/y"},
      {"http://a.test/b/", "https:\\\\h.test\\p", "https://h.test/p"},
      {"http://a.test/b/", "a b", "http://a.test/b/a%20b"},
      {"http://a.test/b/", "http://h.test/ä?ö", "http://h.test/ä?ö"},
      {"http://a.test/b/", "mailto:me@h.test", "mailto:me@h.test"},
      {"http://a.test/b/", "tag:h.test,2024:x/../y", "tag:h.test,2024:x/../y"},
      {"http://a.test/b/", "http:page", "http://a.test/b/page"},
      {"https://a.test:443/b", "/c", "https://a.test/c"},
      {"", "b/c", "b/c"},
      {"not a base", "b/c", "b/c"},
      {"http://a.test/b/", "%2e%2e/x", "http://a.test/x"},
      {"http://a.test/b/", "http://h.test", "http://h.test"},
  }));
  CHECK(stitch::resolve(base, reference) == expected);
  std::string many;
  stitch::url_resolver{base}.append(reference, many);
  if (!base.empty() && base[0] == 'h') CHECK(many == expected);
}

TEST_CASE("Atom's link is the first alternate, HTML and http preferred", "[stitch]") {
  CHECK(atom_entry("<link rel='self' href='http://a.test/s'/><link rel='enclosure' href='http://a.test/e'/><link "
                   "rel='edit' href='http://a.test/d'/>"
                   "<link rel='replies' href='http://a.test/r'/><link/><link href=''/><link rel='alternate' "
                   "href='http://a.test/1'/>"
                   "<link href='http://a.test/2'/>")
            .link == "http://a.test/1");
  CHECK(atom_entry(
            "<link type='application/json' href='http://a.test/j'/><link type='text/html' href='http://a.test/h'/>")
            .link == "http://a.test/h");
  CHECK(atom_entry("<link rel='alternate' href='tag:x,1:y'/><link rel='alternate' href='http://a.test/h'/>").link ==
        "http://a.test/h");
  CHECK(atom_entry("<link rel='http://www.iana.org/assignments/relation/alternate' href='http://a.test/i'/>").link ==
        "http://a.test/i");
  CHECK(atom_entry("<link rel='self' href='http://a.test/s'/>").link.empty());
  CHECK(atom_entry("<link rel='ALTERNATE' type='text/html' href='http://a.test/u'/>").link == "http://a.test/u");
  CHECK(atom_entry("<link rel='ALTERNATE' type='text/html' href='http://a.test/u'/><link href='http://a.test/l'/>")
            .link == "http://a.test/l");
  CHECK(atom_entry("<link href='http://a.test/x'/><link rel='alternate' type='text/html' href='http://a.test/h'/>")
            .link == "http://a.test/h");
}

TEST_CASE("RSS's link is its text, else an Atom link, else a guid that may be one", "[stitch]") {
  CHECK(rss_item("<atom:link rel='alternate' href='http://a.test/at'/><link> http://a.test/1\n</link><link/>").link ==
        "http://a.test/1");
  CHECK(rss_item("<link>http://a.test/1</link><link>http://a.test/2</link>").link == "http://a.test/2");
  CHECK(rss_item("<link href='http://a.test/h'/>").link == "http://a.test/h");
  CHECK(rss_item("<atom:link href='http://a.test/at'/>").link == "http://a.test/at");
  CHECK(rss_item("<guid>http://a.test/g</guid>").link == "http://a.test/g");
  CHECK(rss_item("<guid isPermaLink='FALSE'>http://a.test/g</guid>").link.empty());
  CHECK(rss_item("<guid isPermaLink='True'>http://a.test/g</guid>").link == "http://a.test/g");
  CHECK(rss_item("<guid isPermaLink='no'>http://a.test/g</guid>").link.empty());
  CHECK(rss_item("<guid>abc-1</guid>").link.empty());
  CHECK(rss_item("<guid/>").id.empty());
}

TEST_CASE("the publisher's own address counts for more than that of a service in front of it", "[stitch]") {
  auto const item = [](std::string const& fields) {
    return rss_item(fields + "<link>http://counter.test/~r/7</link>").link;
  };
  CHECK(item("<c:origLink xmlns:c='http://rssnamespace.org/feedburner/ext/1.0'> http://a.test/1\n</c:origLink>") ==
        "http://a.test/1");
  CHECK(item("<pheedo:origLink>http://a.test/2</pheedo:origLink>") == "http://a.test/2");
  CHECK(item("<feedburner:origLink>7</feedburner:origLink>") == "http://counter.test/~r/7");
  auto const episode = rss_item(
      "<feedburner:origEnclosureLink>http://a.test/e.mp3</feedburner:origEnclosureLink>"
      "<enclosure url='http://counter.test/e.mp3' type='audio/mpeg' length='7'/>");
  REQUIRE(episode.enclosures.size() == 1);
  CHECK(episode.enclosures[0].url == "http://a.test/e.mp3");
  CHECK(episode.enclosures[0].length == 7U);
  CHECK(item("<origLink xmlns='urn:other'>http://a.test/3</origLink>") == "http://counter.test/~r/7");
}

TEST_CASE("links start from xml:base, then the document, then the self link, then the channel's link", "[stitch]") {
  auto const in = [](std::string_view root, std::string_view channel, std::string base) {
    auto const f = read("<rss version='2.0' " + std::string{root} + namespaces + "><channel>" + std::string{channel} +
                            "<item><link>x</link></item></channel></rss>",
                        std::move(base));
    return f.items[0].link;
  };
  CHECK(in("xml:base='http://x.test/b/'", "", "http://d.test/") == "http://x.test/b/x");
  CHECK(in("xml:base='sub/'", "", "http://d.test/f/") == "http://d.test/f/sub/x");
  CHECK(in("xml:base=''", "", "http://d.test/f/") == "http://d.test/f/x");
  CHECK(in("xml:base='#frag'", "", "http://d.test/f/") == "http://d.test/f/x");
  CHECK(in("", "<link>http://c.test/</link><atom:link rel='self' href='http://s.test/f'/>", "http://d.test/f/") ==
        "http://d.test/f/x");
  CHECK(in("", "<link>http://c.test/</link><atom:link rel='self' href='http://s.test/f'/>", "") == "http://s.test/x");
  CHECK(in("", "<link>http://c.test/</link>", "") == "http://c.test/x");
}

TEST_CASE("a text starts from its item's page where nobody says what the feed's address is", "[stitch]") {
  auto const in = [](std::string_view channel, std::string_view item, std::string base) {
    auto const f =
        read("<rss version='2.0' " + namespaces + "><channel><link>http://c.test/</link>" + std::string{channel} +
                 "<item><description>&lt;a href='x'></description>" + std::string{item} + "</item></channel></rss>",
             std::move(base));
    return f.items[0].summary;
  };
  std::string_view const page = "<link>http://c.test/2024/1.html</link>";
  CHECK(in("", page, "") == "<a href='http://c.test/2024/x'>");
  CHECK(in("", "", "") == "<a href='http://c.test/x'>");
  CHECK(in("<atom:link rel='self' href='http://s.test/f'/>", page, "") == "<a href='http://s.test/x'>");
  CHECK(in("", page, "http://d.test/f") == "<a href='http://d.test/x'>");
}

TEST_CASE("xml:base chains reach into the markup of a text", "[stitch]") {
  auto const i = atom_entry(
      "<content type='xhtml' xml:base='http://x.test/a/'><div xmlns='http://www.w3.org/1999/xhtml' xml:base='b/'>"
      "<a href='c'>1</a><p xml:base='/z/'><img src='d'/></p></div></content>",
      "http://d.test/");
  CHECK(i.content == "<a href=\"http://x.test/a/b/c\">1</a><p><img src=\"http://x.test/z/d\" /></p>");
}

TEST_CASE("links inside HTML become absolute, everything else stays", "[stitch]") {
  stitch::url_resolver const base{"http://a.test/f/"};
  auto const made = [&base](std::string html) { return stitch::feed::absolute_links(std::move(html), base, 1U << 20); };
  CHECK(made("<a href=x><A HREF = '/y'><img src=\"z.png\">") ==
        "<a href=http://a.test/f/x><A HREF = 'http://a.test/y'><img src=\"http://a.test/f/z.png\">");
  CHECK(made("<img srcset='a.png 1x, b,c.png 2x'>") ==
        "<img srcset='http://a.test/f/a.png 1x, http://a.test/f/b,c.png 2x'>");
  CHECK(made("<q cite='c'><video poster='p'><object data='d'><p data='d'>") ==
        "<q cite='http://a.test/f/c'><video poster='http://a.test/f/p'><object data='http://a.test/f/d'><p data='d'>");
  CHECK(made("<a href='?a=1&amp;b=2'>") == "<a href='http://a.test/f/?a=1&amp;b=2'>");
  for (auto const* same :
       {"<a href='#top'>", "<a href=''>", "<a href='mailto:x@y'>", "<a href=\"http://b.test/?a=1&b\">",
        "a < b href='x'", "<!-- <a href='x'> -->", "<a title='href=x'>", "<", "<script>t='<a href=x>'</script>",
        "<STYLE>/* <a href=x> </styles> <a href=x> */</style>", "<a href='x"})
    CHECK(made(same) == same);
  CHECK(made("<script src=s>'<a href=x>'</script ><a href=x>") ==
        "<script src=http://a.test/f/s>'<a href=x>'</script ><a href=http://a.test/f/x>");
  CHECK(made("<title><a href=x>") == "<title><a href=http://a.test/f/x>");
}

TEST_CASE("every address of an item is resolved, its id never", "[stitch]") {
  auto const i = rss_item(
      "<guid>g/../1</guid><link>l</link><comments>c.html</comments><enclosure url=' e.mp3 ' type='a/b' length='1'/>"
      "<media:thumbnail url='t.png'/><description>&lt;a href='d'&gt;</description>",
      "http://a.test/f/");
  CHECK(i.id == "g/../1");
  CHECK(i.link == "http://a.test/f/l");
  CHECK(i.comments == "http://a.test/f/c.html");
  CHECK(i.enclosures[0].url == "http://a.test/f/e.mp3");
  CHECK(i.image == "http://a.test/f/t.png");
  CHECK(i.summary == "<a href='http://a.test/f/d'>");
  CHECK(atom_entry("<summary type='text'>&lt;a href='d'&gt;</summary>", "http://a.test/").summary == "<a href='d'>");
}

TEST_CASE("a player is an item's link when it has no other", "[stitch]") {
  CHECK(rss_item("<media:group><media:player url='http://a.test/p'/></media:group>").link == "http://a.test/p");
  CHECK(rss_item("<media:player url='http://a.test/p'/><guid>http://a.test/g</guid>").link == "http://a.test/g");
  CHECK(rss_item("<media:player url='http://a.test/p'/><link>http://a.test/l</link>").link == "http://a.test/l");
}

TEST_CASE("a link with half a scheme is relative, one with another scheme is not", "[stitch]") {
  auto const i = rss_item("<description>&lt;a href='http:x'&gt;&lt;a href='mailto:a@b.test'&gt;</description>",
                          "http://a.test/dir/feed");
  CHECK(i.summary == "<a href='http://a.test/dir/x'><a href='mailto:a@b.test'>");
}

TEST_CASE("self, hub, next and archives are found in RSS too", "[stitch]") {
  auto const f = read(rss("<atom10:link xmlns:atom10='http://www.w3.org/2005/Atom' rel='SELF' href='/s'/><atom:link "
                          "rel='hub' href='http://h.test/'/>"
                          "<atom:link rel='next last' href='?p=2'/><atom:link rel='prev-archive' href='/old'/>"),
                      "http://a.test/f");
  CHECK(f.self == "http://a.test/s");
  CHECK(f.hub == "http://h.test/");
  CHECK(f.next == "http://a.test/f?p=2");
  CHECK(f.prev_archive == "http://a.test/old");
}
