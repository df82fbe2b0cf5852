#include "tools/chaos/chaos_link.hpp"

#include "sync/fetcher.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/temp_store.hpp"
#include "tools/chaos/proxied_request.hpp"

#include <catch2/catch.hpp>

#include <csignal>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using chaos::chaos_link;

namespace {

chaos::destination to(fake_origin const& origin) { return {.host = "127.0.0.1", .port = origin.port()}; }
chaos::destination through(fake_origin const& origin) {
  return {.host = "127.0.0.1", .port = origin.port(), .proxy = true};
}

std::string const question = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";

/// How much comes of an endless body before the connection breaks, for each of `times` connections.
std::vector<std::size_t> breaks(chaos::profile const& how, int times) {
  auto const body = noise(4, 400'000);
  fake_origin origin{[&](fake_exchange& x) { x.send(body), x.stall(); }};
  chaos_link const link{how, to(origin)};
  std::vector<std::size_t> out;
  for (int i = 0; i < times; ++i) {
    raw_connection const browser{link.port()};
    browser.send(question);
    out.push_back(browser.read_all().size());
  }
  return out;
}

}  // namespace

TEST_CASE("a link without faults passes everything", "[tools][chaos]") {
  auto const body = noise(1, 500'000);
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "Connection: close\r\n", body), x.end(); }};
  chaos_link const link{{}, to(origin)};
  auto const reply = http_get(link.port(), "/x");
  CHECK((reply.body == body));
  CHECK(link.counted().down > body.size());
  CHECK(link.counted().up > 0);
}

TEST_CASE("as a proxy the link takes each request of a connection where it asks to go", "[tools][chaos]") {
  fake_origin first{[](fake_exchange& x) { x.answer(200, "", "first " + x.request.target); }};
  fake_origin second{[](fake_exchange& x) { x.answer(200, "", "second " + x.request.body); }};
  chaos_link const link{{}, {}};
  raw_connection const browser{link.port()};
  browser.send("GET " + first.url("/x?y=1") + " HTTP/1.1\r\nHost: a\r\nProxy-Connection: keep-alive\r\n\r\n");
  browser.read_until("first /x?y=1");
  browser.send("POST " + second.url("/") + " HTTP/1.1\r\nHost: b\r\nContent-Length: 4\r\n\r\nbody");
  browser.read_until("second body");
  browser.send("GET " + second.url("") + " HTTP/1.1\r\nHost: b\r\n\r\n");
  browser.read_until("second ");
  CHECK(first.requests().at(0).target == "/x?y=1");
  CHECK(first.requests().at(0).field("Proxy-Connection").empty());
  CHECK(second.requests().at(1).target == "/");
  CHECK(second.connections() == 1);
}

TEST_CASE("one server can play every host behind the link", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "I am " + x.request.field("Host") + "."); }};
  chaos_link const link{{}, through(origin)};
  raw_connection const browser{link.port()};
  browser.send("GET http://one.test/ HTTP/1.1\r\nHost: one.test\r\n\r\n");
  browser.read_until("I am one.test.");
  browser.send("GET http://two.test/ HTTP/1.1\r\nHost: two.test\r\n\r\n");
  CHECK_THAT(browser.read_until("I am two.test."), Contains("200 Scripted"));
}

TEST_CASE("tunnels pass through the link", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", x.request.field("Host")); }};
  chaos_link const link{{}, {}};
  raw_connection const browser{link.port()};
  browser.send("CONNECT 127.0.0.1:" + std::to_string(origin.port()) + " HTTP/1.1\r\n\r\n");
  browser.read_until("200 Connection Established\r\n\r\n");
  browser.send("GET / HTTP/1.1\r\nHost: inside\r\n\r\n");
  CHECK_THAT(browser.read_until("inside"), Contains("200 Scripted"));
}

