// Items become whole articles: pages, what they need, what they attach, and who is told.

#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// A site made of a map from target to answer; the feed lists what `stories` says.
struct site {
  std::map<std::string, std::pair<std::string, std::string>> files;  // type, body
  std::vector<story> stories;
  std::mutex mutex;
  std::map<std::string, int> asked;
  fake_origin origin{[this](fake_exchange& x) {
    std::scoped_lock const lock{mutex};
    ++asked[x.request.target];
    if (x.request.target == "/feed") return x.answer(200, "ETag: \"1\"\r\n", rss(stories));
    auto const at = files.find(x.request.target);
    if (at == files.end()) return x.answer(404, "", "nothing");
    x.answer(200, "Content-Type: " + at->second.first + "\r\nETag: \"x\"\r\n", at->second.second);
  }};

  void page(std::string const& target, std::string const& body) {
    files[target] = {"text/html", "<html><body>" + body + "</body></html>"};
    stories.push_back({target, "Story " + target, static_cast<int>(stories.size()), origin.url(target)});
  }
};

store::item only_item(whole_engine& e) {
  auto const all = e.items();
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("an article is stored with its images, styles and what those import", "[sync]") {
  whole_engine e;
  site s;
  s.page("/a", "<link rel=stylesheet href=/s.css><img src=/p.png><script src=/j.js></script>");
  s.files["/s.css"] = {"text/css", "@import 't.css'; body { background: url(/bg.png) }"};
  s.files["/t.css"] = {"text/css", "@font-face { font-family: F; src: url(/f.woff2) format('woff2') }"};
  for (auto const* const name : {"/p.png", "/bg.png", "/f.woff2", "/j.js"}) s.files[name] = {"image/png", name};
  e.subscribe(s.origin.url("/feed"), true);
  auto const pass = e.pass();
  CHECK(pass.articles_completed == 1);
  for (auto const* const name : {"/a", "/s.css", "/t.css", "/p.png", "/bg.png", "/j.js"})
    CHECK(e.store->find(s.origin.url(name)).value().has_value());
  auto const item = only_item(e);
  CHECK(item.state == store::completeness::whole);
  CHECK(item.parts_wanted == 0);
  CHECK(item.parts_missing == 0);
  CHECK(e.jobs().empty());
}

TEST_CASE("what is stored already is not fetched twice, and two articles share it", "[sync]") {
  whole_engine e;
  site s;
  s.page("/a", "<img src=/p.png>");
  s.page("/b", "<img src=/p.png>");
  s.files["/p.png"] = {"image/png", "pixels"};
  e.subscribe(s.origin.url("/feed"), true);
  auto const pass = e.pass();
  CHECK(s.asked["/p.png"] == 1);
  CHECK(pass.articles_completed == 2);
}

TEST_CASE("a part that its origin does not have is known to be missing", "[sync]") {
  whole_engine e;
  site s;
  s.page("/a", "<img src=/gone.png>");
  e.subscribe(s.origin.url("/feed"), true);
  auto const pass = e.pass();
  CHECK(only_item(e).parts_missing == 1);
  CHECK(only_item(e).state == store::completeness::whole);
  REQUIRE(pass.failures.size() == 1);
  CHECK_THAT(pass.failures.front().reason, Contains("404"));
}

TEST_CASE("trackers and pictures of one pixel are never asked for", "[sync]") {
  whole_engine e;
  site s;
  s.page("/a", "<img src=/one.gif width=1 height=1><img src='http://www.google-analytics.com/collect?x=1'>");
  s.files["/one.gif"] = {"image/gif", "x"};
  e.subscribe(s.origin.url("/feed"), true);
  e.pass();
  CHECK(s.asked["/one.gif"] == 0);
  CHECK(only_item(e).state == store::completeness::whole);
}

TEST_CASE("a new feed brings its newest articles, not its whole history", "[sync]") {
  whole_engine e;
  e.settings.news.first_items = 3;
  e.start();
  site s;
  for (int i = 0; i < 10; ++i) s.page("/a" + std::to_string(i), "text");
  e.subscribe(s.origin.url("/feed"), true);
  auto const pass = e.pass();
  CHECK(pass.new_items == 10);
  CHECK(pass.articles_completed == 3);
}

TEST_CASE("enclosures come last, only where they are wanted, and are byte for byte what was published", "[sync]") {
  whole_engine e;
  auto const sound = noise(5, 3 << 20);
  std::mutex mutex;
  std::vector<std::string> order;
  fake_origin origin{[&](fake_exchange& x) {
    {
      std::scoped_lock const lock{mutex};
      order.push_back(x.request.target);
    }
    auto const host = "http://" + x.request.field("Host");
    if (x.request.target == "/feed")
      return x.answer(200, "ETag: \"1\"\r\n",
                      rss({{"a", "Episode", 5, host + "/page",
                            "<enclosure url='" + host + "/e.mp3' type='audio/mpeg' length='" +
                                std::to_string(sound.size()) + "'/>"},
                           {"b", "Film", 9, host + "/page2",
                            "<enclosure url='" + host + "/e.mp4' type='video/mp4' length='9'/>"}}));
    if (x.request.target == "/e.mp3") return x.answer(200, "ETag: \"s\"\r\nContent-Type: audio/mpeg\r\n", sound);
    x.answer(200, "Content-Type: text/html\r\n", "<html><body><img src=/i.png></body></html>");
  }};
  e.settings.jobs_at_once = 1;
  e.start();
  auto const id = e.subscribe(origin.url("/feed"), true);
  auto feed = e.feed(id);
  feed.carry.enclosures = true;
  feed.carry.enclosure_types = {"audio/"};
  e.store.write([feed](store::write_batch& b) { b.put(feed); });
  e.pass();
  CHECK(e.store.body_of(origin.url("/e.mp3")) == sound);
  CHECK(order.back() == "/e.mp3");
  CHECK(std::ranges::count(order, "/e.mp4") == 0);
}

TEST_CASE("a page that fails for now is tried again in the same pass, and waits in the queue after that", "[sync]") {
  whole_engine e;
  e.settings.tries_per_pass = 3;
  e.start();
  std::atomic<int> asked{0};
  std::atomic<bool> well{false};
  fake_origin origin{[&](fake_exchange& x) {
    auto const link = "http://" + x.request.field("Host") + "/a";
    if (x.request.target == "/feed") return x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "Story", 5, link}}));
    ++asked;
    if (!well) return x.answer(500, "", "");
    x.answer(200, "Content-Type: text/html\r\n", "<html><body>text</body></html>");
  }};
  e.subscribe(origin.url("/feed"), true);
  auto const first = e.pass();
  CHECK(asked == 4);
  CHECK(first.still_wanted == 1);
  REQUIRE(e.jobs().size() == 1);
  CHECK_THAT(e.jobs().front().last_error, Contains("500"));
  well = true;
  e.start();  // the queue outlives a restart
  auto const second = e.pass_after(2h);
  CHECK(second.articles_completed == 1);
  CHECK(e.jobs().empty());
}

