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

TEST_CASE("a body that a client framed badly is the client's fault, not the origin's", "[proxy]") {
  whole_proxy proxy;
  std::atomic<int> whole{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.body.ends_with("0\r\n\r\n")) ++whole;
    x.answer(200, "", "");
  }};
  auto const [body, status] = GENERATE(table<std::string, std::string>({
      {"g\r\nabc\r\n0\r\n\r\n", "400"},
      {"0x3\r\nabc\r\n0\r\n\r\n", "400"},
      {"-3\r\nabc\r\n0\r\n\r\n", "400"},
      {"fffffffffffffffff\r\nabc\r\n0\r\n\r\n", "400"},
      {"3\nabc\n0\n\n", "400"},
      {"3\r\nabcde\r\n0\r\n\r\n", "400"},
      {"3\r\nabc\r\n0\r\n\r\n", "200"},
  }));
  INFO(body);
  auto const target = GENERATE(as<std::string>{}, "/a", "/.well-known/cistern/queue");
  auto const head = "POST " + origin.url(target) + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  auto const answer = raw_exchange(proxy.server.endpoint().port(), head + "Transfer-Encoding: chunked\r\n\r\n" + body);
  bool const ours = target != "/a";
  CHECK(answer.substr(9, 3) == (ours ? "400" : status));  // the queue understands none of them
  CHECK(whole == (!ours && status == "200" ? 1 : 0));
  CHECK(proxy.link.state() == sync::link_state::up);
}

TEST_CASE("a request whose body stalls gets 408", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always("", "taken")};
  proxy::listener impatient{
      {.endpoint = {boost::asio::ip::address_v4::loopback(), 0}, .threads = 1, .session = {.body_timeout = 100ms}}};
  impatient.start(proxy.handler);
  for (std::string const framing : {"Content-Length: 9", "Transfer-Encoding: chunked"}) {
    auto const head = "POST " + origin.url("/a") + " HTTP/1.1\r\nHost: localhost\r\n" + framing + "\r\n\r\n";
    CHECK(raw_exchange(impatient.endpoint().port(), head + "5\r\n").substr(9, 3) == "408");
  }
  impatient.stop();
}

TEST_CASE("an answer whose chunks make no sense from the start is a bad gateway's, or a stored copy", "[proxy]") {
  whole_proxy proxy;
  std::atomic<bool> bad{false};
  bool const in_one = GENERATE(true, false);
  fake_origin origin{[&, in_one](fake_exchange& x) {
    if (!bad) return x.answer(200, "Cache-Control: max-age=10\r\n", "good");
    std::string const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    if (in_one) {
      x.send(head + "zz\r\nabc\r\n0\r\n\r\n");
    } else {
      x.send(head + "f");
      x.send("\nabc\r\n0\r\n\r\n");
    }
    x.end();
  }};
  proxy.get(origin.url("/kept"));
  bad = true;
  CHECK(proxy.get(origin.url("/new")).status == 502);
  CHECK(proxy.get(origin.url("/new"), {}, "DELETE").status == 502);
  proxy.clock.advance(20s);
  if (in_one) CHECK(proxy.get(origin.url("/kept")).body == "good");
}

TEST_CASE("an answer to HEAD keeps the length of what a GET would bring", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.head.starts_with("HEAD")) return void(x.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"));
    x.answer(200, "", "page");
  }};
  auto const head = proxy.get(origin.url(), {}, "HEAD");
  CHECK(header(head, "Content-Length") == "1234");
  CHECK(head.body.empty());
}

TEST_CASE("an origin's error is shown with the stored copy on offer to a person, and as it is to a program",
          "[proxy]") {
  whole_proxy proxy;
  std::atomic<unsigned> ill{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (ill != 0) return x.answer(static_cast<int>(ill.load()), "", "trouble");
    x.answer(200, "Cache-Control: max-age=10, must-revalidate\r\nContent-Type: text/html\r\n", "good");
  }};
  std::map<std::string, std::string> const person{{"Accept", "text/html"}, {"Sec-Fetch-Dest", "document"}};
  proxy.get(origin.url());
  proxy.clock.advance(20s);
  for (unsigned const status : {500u, 502u, 503u, 504u}) {
    ill = status;
    auto const page = proxy.get(origin.url(), person);
    CHECK(page.status == status);
    CHECK_THAT(page.body, Contains("error " + std::to_string(status)) && Contains("/.well-known/cistern/copy?"));
    CHECK(proxy.get(origin.url(), {{"Accept", "image/*"}}).body == "trouble");
  }
  ill = 404;  // that is an answer
  CHECK(proxy.get(origin.url(), person).body == "trouble");
  ill = 503;  // and here there is nothing to offer
  CHECK(proxy.get(origin.url("/never-seen"), person).body == "trouble");
}

TEST_CASE("a fetch that failed is not shared with who asks afterwards", "[proxy]") {
  whole_proxy proxy;
  std::atomic<int> asked{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (++asked % 2 == 1) return x.reset();
    x.answer(200, "Cache-Control: no-store\r\nConnection: close\r\n", "here");
  }};
  for (int i = 0; i < 20; ++i) {
    CHECK(proxy.get(origin.url()).status == 502);
    CHECK(proxy.get(origin.url()).body == "here");
  }
}

TEST_CASE("an answer without a body that was stale when it came is not given to who asks next", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) { x.send("HTTP/1.1 204 No Content\r\nCache-Control: max-age=0\r\n\r\n"); }};
  for (std::size_t asked = 1; asked <= 60; ++asked) {
    CHECK(proxy.get(origin.url()).status == 204);
    CHECK(origin.requests().size() == asked);
  }
}

TEST_CASE("a request that counts its forwards is passed on with one less, and answered here at none", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always("", "")};
  auto const [method, given, passed, status] = GENERATE(table<std::string, std::string, std::string, unsigned>({
      {"OPTIONS", "3", "2", 200},
      {"TRACE", "1", "0", 200},
      {"OPTIONS", "0", "", 200},
      {"TRACE", "0", "", 405},
      {"OPTIONS", "many", "many", 200},  // not a number: left alone
      {"GET", "0", "0", 200},            // not a method that is counted
      {"DELETE", "0", "0", 200},
  }));
  INFO(method << " " << given);
  auto const reply = proxy.get(origin.url(), {{"Max-Forwards", given}}, method);
  CHECK(reply.status == status);
  REQUIRE(origin.requests().size() == (passed.empty() ? 0 : 1));
  if (passed.empty())
    CHECK_THAT(header(reply, "Allow"), Contains("GET"));
  else
    CHECK(origin.requests().front().field("Max-Forwards") == passed);
}
