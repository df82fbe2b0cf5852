#include "tools/chaos/chaos_link.hpp"

#include "sync/fetcher.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using chaos::chaos_link;

namespace {

boost::asio::ip::tcp::endpoint const any_port{boost::asio::ip::address_v4::loopback(), 0};

chaos::destination to(fake_origin const& origin) { return {"127.0.0.1", origin.port()}; }

}  // namespace

TEST_CASE("a link without faults passes everything", "[tools][chaos]") {
  auto const body = noise(1, 500'000);
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "", body + x.request.field("Host")); }};
  SECTION("to one place") {
    chaos_link const link{{}, to(origin), any_port};
    CHECK((http_get(link.port()).body.substr(0, body.size()) == body));
  }
  SECTION("as a proxy, with the request put into the form that origins expect") {
    chaos_link const link{{}, {}, any_port};
    auto const reply = http_get(link.port(), origin.url("/x?y=1"));
    CHECK((reply.body.substr(0, body.size()) == body));
    CHECK(origin.requests().front().target == "/x?y=1");
    CHECK(origin.requests().front().field("Connection") == "close");
  }
  SECTION("through CONNECT") {
    chaos_link const link{{}, {}, any_port};
    raw_connection const browser{link.port()};
    browser.send("CONNECT 127.0.0.1:" + std::to_string(origin.port()) + " HTTP/1.1\r\n\r\n");
    browser.read_until("200 Connection Established\r\n\r\n");
    browser.send("GET / HTTP/1.1\r\nHost: inside\r\n\r\n");
    CHECK_THAT(browser.read_until("inside"), Contains("200 Scripted"));
  }
}

TEST_CASE("a file arrives whole over a link that keeps breaking, and almost nothing is sent twice", "[tools][chaos]") {
  auto const body = noise(2, 3'000'000);
  auto const seed = GENERATE(1, 2, 3);
  fake_origin origin{[&](fake_exchange& x) { serve_file(x, {.body = body, .fields = "ETag: \"v1\"\r\n"}); }};
  chaos_link const bad{{.cut_every = 200'000, .seed = static_cast<std::uint64_t>(seed)}, to(origin), any_port};
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

TEST_CASE("while the link is down nobody gets through, and then again", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "hello"); }};
  chaos_link link{{}, to(origin), any_port};
  CHECK(http_get(link.port()).body == "hello");
  link.set_up(false);
  auto const until = std::chrono::steady_clock::now() + 10s;
  while (link.counted().refused == 0 && std::chrono::steady_clock::now() < until) {
    try {
      http_get(link.port());
    } catch (std::exception const&) {
    }
  }
  CHECK(link.counted().refused > 0);
  link.set_up(true);
  std::string body;
  while (body.empty() && std::chrono::steady_clock::now() < until) {
    try {
      body = http_get(link.port()).body;
    } catch (std::exception const&) {
    }
  }
  CHECK(body == "hello");
}

TEST_CASE("a captive portal answers in everybody's place", "[tools][chaos]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "hello"); }};
  chaos_link const link{{.portal = true}, to(origin), any_port};
  auto const reply = http_get(link.port());
  CHECK(reply.status == 302);
  CHECK_THAT(reply.headers.at("Location"), Contains("portal"));
  CHECK(origin.requests().empty());
}

TEST_CASE("a slow link takes at least the time that its rate says", "[tools][chaos]") {
  auto const body = noise(3, 100'000);
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "", body); }};
  chaos_link const link{{.rate = 500'000}, to(origin), any_port};
  auto const before = std::chrono::steady_clock::now();
  CHECK(http_get(link.port()).body.size() == body.size());
  CHECK(std::chrono::steady_clock::now() - before >= 190ms);
}

TEST_CASE("a link's faults are written in words", "[tools][chaos]") {
  std::vector<std::chrono::milliseconds> windows;
  CHECK(chaos::parse_windows("up 20s, down 1m", windows));
  CHECK(windows == std::vector<std::chrono::milliseconds>{20s, 1min});
  CHECK(!chaos::parse_windows("down 20s", windows));
  CHECK(!chaos::parse_windows("up 20s", windows));
  CHECK(!chaos::parse_windows("up 20 s, down", windows));
  CHECK(chaos::parse_bytes("40kB") == 40'000);
  CHECK(chaos::parse_bytes("1.5MB") == 1'500'000);
  CHECK(chaos::parse_bytes("much") == 0);
  CHECK(chaos::parse_time("250ms") == 250ms);
  CHECK(chaos::parse_time("soon") < 0ms);
}
