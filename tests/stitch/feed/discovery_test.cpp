#include "stitch/feed/discovery.hpp"

#include <catch2/catch.hpp>

using namespace cistern::stitch::feed;

namespace {
std::vector<std::string> urls(page_to_search const& page) {
  std::vector<std::string> out;
  for (auto const& link : discover(page)) out.push_back(link.url);
  return out;
}
using list = std::vector<std::string>;
}  // namespace

TEST_CASE("a page's declared feeds are found, its comments feed last", "[stitch]") {
  CHECK(
      urls({.bytes =
                "<head><base href='/sub/'><link rel=alternate type='application/rss+xml' title='Comments' "
                "href='comments/feed'>"
                "<link rel='ALTERNATE home' type='application/atom+xml; charset=utf-8' href='feed'><link "
                "rel=stylesheet href=x.css>"
                "<link rel=alternate type='application/rss+xml' href='feed'><link rel=alternate hreflang=de href='/de'>"
                "<link rel=feed href='/all.xml'></head>",
            .base = "http://a.test/p"}) ==
      list{"http://a.test/sub/feed", "http://a.test/all.xml", "http://a.test/sub/comments/feed"});
  CHECK(urls({.bytes = "<link type='application/atom+xml' href=/1><link type='application/rss+xml' rel='' href=/2>"
                       "<link type='application/rss+xml' rel=stylesheet href=/3><link type='text/xml' href=/4>",
              .base = "http://a.test/"}) == list{"http://a.test/1", "http://a.test/2"});
}

TEST_CASE("the server's Link header counts first", "[stitch]") {
  CHECK(urls({.bytes = "<a href='/rss.xml'>RSS</a>",
              .base = "http://a.test/",
              .link_headers = {"<style.css>; rel=stylesheet, </f>; rel=\"alternate\"; type=\"application/rss+xml\"; "
                               "title=\"a, b\""}}) == list{"http://a.test/f", "http://a.test/rss.xml"});
}

TEST_CASE("links that look like feeds come second and the usual paths only when there is nothing", "[stitch]") {
  CHECK(urls({.bytes = "<a href='/about'>x</a><a href='news.rss'>News</a><a href='feed://a.test/f.atom'>x</a>",
              .base = "http://a.test/"}) == list{"http://a.test/news.rss", "http://a.test/f.atom"});
  CHECK(urls({.bytes = "<a href='/?feed=rss2'>x</a><a href='/p?a=b&amp;format=Atom'>x</a><a href='/?q=atoms'>x</a>",
              .base = "http://a.test/"}) == list{"http://a.test/?feed=rss2", "http://a.test/p?a=b&format=Atom"});
  CHECK(urls({.bytes = "<a href='/1'><b>RSS</b> 2.0</a><a href='/2'>Atom feed</a><a href='/3'>The atom and the cell</a>"
                       "<a href='/4'>Why we still read so much of what there is in RSS</a><a href='/5'>Brass</a>",
              .base = "http://a.test/"}) == list{"http://a.test/1", "http://a.test/2"});
  auto const guesses = discover({.bytes = "<p>nothing</p>", .base = "http://a.test/x/y"});
  REQUIRE_FALSE(guesses.empty());
  CHECK(guesses[0].url == "http://a.test/feed");
  CHECK(guesses[0].from == feed_link::origin::guess);
}
