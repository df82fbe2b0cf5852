// The manners of a feed reader, each seen from the server's side.

#include "store/http_date.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::string const two_stories = rss({{"b", "Second", 10}, {"a", "First", 60}});

/// Answers each request in turn, the last answer for ever.
struct answers {
  struct one {
    int status = 200;
    std::string fields = {};
    std::string body = {};
  };
  std::vector<one> list;
  fake_origin origin{[this](fake_exchange& x) {
    auto const n = std::min<std::size_t>(static_cast<std::size_t>(asked++), list.size() - 1);
    x.answer(list[n].status, list[n].fields, list[n].body);
  }};
  std::atomic<int> asked{0};

  explicit answers(std::vector<one> script) : list{std::move(script)} {}
  std::string url() const { return origin.url("/feed"); }
  seen_request last() const { return origin.requests().back(); }
};

}  // namespace

TEST_CASE("the first visit is unconditional and every later one carries both validators byte for byte", "[sync]") {
  whole_engine e;
  answers server{
      {{200, "ETag: W/\"a\\\"b\"\r\nLast-Modified: Mon, 04 Mar 2030 10:00:00 +0100\r\n", two_stories}, {304, "", ""}}};
  e.subscribe(server.url());
  e.pass();
  CHECK(server.last().field("If-None-Match").empty());
  CHECK(server.last().field("If-Modified-Since").empty());
  e.pass_after(2h);
  CHECK(server.last().field("If-None-Match") == "W/\"a\\\"b\"");
  CHECK(server.last().field("If-Modified-Since") == "Mon, 04 Mar 2030 10:00:00 +0100");
  CHECK(server.asked == 2);  // a 304 ends the exchange
  CHECK(e.items().size() == 2);
}

TEST_CASE("validators are replaced by every 200 and 304 that carries them", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\nLast-Modified: Mon, 04 Mar 2024 10:00:00 GMT\r\n", two_stories},
                  {304, "ETag: \"2\"\r\n", ""},
                  {200, "Last-Modified: Tue, 05 Mar 2024 10:00:00 GMT\r\n", two_stories},
                  {304, "", ""}}};
  e.subscribe(server.url());
  e.pass();
  e.pass_after(2h);
  e.pass_after(2h);
  CHECK(server.last().field("If-None-Match") == "\"2\"");
  CHECK(server.last().field("If-Modified-Since") == "Mon, 04 Mar 2024 10:00:00 GMT");
  e.pass_after(2h);
  CHECK(server.last().field("If-None-Match").empty());  // the last 200 did not have one: forgotten
  CHECK(server.last().field("If-Modified-Since") == "Tue, 05 Mar 2024 10:00:00 GMT");
}

TEST_CASE("a date from the future is not echoed", "[sync]") {
  whole_engine e;
  answers server{{{200, "Last-Modified: Tue, 19 Jan 2038 03:14:07 GMT\r\n", two_stories}}};
  e.subscribe(server.url());
  e.pass();
  e.pass_after(25h);
  CHECK(server.asked == 2);
  CHECK(server.last().field("If-Modified-Since").empty());
}

TEST_CASE("a feed is left alone for an hour, and for a day where it gives no validator", "[sync]") {
  whole_engine e;
  answers polite{{{200, "ETag: \"1\"\r\n", two_stories}, {304, "", ""}}};
  answers bare{{{200, "", two_stories}}};
  e.subscribe(polite.url());
  e.subscribe(bare.url());
  e.pass();
  e.pass_after(59min);
  CHECK(polite.asked == 1);
  e.pass_after(2min);
  CHECK(polite.asked == 2);
  CHECK(bare.asked == 1);
  e.pass_after(23h);
  CHECK(bare.asked == 2);
}

TEST_CASE("floors outlive a restart", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\n", two_stories}}};
  e.subscribe(server.url());
  e.pass();
  for (int i = 0; i < 5; ++i) {
    e.start();
    e.pass_after(1min);
  }
  CHECK(server.asked == 1);
}

