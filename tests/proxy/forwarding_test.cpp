#include "tests/proxy/whole_proxy.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;

TEST_CASE("interim answers reach the client that waits for the final one, and nobody after it", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n");
    x.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n");
    x.answer(200, "Cache-Control: max-age=60\r\n", "page");
  }};
  auto const ask = [&](std::string_view version, std::string_view method) {
    auto const line = std::string{method} + " " + origin.url("/a") + " HTTP/" + std::string{version};
    return raw_exchange(proxy.server.endpoint().port(), line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  };
  SECTION("of a page that is stored on the way") {
    auto const first = ask("1.1", "GET");
    CHECK_THAT(first, Catch::StartsWith("HTTP/1.1 102 Processing\r\n\r\n"
                                        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                                        "HTTP/1.1 200 OK\r\n"));
    CHECK_THAT(first, !Contains("X-Hop") && !Contains("100 Continue"));
    auto const second = ask("1.1", "GET");
    CHECK_THAT(second, Catch::StartsWith("HTTP/1.1 200 OK\r\n"));
    CHECK_THAT(second, !Contains("Link:"));
    CHECK(origin.requests().size() == 1);
  }
  SECTION("of what passes through") {
    for (auto const* method : {"DELETE", "HEAD"})
      CHECK_THAT(ask("1.1", method), Catch::StartsWith("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n"));
  }
  SECTION("but not one that speaks HTTP/1.0, which has no such thing") {
    CHECK_THAT(ask("1.0", "GET"), Catch::StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST_CASE("an answer in a transfer coding that nobody knows ends with its connection", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: x-none\r\n\r\nall of it");
    x.end();
  }};
  for (int i = 0; i < 2; ++i) {
    auto const reply = proxy.get(origin.url());
    CHECK(reply.status == 200);
    CHECK(reply.body == "all of it");
    CHECK_THAT(header(reply, "Transfer-Encoding"), !Contains("x-none"));
  }
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("the answer to a POST is kept for a GET where it says that it is one, and for how long", "[proxy]") {
  auto const [fields, kept] = GENERATE(table<std::string, bool>({
      {"Content-Location: /a\r\nCache-Control: max-age=60\r\n", true},
      {"Content-Location: /a\r\nExpires: Fri, 01 Jan 2038 01:01:01 GMT\r\n", true},
      {"Content-Location: /a\r\nCache-Control: max-age=60, no-store\r\n", false},
      {"Content-Location: /a\r\nCache-Control: max-age=60, private\r\n", false},
      {"Content-Location: /a\r\nLast-Modified: Fri, 01 Jan 2010 01:01:01 GMT\r\n", false},
      {"Content-Location: /b\r\nCache-Control: max-age=60\r\n", false},
      {"Cache-Control: max-age=60\r\n", false},
  }));
  INFO(fields);
  whole_proxy proxy;
  fake_origin origin{[fields = fields](fake_exchange& x) {
    if (x.request.method == "GET") return x.answer(200, "Cache-Control: max-age=60\r\n", "got");
    x.answer(200, fields, "posted");
  }};
  CHECK(proxy.get(origin.url("/a"), {}, "POST", "form").body == "posted");
  auto const after = proxy.get(origin.url("/a"));
  CHECK(after.body == (kept ? "posted" : "got"));
  CHECK(origin.requests().size() == (kept ? 1 : 2));
}

TEST_CASE("the link to the stored copy leads to it under the page's own address, for who clicked and for a minute",
          "[proxy]") {
  whole_proxy proxy;
  std::atomic<bool> broken{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (broken) return x.reset();
    x.answer(200, "Cache-Control: max-age=10, must-revalidate\r\nContent-Type: text/html\r\n", "<a href=next>");
  }};
  std::map<std::string, std::string> const person{{"Accept", "text/html"}, {"Sec-Fetch-Dest", "document"}};
  auto const page = origin.url("/deep/page");
  proxy.get(page);
  proxy.clock.advance(20s);
  broken = true;
  auto const trouble = proxy.get(page, person);
  CHECK(trouble.status == 502);
  auto const from = trouble.body.find("/.well-known/cistern/copy?");
  REQUIRE(from != std::string::npos);
  auto link = trouble.body.substr(from, trouble.body.find('"', from) - from);
  while (link.find("&amp;") != std::string::npos) link.replace(link.find("&amp;"), 5, "&");
  auto const click = proxy.get(origin.url(link), person);
  CHECK(click.status == 303);
  CHECK(header(click, "Location") == page);
  auto const copy = proxy.get(page, person);
  CHECK(copy.body == "<a href=next>");
  CHECK_THAT(header(copy, "Cache-Status"), Contains("detail=asked-for-copy"));
  proxy.clock.advance(61s);
  CHECK(proxy.get(page, person).status == 502);
  CHECK(proxy.get(origin.url(link.substr(0, link.find("&token"))), person).status == 403);
}
