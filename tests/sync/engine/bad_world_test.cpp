// What the world does to a pass: broken transfers, login pages, names that lead indoors, limits of a subscription.

#include "sync/http/address_class.hpp"
#include "sync/queue_runner.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// An engine for which every name leads to this machine, over a link that is in doubt after a change.
struct named_world {
  whole_engine e;
  sync::network_link link{e.clock, {.doubts = true}};
  sync::resolver names{{}, [](std::string const&) -> sync::result<sync::resolver::addresses> {
                         return sync::resolver::addresses{boost::asio::ip::address_v4::loopback()};
                       }};
  sync::downloads fetching{*e.store, link, e.clock, {}};

  void start() {
    e.engine.reset();
    e.engine = std::make_unique<sync::engine>(
        sync::engine::parts{
            .kept = *e.store, .fetching = fetching, .link = link, .wall = e.clock, .names = names, .client = {}},
        e.settings);
  }
  named_world() { start(); }
  ~named_world() { e.engine.reset(); }
};

std::string at(std::string const& host, fake_origin const& origin, std::string const& target) {
  return "http://" + host + ":" + std::to_string(origin.port()) + target;
}

std::string const login = "<!doctype html><title>Log in</title><p>Welcome to the hotel.";

}  // namespace

TEST_CASE("a feed that breaks off is read again in the same pass, and nobody is blamed", "[sync]") {
  whole_engine e;
  std::vector<story> many;
  for (int i = 0; i < 50; ++i) many.push_back({"id" + std::to_string(i), "Title", i});
  auto const body = rss(many);
  std::atomic<int> asked{0};
  fake_origin origin{[&](fake_exchange& x) {
    auto const cut = asked++ < 2 ? body.size() / 2 : SIZE_MAX;
    serve_file(x, {.body = body, .fields = "ETag: \"1\"\r\n", .cut_after = cut, .ranges = false});
  }};
  auto const id = e.subscribe(origin.url("/feed"));
  auto const pass = e.pass();
  CHECK(asked == 3);
  CHECK(e.items().size() == 50);
  CHECK(e.feed(id).failures == 0);
  CHECK(e.feed(id).etag == "\"1\"");
  CHECK(pass.of(store::job_class::feed).failed == 0);
  CHECK(pass.of(store::job_class::feed).requests == 3);
  CHECK(pass.of(store::job_class::feed).received > 2 * body.size() - 100);
}

TEST_CASE("what goes wrong inside a visit ends neither the pass nor the feed's visits", "[sync]") {
  whole_engine e;
  std::atomic<int> asked{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (asked++ == 0) e.clock.break_once();
    serve_file(x, {.body = rss({{"id1", "Title", 1}}), .fields = "ETag: \"1\"\r\n"});
  }};
  e.subscribe(origin.url("/feed"));
  e.pass();
  CHECK(e.items().empty());
  e.clock.advance(1h);
  e.pass();
  CHECK(asked == 2);
  CHECK(e.items().size() == 1);
}

TEST_CASE("a feed that breaks off every time is taken as far as it came", "[sync]") {
  whole_engine e;
  e.settings.tries_per_pass = 2;
  e.start();
  std::vector<story> many;
  for (int i = 0; i < 50; ++i) many.push_back({"id" + std::to_string(i), "Title", i});
  auto const body = rss(many);
  fake_origin origin{[&](fake_exchange& x) {
    serve_file(x, {.body = body, .fields = "ETag: \"1\"\r\n", .cut_after = body.size() / 2, .ranges = false});
  }};
  auto const id = e.subscribe(origin.url("/feed"));
  e.pass();
  CHECK(origin.requests().size() == 3);
  CHECK(e.items().size() > 20);
  CHECK(e.feed(id).etag.empty());
}

TEST_CASE("after a change of the link a feed that answers as only it can ends the doubt", "[sync]") {
  named_world w;
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.field("If-None-Match") == "\"1\"") return x.answer(304, "ETag: \"1\"\r\n", "");
    x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}}));
  }};
  auto const id = w.e.subscribe(at("paper.example", origin, "/feed"));
  w.e.pass();
  REQUIRE(w.e.feed(id).etag == "\"1\"");
  w.link.came_back("a route came");
  REQUIRE(w.link.in_doubt());
  w.e.pass_after(2h);
  CHECK(!w.link.in_doubt());
  CHECK(w.e.feed(id).last_status == 304);
  CHECK(w.link.may_store("other.example", false));
}