TEST_CASE("Cache-Control on a 200 and on a 304 postpones the next visit, less the Age, and never beyond a day",
          "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\nCache-Control: max-age=14400\r\nAge: 3600\r\n", two_stories},
                  {304, "Cache-Control: max-age=500000000\r\n", ""},
                  {304, "", ""}}};
  e.subscribe(server.url());
  e.pass();
  e.pass_after(2h + 59min);
  CHECK(server.asked == 1);
  e.pass_after(2min);
  CHECK(server.asked == 2);
  e.pass_after(23h);
  CHECK(server.asked == 2);
  e.pass_after(61min);
  CHECK(server.asked == 3);
}

TEST_CASE("Retry-After is obeyed as seconds and as a date, by the whole host", "[sync]") {
  whole_engine e;
  auto const date = store::format_http_date(e.clock.now() + 5h);
  auto const field = GENERATE_COPY(std::string{"18000"}, date);
  auto const status = GENERATE(429, 503);
  std::atomic<int> asked{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (++asked == 1) return x.answer(status, "Retry-After: " + field + "\r\n", "");
    x.answer(200, "ETag: \"1\"\r\n", two_stories);
  }};
  e.settings.feeds_at_once = 1;
  e.start();
  e.subscribe(origin.url("/one"));
  e.subscribe(origin.url("/two"));
  e.pass();
  CHECK(asked == 1);
  e.start();
  e.pass_after(4h + 59min);
  CHECK(asked == 1);
  e.pass_after(2min);
  CHECK(asked == 3);
}

TEST_CASE("a permanent redirect is adopted only after repeated sightings over days that lead to a feed", "[sync]") {
  whole_engine e;
  answers there{{{200, "ETag: \"1\"\r\n", two_stories}, {304, "", ""}}};
  auto const code = GENERATE(301, 308);
  answers here{{{code, "Location: " + there.url() + "\r\n", ""}}};
  auto const id = e.subscribe(here.url());
  e.pass();
  CHECK(e.feed(id).feed_url == here.url());
  CHECK(e.items().size() == 2);
  e.pass_after(2h);
  CHECK(there.last().field("If-None-Match") == "\"1\"");  // validators belong to where they came from
  e.pass_after(2h);
  CHECK(e.feed(id).feed_url == here.url());  // three sightings, but all in one day
  e.pass_after(48h);
  CHECK(e.feed(id).feed_url == there.url());
  auto const asked = here.asked.load();
  e.pass_after(2h);
  CHECK(here.asked == asked);
  CHECK(e.items().size() == 2);
}

TEST_CASE("a temporary redirect is followed and never adopted", "[sync]") {
  whole_engine e;
  answers there{{{200, "ETag: \"1\"\r\n", two_stories}}};
  answers here{{{302, "Location: " + there.url() + "\r\n", ""}}};
  auto const id = e.subscribe(here.url());
  for (int i = 0; i < 6; ++i) e.pass_after(24h);
  CHECK(e.items().size() == 2);
  CHECK(e.feed(id).feed_url == here.url());
}

TEST_CASE("a redirect to a log-in page changes nothing", "[sync]") {
  whole_engine e;
  std::atomic<bool> portal{false};
  answers login{{{200, "Content-Type: text/html\r\n", "<html><body>Please log in</body></html>"}}};
  fake_origin origin{[&](fake_exchange& x) {
    if (portal) return x.answer(301, "Location: " + login.url() + "\r\n", "");
    x.answer(200, "ETag: \"1\"\r\n", two_stories);
  }};
  auto const id = e.subscribe(origin.url("/feed"));
  e.pass();
  portal = true;
  for (int i = 0; i < 8; ++i) e.pass_after(48h);
  auto const feed = e.feed(id);
  CHECK(feed.feed_url == origin.url("/feed"));
  CHECK(feed.etag == "\"1\"");
  CHECK(e.items().size() == 2);
  CHECK_THAT(feed.last_error, Contains("no feed"));
}