TEST_CASE("the same seed cuts in the same places, another one elsewhere", "[tools][chaos]") {
  auto const first = breaks({.cut_every = 20'000, .seed = 5}, 12);
  CHECK(first == breaks({.cut_every = 20'000, .seed = 5}, 12));
  CHECK(first != breaks({.cut_every = 20'000, .seed = 6}, 12));
  // Stalls have random numbers of their own.
  CHECK(first == breaks({.cut_every = 20'000, .stall_every = 30'000, .stall = 1ms, .seed = 5}, 12));
}

TEST_CASE("a file arrives whole over a link that keeps breaking, and almost nothing is sent twice", "[tools][chaos]") {
  auto const body = noise(2, 3'000'000);
  auto const seed = GENERATE(1u, 2u, 3u);
  fake_origin origin{[&](fake_exchange& x) { serve_file(x, {.body = body, .fields = "ETag: \"v1\"\r\n"}); }};
  chaos_link const bad{{.cut_every = 200'000, .seed = seed}, to(origin)};
  auto const url = "http://127.0.0.1:" + std::to_string(bad.port()) + "/file";

  fake_clock clock{std::chrono::sys_seconds{1'900'000'000s}};
  temp_store store;
  sync::network_link link{clock};
  sync::resolver names;
  sync::downloads fetching{*store, link, clock, {}};
  sync::fetcher fetcher{fetching, link, names, {}, {.waits = {.base = 1ms, .cap = 2ms}}};
  fetcher.want(url);
  auto const until = std::chrono::steady_clock::now() + 30s;
  while (fetcher.look(url)->now != sync::fetcher::phase::complete && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  CHECK((store.body_of(url) == body));
  CHECK(bad.counted().cuts > 5);
  CHECK(bad.counted().down < body.size() + body.size() / 50 + 400 * bad.counted().connections);
}

TEST_CASE("while the link is down connections break and none is made, and then again", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "hello"); }};
  chaos_link link{{}, to(origin)};
  raw_connection const open{link.port()};
  open.send(question);
  open.read_until("hello");
  link.set_up(false);
  CHECK(open.read_all().empty());
  raw_connection const refused{link.port()};
  CHECK(refused.read_all().empty());
  CHECK(link.counted().refused == 1);
  CHECK(link.counted().outages == 1);
  CHECK(!link.is_up());
  link.set_up(true);
  raw_connection const again{link.port()};
  again.send(question);
  again.read_until("hello");
}

TEST_CASE("a silent outage breaks nothing: what was under way goes on", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "hello"); }};
  chaos_link link{{.silent = true}, to(origin)};
  raw_connection const open{link.port()};
  link.set_up(false);
  open.send(question);
  raw_connection const later{link.port()};
  later.send(question);
  CHECK(origin.requests().empty());
  link.set_up(true);
  open.read_until("hello");
  later.read_until("hello");
}

TEST_CASE("windows of up and down follow one another", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "hello"); }};
  auto const random = GENERATE(false, true);
  std::vector<chaos::window> const windows{{.length = 20ms, .random = random}, {.length = 20ms, .random = random}};
  chaos_link const link{{.windows = windows}, to(origin)};
  auto const until = std::chrono::steady_clock::now() + 20s;
  while (link.counted().outages < 3 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  CHECK(link.counted().outages >= 3);
}

TEST_CASE("a captive portal answers in everybody's place, until somebody has logged in", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "Connection: close\r\n", "hello"), x.end(); }};
  auto const target = GENERATE("/", "http://a.test/");
  chaos_link link{{.portal = true}, std::string_view{target} == "/" ? to(origin) : through(origin)};
  raw_connection const browser{link.port()};
  browser.send("GET " + std::string{target} + " HTTP/1.1\r\nHost: a.test\r\n\r\n");
  auto const answer = browser.read_until("</html>");
  CHECK_THAT(answer, Contains("302 Found") && Contains("Location: http://portal.test/"));
  CHECK(origin.requests().empty());
  link.change({});
  CHECK(http_get(link.port(), target).body == "hello");
}

TEST_CASE("a slow link takes at least the time that its rate says", "[tools][chaos]") {
  auto const body = noise(3, 100'000);
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "Connection: close\r\n", body), x.end(); }};
  chaos_link const link{{.rate = 500'000}, to(origin)};
  auto const before = std::chrono::steady_clock::now();
  CHECK(http_get(link.port()).body.size() == body.size());
  CHECK(std::chrono::steady_clock::now() - before >= 190ms);
}

TEST_CASE("a far link makes every turn of a conversation wait", "[tools][chaos]") {
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "", "hello"); }};
  chaos_link const link{{.delay = 40ms}, to(origin)};
  raw_connection const browser{link.port()};
  auto const before = std::chrono::steady_clock::now();
  for (int i = 0; i < 2; ++i) {
    browser.send(question);
    browser.read_until("hello");
  }
  CHECK(std::chrono::steady_clock::now() - before >= 160ms);
}

TEST_CASE("a link's faults are written in words", "[tools][chaos]") {
  auto const windows = chaos::parse_windows("up 20s, down ~1m");
  REQUIRE(windows);
  CHECK(*windows == std::vector<chaos::window>{{20s, false}, {1min, true}});
  for (auto const* odd : {"", "down 20s", "up 20s", "up 20s, down", "up 20s, down 0s", "up 20s,", "up soon, down 1s"})
    CHECK(!chaos::parse_windows(odd));
  CHECK(chaos::parse_host_port("[::1]:80") == chaos::host_port{"::1", 80});
  CHECK(chaos::parse_host_port("a.test", 443) == chaos::host_port{"a.test", 443});
  for (auto const* odd : {"a.test", ":80", "a.test:http", "a.test:99999", "[::1]"}) CHECK(!chaos::parse_host_port(odd));
}

TEST_CASE("what is no proxy request is not taken for one", "[tools][chaos]") {
  for (auto const* odd : {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET http:// HTTP/1.1\r\n\r\n",
                          "CONNECT a.test:x HTTP/1.1\r\n\r\n"})
    CHECK(!chaos::parse_proxied(odd));
}

TEST_CASE("chaos-link says where it is and, at the end, what it did", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "Connection: close\r\n", "hello"), x.end(); }};
  child_process program{{CHAOS_LINK_PROGRAM, "--target", "127.0.0.1:" + std::to_string(origin.port())}};
  auto const line = program.wait_for("chaos-link is at 127.0.0.1:");
  auto const port = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
  CHECK(http_get(port).body == "hello");
  program.signal(SIGTERM);
  auto const end = program.wait();
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Contains("connections 1, refused 0, cuts 0"));
}

TEST_CASE("chaos-link says in one line what it did not understand", "[tools][chaos]") {
  using words = std::vector<std::string>;
  auto const wrong = GENERATE(words{"--rate", "much"}, words{"--windows", "down 1s"}, words{"--listen", "here"},
                              words{"--target", "example.org"}, words{"--proxy"}, words{"--delay", "later"});
  words all{CHAOS_LINK_PROGRAM};
  all.insert(all.end(), wrong.begin(), wrong.end());
  auto const end = run(all);
  CAPTURE(end.err);
  CHECK(end.exit_code == 2);
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  CHECK_THAT(end.err, Contains(wrong.front()));
}