TEST_CASE("a page that is not there any more is said to be so, once", "[sync]") {
  whole_engine e;
  site s;
  s.stories.push_back({"a", "Story", 5, s.origin.url("/gone")});
  e.subscribe(s.origin.url("/feed"), true);
  e.pass();
  e.pass_after(2h);
  CHECK(s.asked["/gone"] == 1);
  CHECK_THAT(only_item(e).page_error, Contains("404"));
}

TEST_CASE("ten thousand items in one feed, and a feed that never ends, are bounded", "[sync]") {
  whole_engine e;
  e.settings.feeds.largest = 256 << 10;
  e.settings.news.first_items = 2;
  e.start();
  std::vector<story> many;
  for (int i = 0; i < 10'000; ++i) many.push_back({"id" + std::to_string(i), "T", i});
  auto const big = rss(many);
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/big") return x.answer(200, "ETag: \"1\"\r\n", big);
    x.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<rss version='2.0'><channel><title>Endless</title>");
    for (int i = 0; i < 100'000; ++i)
      if (!x.send("<item><guid>" + std::to_string(i) + "</guid><title>More</title></item>")) break;
    x.end();
  }};
  auto const endless = e.subscribe(origin.url("/endless"));
  e.pass();
  CHECK(e.items().size() > 100);
  CHECK(e.items().size() < 10'000);
  CHECK(e.feed(endless).failures == 0);
  e.settings.feeds.largest = 16 << 20;
  e.start();
  auto const id = e.subscribe(origin.url("/big"));
  e.pass();
  CHECK(e.feed(id).capacity == 10'000);
}

TEST_CASE("removing a subscription takes its items and jobs along and lets its pages be evicted", "[sync]") {
  whole_engine e;
  site s;
  s.page("/a", "text");
  auto const id = e.subscribe(s.origin.url("/feed"), true);
  e.pass();
  REQUIRE(e.store->find(s.origin.url("/a")).value()->keep == store::retention::needed);
  CHECK(e.run(e.engine->remove(id)));
  CHECK(e.items().empty());
  CHECK(e.store->find(s.origin.url("/a")).value()->keep == store::retention::evictable);
  CHECK_FALSE(e.run(e.engine->remove(id)));
  e.pass_after(48h);
  CHECK(s.asked["/feed"] == 1);
}

TEST_CASE("an imported list is the list that is exported", "[sync]") {
  whole_engine e;
  auto const opml = R"(<opml version="2.0"><body><outline text="News"><outline text="A/B"><outline text="One" type="rss"
    xmlUrl="http://one.test/feed" htmlUrl="http://one.test/"/></outline></outline>
    <outline text="Two" type="rss" xmlUrl="http://two.test/feed"/></body></opml>)";
  auto const first = e.run(e.engine->import_opml(opml));
  CHECK(first.added == 2);
  auto const exported = e.engine->export_opml();
  CHECK_THAT(exported, Contains("http://one.test/feed") && Contains("http://two.test/feed") && Contains("A/B"));
  auto const second = e.run(e.engine->import_opml(exported));
  CHECK(second.added == 0);
  CHECK(second.known == 2);
  CHECK(e.engine->export_opml() == exported);
}