TEST_CASE("a circle of redirects ends", "[sync]") {
  whole_engine e;
  fake_origin origin{
      [&](fake_exchange& x) { x.answer(302, x.request.target == "/a" ? "Location: /b\r\n" : "Location: /a\r\n", ""); }};
  e.subscribe(origin.url("/a"));
  e.pass();
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("410 stops the visits and keeps the items", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\n", two_stories}, {410, "", ""}}};
  auto const id = e.subscribe(server.url());
  e.pass();
  e.pass_after(2h);
  CHECK(e.feed(id).gone);
  CHECK_THAT(e.feed(id).last_error, Contains("gone"));
  for (int i = 0; i < 3; ++i) e.pass_after(48h);
  CHECK(server.asked == 2);
  CHECK(e.items().size() == 2);
}

TEST_CASE("a refusal is waited out in hours, errors with growing pauses", "[sync]") {
  whole_engine e;
  answers forbidden{{{403, "", ""}}};
  answers broken{{{500, "", ""}}};
  e.subscribe(forbidden.url());
  auto const id = e.subscribe(broken.url());
  e.pass();
  e.pass_after(2h);
  CHECK(forbidden.asked == 1);
  CHECK(broken.asked == 2);
  for (int i = 0; i < 48; ++i) e.pass_after(1h);
  CHECK(broken.asked < 10);
  CHECK(e.feed(id).failures == static_cast<std::uint32_t>(broken.asked.load()));
  CHECK_THAT(e.feed(id).last_error, Contains("500"));
}

TEST_CASE("a link that is down is nobody's failure and moves no counter", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\n", two_stories}}};
  auto const id = e.subscribe(server.url());
  e.pass();
  auto const before = e.feed(id);
  e.link.force(sync::link_mode::offline);
  e.pass_after(24h);
  CHECK(server.asked == 1);
  CHECK(e.feed(id).failures == 0);
  CHECK(e.feed(id).last_visit == before.last_visit);
  e.link.force(sync::link_mode::automatic);
  e.pass();
  CHECK(server.asked == 2);
}

TEST_CASE("a server that never answers is not counted against while it may be the link", "[sync]") {
  whole_engine e;
  e.settings.feeds.limits.first_byte = 50ms;
  e.start();
  fake_origin origin{[](fake_exchange& x) { x.stall(); }};
  auto const id = e.subscribe(origin.url("/feed"));
  e.pass();
  CHECK(e.feed(id).failures == 0);
}

TEST_CASE("A-IM: feed is asked for with an entity tag, and what a 226 leaves out is unchanged", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\n", two_stories},
                  {226, "ETag: \"2\"\r\nIM: feed\r\n", rss({{"c", "Third", 1}})},
                  {304, "", ""}}};
  auto const id = e.subscribe(server.url());
  e.pass();
  CHECK(server.last().field("A-IM").empty());
  e.pass_after(2h);
  CHECK(server.last().field("A-IM") == "feed");
  CHECK(e.items().size() == 3);
  CHECK(e.feed(id).window.size() == 3);
  e.pass_after(2h);
  CHECK(server.last().field("If-None-Match") == "\"2\"");
}

TEST_CASE("an empty feed is not believed: items and validators stay", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\n", two_stories}, {200, "ETag: \"2\"\r\n", rss({})}, {304, "", ""}}};
  auto const id = e.subscribe(server.url());
  e.pass();
  e.pass_after(2h);
  CHECK(e.feed(id).etag == "\"1\"");
  CHECK(e.items().size() == 2);
  e.pass_after(2h);
  CHECK(server.last().field("If-None-Match") == "\"1\"");
}

TEST_CASE("when the feed turned over its archive is walked back until something known is met", "[sync]") {
  whole_engine e;
  std::atomic<int> phase{0};
  fake_origin origin{[&](fake_exchange& x) {
    auto const base = "http://localhost:" + x.request.field("Host").substr(10);
    auto const archive = "<link xmlns='http://www.w3.org/2005/Atom' rel='prev-archive' href='" + base + "/old'/>";
    if (x.request.target == "/old") return x.answer(200, "", rss({{"c", "Third", 30}, {"b", "Second", 60}}));
    if (phase == 0) return x.answer(200, "ETag: \"1\"\r\n", two_stories);
    x.answer(200, "ETag: \"2\"\r\n", rss({{"e", "Fifth", 1}, {"d", "Fourth", 5}}, archive));
  }};
  e.subscribe(origin.url("/feed"));
  e.pass();
  phase = 1;
  auto const pass = e.pass_after(2h);
  CHECK(e.items().size() == 5);
  CHECK(pass.lost_gaps == 0);
}