TEST_CASE("a login page in place of a known feed changes nothing and puts plain http in doubt", "[sync]") {
  named_world w;
  std::atomic<bool> hotel{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (hotel) return x.answer(200, "Content-Type: text/html\r\nETag: \"hotel\"\r\n", login);
    x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}}));
  }};
  auto const id = w.e.subscribe(at("paper.example", origin, "/feed"));
  w.e.pass();
  auto const before = w.e.feed(id);
  hotel = true;
  w.e.pass_after(2h);
  auto const after = w.e.feed(id);
  CHECK(after.failures == 0);
  CHECK(after.etag == before.etag);
  CHECK(after.last_error.empty());
  CHECK(w.link.in_doubt());
  CHECK(!w.link.may_store("other.example", false));
  // It is not asked again at once, and when the hotel is gone all is as before.
  auto const asked = origin.requests().size();
  w.e.pass_after(10s);
  CHECK(origin.requests().size() == asked);
  hotel = false;
  w.e.pass_after(2h);
  CHECK(!w.link.in_doubt());
  CHECK(w.e.feed(id).failures == 0);
}

TEST_CASE("a page in place of a feed is the site's own trouble while others prove the internet", "[sync]") {
  named_world w;
  std::atomic<bool> broken{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (broken && x.request.field("Host").starts_with("bad"))
      return x.answer(200, "Content-Type: text/html\r\n", login);
    if (x.request.field("If-None-Match") == "\"1\"") return x.answer(304, "ETag: \"1\"\r\n", "");
    x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}}));
  }};
  w.e.settings.feeds_at_once = 1;
  w.e.settings.jobs_at_once = 1;
  w.start();
  auto const good = w.e.subscribe(at("a-good.example", origin, "/feed"));
  auto const bad = w.e.subscribe(at("bad.example", origin, "/feed"));
  w.e.pass();
  broken = true;
  w.e.pass_after(2h);
  w.e.pass_after(2h);
  CHECK(w.e.feed(good).failures == 0);
  CHECK(w.e.feed(bad).failures > 0);
  CHECK_THAT(w.e.feed(bad).last_error, Contains("no feed"));
}

TEST_CASE("a name that leads to a private address is not followed, and says so", "[sync]") {
  named_world w;
  w.e.settings.feeds.allow_address = sync::is_public;
  w.start();
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", rss({{"a", "A", 1}})); }};
  auto const id = w.e.subscribe(at("rebound.example", origin, "/feed"));
  w.e.pass();
  CHECK(origin.requests().empty());
  CHECK_THAT(w.e.feed(id).last_error, Contains("may not be reached"));
  CHECK(w.e.feed(id).failures == 1);
  auto const added = w.e.run(w.e.engine->add({.url = at("other.example", origin, "/feed")}));
  CHECK_THAT(added.message, Contains("sync.allow_private"));
  CHECK(origin.requests().empty());
  // Who names this machine by its address means it.
  auto const here = w.e.run(w.e.engine->add({.url = at("127.0.0.1", origin, "/feed")}));
  CHECK(here.how == sync::add_outcome::end::added);
}

TEST_CASE("a feed from outside cannot make us ask our own network for its pages", "[sync]") {
  named_world w;
  w.e.settings.feeds.allow_address = sync::is_public;
  w.start();
  fake_origin indoors{[](fake_exchange& x) { x.answer(200, "", "secret"); }};
  auto const id = w.e.subscribe("http://paper.example/feed", true);
  w.e.store.write([&](store::write_batch& b) {
    return b.enqueue({.url = indoors.url("/secret"), .priority = store::job_class::page, .subscription = id});
  });
  w.e.pass();
  CHECK(indoors.requests().empty());
  CHECK(w.e.jobs().empty());
}

TEST_CASE("times that a wrong clock wrote hold nobody back once it is right", "[sync]") {
  whole_engine e;
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}})); }};
  e.clock.advance(std::chrono::hours{24 * 3650});
  auto const id = e.subscribe(origin.url("/feed"));
  e.pass();
  REQUIRE(origin.requests().size() == 1);
  e.clock.advance(-std::chrono::hours{24 * 3650});
  e.start();  // as after the boot that follows
  e.pass();
  CHECK(origin.requests().size() == 2);
  CHECK(e.feed(id).last_visit == e.clock.now());
  e.pass_after(10min);
  CHECK(origin.requests().size() == 2);
  e.clock.advance(std::chrono::hours{24 * 365});  // and ahead: one visit, not a year's
  e.pass();
  e.pass();
  CHECK(origin.requests().size() == 3);
}