TEST_CASE("where items were lost the gap is marked", "[sync]") {
  whole_engine e;
  answers server{
      {{200, "ETag: \"1\"\r\n", two_stories}, {200, "ETag: \"2\"\r\n", rss({{"y", "Later", 1}, {"x", "Late", 5}})}}};
  e.subscribe(server.url());
  e.pass();
  auto const pass = e.pass_after(48h);
  CHECK(pass.lost_gaps == 1);
  std::map<std::string, bool> gaps;
  for (auto const& item : e.items()) gaps[item.id] = item.gap_before;
  CHECK(gaps == std::map<std::string, bool>{{"a", false}, {"b", false}, {"x", true}, {"y", false}});
}

TEST_CASE("requests are plain: GET, our own name, no cookie, no referer, nothing made up", "[sync]") {
  whole_engine e;
  answers server{{{200, "ETag: \"1\"\r\nSet-Cookie: id=7\r\n", two_stories}}};
  e.subscribe(server.url());
  e.pass();
  e.pass_after(2h);
  for (auto const& seen : server.origin.requests()) {
    CHECK(seen.method == "GET");
    CHECK(seen.target == "/feed");
    CHECK_THAT(seen.field("User-Agent"), Contains("cistern/") && Contains("+https://"));
    CHECK_THAT(seen.field("Accept-Encoding"), Contains("gzip"));
    for (auto const* const name : {"Cookie", "Referer", "From", "Pragma", "Cache-Control"})
      CHECK(seen.field(name).empty());
  }
}

TEST_CASE("a host sees at most two connections at once, and its feeds one after the other", "[sync]") {
  whole_engine e;
  e.settings.hosts.feed_pause = 20ms;
  e.start();
  std::atomic<int> now{0}, most{0};
  std::mutex mutex;
  std::vector<std::chrono::steady_clock::time_point> times;
  fake_origin origin{[&](fake_exchange& x) {
    auto const n = ++now;
    for (auto seen = most.load(); n > seen && !most.compare_exchange_weak(seen, n);) {
    }
    {
      std::scoped_lock const lock{mutex};
      times.push_back(std::chrono::steady_clock::now());
    }
    x.answer(200, "ETag: \"1\"\r\n", two_stories);
    --now;
  }};
  for (int i = 0; i < 8; ++i) e.subscribe(origin.url("/feed" + std::to_string(i)));
  auto const begun = std::chrono::steady_clock::now();
  e.pass();
  REQUIRE(times.size() == 8);
  CHECK(most <= 2);
  // From the begin and not between requests: a busy machine notices two of them together that were sent apart.
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(times[i] - begun >= i * e.settings.hosts.feed_pause);
}

TEST_CASE("an article is fetched once for each item and version", "[sync]") {
  whole_engine e;
  std::atomic<int> version{1}, pages{0};
  fake_origin origin{[&](fake_exchange& x) {
    auto const link = "http://" + x.request.field("Host") + "/article";
    if (x.request.target == "/article")
      return ++pages, x.answer(200, "Content-Type: text/html\r\n", "<html><body>text</body></html>");
    auto const v = std::to_string(version);
    if (x.request.field("If-None-Match") == '"' + v + '"') return x.answer(304, "", "");
    x.answer(200, "ETag: \"" + v + "\"\r\n", rss({{"a", version > 1 ? "Corrected" : "First", 60, link}}));
  }};
  e.subscribe(origin.url("/feed"), true);
  e.pass();
  e.pass_after(2h);
  e.pass_after(2h);
  CHECK(pages == 1);
  version = 2;
  e.pass_after(2h);
  e.pass_after(2h);
  CHECK(pages == 2);
  CHECK(e.items().size() == 1);
  CHECK(e.items().front().title == "Corrected");
}