TEST_CASE("a repository without room ends the pass, and nothing is fetched in vain", "[sync]") {
  whole_engine e;
  e.engine.reset();
  e.fetching.reset();
  e.store.open(8u << 20);
  e.start();
  fake_origin origin{[&](fake_exchange& x) {
    std::vector<story> many;
    for (int i = 0; i < 20; ++i) many.push_back({std::to_string(i), "T", i, origin.url("/" + std::to_string(i))});
    if (x.request.target == "/feed") return x.answer(200, "ETag: \"1\"\r\n", rss(many));
    x.answer(200, "Content-Type: text/html\r\n", noise(std::hash<std::string>{}(x.request.target), 1'000'000));
  }};
  auto const id = e.subscribe(origin.url("/feed"), true);
  e.settings.jobs_at_once = 1;
  e.settings.news.first_items = 20;
  e.start();
  auto const pass = e.pass();
  CHECK_THAT(pass.ended_by, Contains("nothing can be stored"));
  CHECK(e.feed(id).failures == 0);
  CHECK(e.items().size() == 20);
  CHECK(origin.requests().size() <= 10);
  CHECK(e.jobs().size() >= 11);
  for (auto const& job : e.jobs()) CHECK(job.attempts == 0);
  e.engine.reset();
}

TEST_CASE("a subscription without requisites has pages only, and is whole with them", "[sync]") {
  whole_engine e;
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/feed") return x.answer(200, "", rss({{"a", "A", 1, origin.url("/a")}}));
    x.answer(200, "Content-Type: text/html\r\n", "<p>text<img src=/p.png>");
  }};
  auto const id = e.subscribe(origin.url("/feed"), true);
  auto feed = e.feed(id);
  feed.carry.requisites = false;
  e.store.write([feed](store::write_batch& b) { b.put(feed); });
  e.pass();
  CHECK(origin.requests().size() == 2);
  CHECK(e.items().front().state == store::completeness::whole);
}

TEST_CASE("an article takes no more than its limit, and what is left out is known", "[sync]") {
  whole_engine e;
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/feed") return x.answer(200, "", rss({{"a", "A", 1, origin.url("/a")}}));
    if (x.request.target != "/a") return x.answer(200, "Content-Type: image/png\r\n", std::string(40'000, 'x'));
    x.answer(200, "Content-Type: text/html\r\n", "<p>text<img src=/1.png><img src=/2.png><img src=/3.png>");
  }};
  auto const id = e.subscribe(origin.url("/feed"), true);
  auto feed = e.feed(id);
  feed.carry.item_limit = 100'000;
  e.store.write([feed](store::write_batch& b) { b.put(feed); });
  e.settings.jobs_at_once = 1;
  e.start();
  e.pass();
  auto const item = e.items().front();
  CHECK(item.state == store::completeness::whole);
  CHECK(item.parts_stored == 2);
  CHECK(item.parts_missing == 1);
  CHECK(item.bytes <= 100'000);
  CHECK(e.jobs().empty());
}

TEST_CASE("on a metered link images wait in the queue where that is set, and the page comes", "[sync]") {
  whole_engine e;
  std::atomic<bool> metered{true};
  sync::budget_rules rules;
  rules.no_metered_images = true;
  sync::budget spending{rules, e.clock, [&] { return metered.load(); }, {}};
  e.engine.reset();
  e.engine = std::make_unique<sync::engine>(sync::engine::parts{.kept = *e.store,
                                                                .fetching = *e.fetching,
                                                                .link = e.link,
                                                                .wall = e.clock,
                                                                .names = e.names,
                                                                .client = {},
                                                                .spending = &spending},
                                            e.settings);
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/feed") return x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1, origin.url("/a")}}));
    if (x.request.target == "/p.png") return x.answer(200, "Content-Type: image/png\r\n", "pixels");
    x.answer(200, "Content-Type: text/html\r\n", "<p>text<img src=/p.png>");
  }};
  e.subscribe(origin.url("/feed"), true);
  e.pass();
  CHECK(origin.requests().size() == 2);
  CHECK(e.jobs().size() == 1);
  CHECK(e.items().front().state == store::completeness::partial);
  metered = false;
  e.pass();
  CHECK(e.jobs().empty());
  CHECK(e.items().front().state == store::completeness::whole);
  e.engine.reset();
}

TEST_CASE("what people queue is fetched by itself, and the engine's jobs are left to the engine", "[sync]") {
  whole_engine e;
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "Content-Type: text/html\r\n", "<p>text"); }};
  e.store.write([&](store::write_batch& b) {
    b.enqueue({.url = origin.url("/page"), .priority = store::job_class::page});
    return b.enqueue({.url = origin.url("/wanted"), .priority = store::job_class::person});
  });
  sync::queue_runner queue{*e.store, *e.fetching, e.link, e.clock, e.names, {}};
  auto const until = std::chrono::steady_clock::now() + 10s;
  while (e.jobs().size() > 1 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  auto const left = e.jobs();
  REQUIRE(left.size() == 1);
  CHECK(left.front().url == origin.url("/page"));
  CHECK(origin.requests().size() == 1);
}
