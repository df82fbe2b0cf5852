#include "tests/proxy/whole_proxy.hpp"

#include "store/http_date.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::string const navigation_accept = "text/html,application/xhtml+xml,*/*;q=0.8";

}  // namespace

TEST_CASE("what was fetched once is served from the repository", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{
      always("Cache-Control: max-age=60\r\nContent-Type: text/plain\r\nSet-Cookie: secret=1\r\n", "hello")};
  auto const first = proxy.get(origin.url("/a"));
  CHECK(first.body == "hello");
  CHECK_THAT(header(first, "Cache-Status"), Contains("fwd=uri-miss") && Contains("stored"));
  proxy.clock.advance(10s);
  auto const second = proxy.get(origin.url("/a"));
  CHECK(second.body == "hello");
  CHECK(header(second, "Age") == "10");
  CHECK(header(second, "Cache-Status") == "cistern; hit; ttl=50");
  CHECK(header(second, "Set-Cookie") == "(absent)");
  CHECK(header(second, "Content-Type") == "text/plain");
  CHECK_THAT(header(second, "Via"), Contains("cistern"));
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("bodies of every size and framing pass whole and are stored", "[proxy]") {
  whole_proxy proxy;
  auto const size = GENERATE(std::size_t{0}, 1, 16'352, 200'000, 3'000'000);
  auto const body = noise(size, size);
  auto const chunked = GENERATE(false, true);
  fake_origin origin{[&](fake_exchange& x) {
    if (!chunked) return x.answer(200, "Cache-Control: max-age=60\r\n", body);
    x.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::size_t at = 0; at < body.size(); at += 50'000) {
      auto const part = body.substr(at, 50'000);
      char line[32];
      std::snprintf(line, sizeof line, "%zx\r\n", part.size());
      x.send(line + part + "\r\n");
    }
    x.send("0\r\n\r\n");
  }};
  CHECK(proxy.get(origin.url()).body == body);
  CHECK(proxy.get(origin.url()).body == body);
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("a long body reaches a client that reads in drops, and the connection goes on", "[proxy]") {
  whole_proxy proxy;
  auto const body = noise(3, 12'000'000);
  fake_origin origin{always("Cache-Control: max-age=60\r\n", body)};
  CHECK(proxy.get(origin.url("/long")).body == body);
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket peer{io};
  peer.open(boost::asio::ip::tcp::v4());
  peer.set_option(boost::asio::socket_base::receive_buffer_size{16 << 10});  // so that the proxy must wait for us
  peer.connect(proxy.server.endpoint());
  auto const request = "GET " + origin.url("/long") + " HTTP/1.1\r\nHost: a\r\n\r\n";
  boost::asio::write(peer, boost::asio::buffer(request + request));
  std::string got;
  auto const read_answer = [&] {
    boost::asio::read_until(peer, boost::asio::dynamic_buffer(got), "\r\n\r\n");
    auto const start = got.find("\r\n\r\n") + 4;
    CHECK(got.substr(0, start).find("Content-Length: 12000000\r\n") != got.npos);
    CHECK(got.substr(0, start).find("Cache-Status: cistern; hit") != got.npos);
    got.erase(0, start);
    boost::asio::read(peer, boost::asio::dynamic_buffer(got),
                      boost::asio::transfer_at_least(body.size() - std::min(body.size(), got.size())));
    CHECK(got.compare(0, body.size(), body) == 0);
    got.erase(0, body.size());
  };
  read_answer();
  read_answer();
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("clients that do not read what they asked for hold up nobody else", "[proxy]") {
  whole_proxy proxy;
  auto const size = GENERATE(std::size_t{1'900'000}, 8'000'000);  // short enough to be kept in memory, and not
  fake_origin origin{[&](fake_exchange& x) {
    x.answer(200, "Cache-Control: max-age=60\r\n", x.request.target == "/small" ? "small" : noise(4, size));
  }};
  for (int i = 0; i < 3; ++i) CHECK(proxy.get(origin.url("/long")).body.size() == size);
  proxy.get(origin.url("/small"));
  std::vector<raw_connection> silent;
  for (int i = 0; i < 12; ++i) {
    silent.emplace_back(proxy.server.endpoint().port());
    auto const request = "GET " + origin.url("/long") + " HTTP/1.1\r\nHost: a\r\n\r\n";
    for (int pipelined = 0; pipelined < 10; ++pipelined) silent.back().send(request);
  }
  for (int i = 0; i < 12; ++i) CHECK(proxy.get(origin.url("/small")).body == "small");
}

TEST_CASE("what is asked for often comes from memory, and is what the repository holds", "[proxy]") {
  whole_proxy proxy;
  auto const size = GENERATE(std::size_t{40'000}, 100'000, 1'500'000);
  auto body = noise(1, size);
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, "Cache-Control: max-age=60\r\n", body); }};
  for (int i = 0; i < 5; ++i) CHECK(proxy.get(origin.url()).body == body);
  CHECK(proxy.get(origin.url(), {}, "HEAD").headers["Content-Length"] == std::to_string(size));
  auto const part = proxy.get(origin.url(), {{"Range", "bytes=35000-35009"}});
  CHECK(part.status == 206);
  CHECK(part.body == body.substr(35'000, 10));
  CHECK(origin.requests().size() == 1);

  body = noise(2, size);
  CHECK(proxy.get(origin.url(), {{"Cache-Control", "no-cache"}}).body == body);
  for (int i = 0; i < 5; ++i) CHECK(proxy.get(origin.url()).body == body);
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("a stale page is validated, and a 304 makes it fresh with the new headers", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.field("If-None-Match") == "\"v1\"")
      return x.answer(304, "ETag: \"v1\"\r\nCache-Control: max-age=100\r\nX-New: yes\r\n", "");
    x.answer(200, "ETag: \"v1\"\r\nCache-Control: max-age=10\r\n", "page");
  }};
  proxy.get(origin.url());
  proxy.clock.advance(20s);
  auto const validated = proxy.get(origin.url());
  CHECK(validated.status == 200);
  CHECK(validated.body == "page");
  CHECK(header(validated, "X-New") == "yes");
  CHECK_THAT(header(validated, "Cache-Status"), Contains("fwd=stale") && Contains("fwd-status=304"));
  proxy.clock.advance(50s);
  CHECK_THAT(header(proxy.get(origin.url()), "Cache-Status"), Contains("hit; ttl=50"));
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("a stale page is served with its age when the link is down", "[proxy]") {
  whole_proxy proxy;
  auto const control = GENERATE(as<std::string>{}, "max-age=60", "no-cache", "max-age=60, must-revalidate");
  fake_origin origin{always("Cache-Control: " + control + "\r\n", "old")};
  proxy.get(origin.url());
  proxy.link.force(sync::link_mode::offline);
  proxy.clock.advance(48h);
  for (auto const& reload :
       {std::map<std::string, std::string>{}, {{"Cache-Control", "no-cache"}}, {{"Cache-Control", "max-age=0"}}}) {
    auto const answer = proxy.get(origin.url(), reload);
    CHECK(answer.body == "old");
    CHECK(header(answer, "Age") == "172800");
    CHECK_THAT(header(answer, "Cache-Status"), Contains("cistern; hit; ttl=-") && Contains("detail=offline"));
  }
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("an origin that fails does not hide a stored copy, unless the copy forbids it", "[proxy]") {
  whole_proxy proxy;
  bool ill = false;
  auto const [control, status] =
      GENERATE(table<std::string, unsigned>({{"max-age=10", 200}, {"max-age=10, must-revalidate", 503}}));
  fake_origin origin{[&, control = control](fake_exchange& x) {
    if (ill) return x.answer(503, "", "trouble");
    x.answer(200, "Cache-Control: " + control + "\r\n", "good");
  }};
  proxy.get(origin.url());
  ill = true;
  proxy.clock.advance(20s);
  CHECK(proxy.get(origin.url()).status == status);
  ill = false;
  CHECK(proxy.get(origin.url()).body == "good");
}

TEST_CASE("an origin that never answers costs a stored page no more than the patience", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always("Cache-Control: max-age=10\r\nConnection: close\r\n", "old")};
  proxy.get(origin.url());
  proxy.clock.advance(20s);
  origin.deaf = true;
  auto const answer = proxy.get(origin.url());
  CHECK(answer.body == "old");
  CHECK_THAT(header(answer, "Cache-Status"), Contains("detail=slow-origin"));
}

TEST_CASE("a page that is not stored is explained to a person and refused quickly to everything else", "[proxy]") {
  whole_proxy proxy;
  proxy.link.force(sync::link_mode::offline);
  auto const page =
      proxy.get("http://away.test/story", {{"Accept", navigation_accept}, {"Upgrade-Insecure-Requests", "1"}});
  CHECK(page.status == 504);
  CHECK_THAT(header(page, "Content-Type"), Contains("text/html"));
  CHECK_THAT(page.body, Contains("http://away.test/story") && Contains("/.well-known/cistern/queue"));
  auto const picture = proxy.get("http://away.test/x.png", {{"Accept", "image/*"}, {"Sec-Fetch-Dest", "image"}});
  CHECK(picture.status == 504);
  CHECK_THAT(header(picture, "Content-Type"), Contains("text/plain"));
  CHECK(proxy.get("http://away.test/", {{"Cache-Control", "only-if-cached"}}).status == 504);
}

TEST_CASE("a queued page is fetched when the link is back, and survives until then", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always("Cache-Control: max-age=60\r\n", "arrived")};
  proxy.link.force(sync::link_mode::offline);
  auto const page =
      proxy.get(origin.url("/story"), {{"Accept", navigation_accept}, {"Upgrade-Insecure-Requests", "1"}});
  auto const token_at = page.body.find("name=\"token\" value=\"") + 20;
  auto const token = page.body.substr(token_at, 32);
  auto const site = origin.url("/");
  CHECK(proxy.get(site + ".well-known/cistern/queue", {}, "POST", "url=" + origin.url("/story") + "&token=wrong")
            .status == 403);
  CHECK(proxy.get(site + ".well-known/cistern/queue", {}, "POST", "url=http://other.test/&token=" + token).status ==
        400);
  auto const queued =
      proxy.get(site + ".well-known/cistern/queue", {}, "POST", "url=" + origin.url("/story") + "&token=" + token);
  CHECK(queued.status == 303);
  CHECK(header(queued, "Location") == origin.url("/story"));
  auto const status_url = site + ".well-known/cistern/status?url=" + origin.url("/story");
  CHECK_THAT(proxy.get(status_url).body, Contains("\"queued\"") && Contains("\"down\""));
  CHECK(origin.requests().empty());

  proxy.link.force(sync::link_mode::online);
  auto const until = std::chrono::steady_clock::now() + 20s;
  while (proxy.get(status_url).body.find("stored") == std::string::npos && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  proxy.link.force(sync::link_mode::offline);
  CHECK(proxy.get(origin.url("/story")).body == "arrived");
}

TEST_CASE("two who ask for one page at once share one fetch", "[proxy]") {
  whole_proxy proxy;
  std::promise<void> go;
  auto gate = go.get_future().share();
  fake_origin origin{[&](fake_exchange& x) {
    gate.wait();
    x.answer(200, "Cache-Control: max-age=60\r\n", "one");
  }};
  auto one = std::async(std::launch::async, [&] { return proxy.get(origin.url()).body; });
  auto two = std::async(std::launch::async, [&] { return proxy.get(origin.url()).body; });
  auto const until = std::chrono::steady_clock::now() + 10s;
  while (origin.requests().empty() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  go.set_value();
  CHECK(one.get() == "one");
  CHECK(two.get() == "one");
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("what is private is neither stored nor shared", "[proxy]") {
  whole_proxy proxy;
  auto const control = GENERATE(as<std::string>{}, "private", "no-store");
  fake_origin origin{always("Cache-Control: " + control + "\r\n", "mine")};
  CHECK(proxy.get(origin.url()).body == "mine");
  CHECK(proxy.get(origin.url()).body == "mine");
  CHECK(origin.requests().size() == 2);
  CHECK(proxy.store->measure().value().objects == 0);
}

TEST_CASE("ranges are answered from the repository", "[proxy]") {
  whole_proxy proxy;
  auto const body = noise(9, 100'000);
  fake_origin origin{always("Cache-Control: max-age=60\r\nETag: \"r\"\r\n", body)};
  auto const not_stored = proxy.get(origin.url(), {{"Range", "bytes=1000-1999"}});
  CHECK(not_stored.status == 206);
  CHECK(not_stored.body == body.substr(1000, 1000));
  CHECK(origin.requests().front().field("Range") == "");
  auto const part = proxy.get(origin.url(), {{"Range", "bytes=-500"}});
  CHECK(part.status == 206);
  CHECK(header(part, "Content-Range") == "bytes 99500-99999/100000");
  CHECK(part.body == body.substr(99'500));
  CHECK(proxy.get(origin.url(), {{"Range", "bytes=200000-"}}).status == 416);
  CHECK(proxy.get(origin.url(), {{"Range", "bytes=0-9"}, {"If-Range", "\"other\""}}).status == 200);
  auto const two = proxy.get(origin.url(), {{"Range", "bytes=0-9,5000-5009"}});
  CHECK(two.status == 206);
  CHECK_THAT(header(two, "Content-Type"), Contains("multipart/byteranges"));
  CHECK_THAT(two.body, Contains(body.substr(5000, 10)));
  CHECK(proxy.get(origin.url(), {{"If-None-Match", "\"r\""}}).status == 304);
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("a write makes the stored page be validated", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.method == "POST") return x.answer(200, "", "done: " + x.request.body);
    x.answer(200, "Cache-Control: max-age=1000\r\n", "page");
  }};
  proxy.get(origin.url());
  auto const posted = proxy.get(origin.url(), {}, "POST", "a=1");
  CHECK(posted.body == "done: a=1");
  proxy.get(origin.url());
  CHECK(origin.requests().size() == 3);
  proxy.link.force(sync::link_mode::offline);
  CHECK(proxy.get(origin.url()).body == "page");
}

TEST_CASE("Cache-Status says why the origin was asked", "[proxy]") {
  struct row {
    char const* cache_control;  // of the stored answer
    char const* asks;           // the second request's
    bool written;               // in between
    char const* says;
  };
  auto const r = GENERATE(values<row>({
      {"max-age=60", "no-cache", false, "fwd=request;"},  // RFC 9211 §2.2: fresh, and the request does not allow it
      {"max-age=60", "min-fresh=90", false, "fwd=request;"},
      {"max-age=0", "x", false, "fwd=stale;"},
      {"max-age=60, no-cache", "x", false, "fwd=stale;"},  // it is the answer that must not be used unchecked
      {"max-age=60", "x", true, "fwd=stale;"},             // RFC 9111 §4.4: invalidated
  }));
  INFO(r.cache_control << " / " << r.asks);
  whole_proxy proxy;
  fake_origin origin{always("Cache-Control: " + std::string{r.cache_control} + "\r\n", "page")};
  CHECK_THAT(header(proxy.get(origin.url()), "Cache-Status"), Contains("fwd=uri-miss;"));
  if (r.written) proxy.get(origin.url(), {}, "POST", "a=1");
  CHECK_THAT(header(proxy.get(origin.url(), {{"Cache-Control", r.asks}}), "Cache-Status"), Contains(r.says));
}

TEST_CASE("an answer without Date gets the time it was received, kept or not", "[proxy]") {
  // RFC 9110 §6.6.1: "if it is cached or forwarded downstream"
  auto const [method, range, fields] = GENERATE(table<std::string, std::string, std::string>({
      {"GET", "", "Cache-Control: max-age=60\r\n"},
      {"GET", "", "Cache-Control: no-store\r\n"},
      {"GET", "bytes=-2", "Cache-Control: no-store\r\nContent-Range: bytes 2-3/4\r\n"},
      {"HEAD", "", ""},
      {"POST", "", ""},
  }));
  INFO(method << " " << fields);
  whole_proxy proxy;
  fake_origin origin{[&, text = fields, status = range.empty() ? 200u : 206u](fake_exchange& x) {
    x.answer(status, text, x.request.method == "HEAD" ? "" : "go");
  }};
  std::map<std::string, std::string> asks;
  if (!range.empty()) asks["Range"] = range;
  auto const got = proxy.get(origin.url(), asks, method, method == "POST" ? "a=1" : "");
  CHECK(header(got, "Date") == store::format_http_date(proxy.clock.now()));
}

TEST_CASE("a target that is no path and no http address is refused", "[proxy]") {
  whole_proxy proxy;
  auto const target =
      GENERATE(as<std::string>{}, "ftp://example.org/", "example.org/a", "http://h:99999/", "http:///a", "x");
  INFO(target);
  CHECK(proxy.get(target).status == 400);
}

TEST_CASE("variants are kept apart by the request's fields", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    x.answer(200, "Cache-Control: max-age=60\r\nVary: Accept-Language\r\n", "in " + x.request.field("Accept-Language"));
  }};
  CHECK(proxy.get(origin.url(), {{"Accept-Language", "de"}}).body == "in de");
  CHECK(proxy.get(origin.url(), {{"Accept-Language", "fr"}}).body == "in fr");
  CHECK(proxy.get(origin.url(), {{"Accept-Language", "de"}}).body == "in de");
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("a body stored compressed is decoded for who cannot take it", "[proxy]") {
  whole_proxy proxy;
  std::string const gzipped{
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00", 25};
  fake_origin origin{always("Cache-Control: max-age=60\r\nContent-Encoding: gzip\r\n", gzipped)};
  CHECK(proxy.get(origin.url(), {{"Accept-Encoding", "gzip"}}).body == gzipped);
  auto const plain = proxy.get(origin.url());
  CHECK(plain.body == "hello");
  CHECK(header(plain, "Content-Encoding") == "(absent)");
}

TEST_CASE("a coding that was not asked for is taken off on the way", "[proxy]") {
  struct row {
    char const* accept_encoding;  // empty: none
    char const* range;
    char const* body;
    char const* coding;
  };
  std::string const gzipped{
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00", 25};
  auto const r = GENERATE(values<row>({{"identity", "", "hello", "(absent)"},
                                       {"br;q=1, gzip;q=0", "", "hello", "(absent)"},
                                       {"", "", "hello", "(absent)"},
                                       // Ranges are of the coded bytes: nobody gets those who got the others before.
                                       {"identity", "bytes=0-1", "hello", "(absent)"},
                                       {"gzip", "bytes=0-1", "\x1f\x8b", "gzip"}}));
  INFO(r.accept_encoding << " " << r.range);
  whole_proxy proxy;
  fake_origin origin{always("Cache-Control: max-age=60\r\nContent-Encoding: gzip\r\nETag: \"z\"\r\n", gzipped)};
  std::map<std::string, std::string> fields;
  if (*r.accept_encoding) fields["Accept-Encoding"] = r.accept_encoding;
  if (*r.range) fields["Range"] = r.range;
  for (auto const* const way : {"as it arrives", "from the repository"}) {
    INFO(way);
    auto const got = proxy.get(origin.url(), fields);
    CHECK(got.body == r.body);
    CHECK(header(got, "Content-Encoding") == r.coding);
    CHECK(header(got, "ETag") == (*r.range && *r.coding == 'g' ? "\"z\"" : "W/\"z\""));
  }
  CHECK(proxy.get(origin.url(), {{"Accept-Encoding", "gzip"}}).body == gzipped);  // kept as it came
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("another variant stands in while the link is down, and the answer says so", "[proxy]") {
  auto const lifetime = GENERATE(as<std::string>{}, "max-age=60", "max-age=0");
  whole_proxy proxy;
  fake_origin origin{always("Vary: Accept-Language\r\nCache-Control: " + lifetime + "\r\n", "text")};
  proxy.get(origin.url(), {{"Accept-Language", "de"}});
  proxy.link.force(sync::link_mode::offline);
  auto const other = proxy.get(origin.url(), {{"Accept-Language", "fr"}});
  CHECK(other.body == "text");
  CHECK_THAT(header(other, "Cache-Status"), Contains("detail=offline-variant"));
}

TEST_CASE("our own port is not reached through the proxy", "[proxy]") {
  whole_proxy proxy;
  auto const port = std::to_string(proxy.server.endpoint().port());
  CHECK(proxy.get("http://localhost:" + port + "/").status == 403);
  CHECK(proxy.get("http://127.0.0.1:" + port + "/healthz").status == 403);
  CHECK(proxy.get("http://[::1]:" + port + "/healthz").status == 403);
  CHECK(proxy.get("http://127.1:" + port + "/healthz").status == 403);  // a name, for all we know, that leads here
  CHECK(proxy.get("http://127.1:" + port + "/api/v1/link", {}, "POST", "{}").status == 403);
  CHECK(proxy.get("/healthz").status == 200);
}

TEST_CASE("what is stored of private addresses is for this machine alone", "[proxy]") {
  struct row {
    char const* host;
    char const* client;
    bool allowed;  // by the settings
    unsigned status;
  };
  auto const r = GENERATE(values<row>({{"127.0.0.1", "192.0.2.7", false, 403},
                                       {"10.1.2.3:8080", "192.0.2.7", false, 403},
                                       {"[::1]", "192.0.2.7", false, 403},
                                       {"router.localhost", "192.0.2.7", false, 403},
                                       {"127.0.0.1", "127.0.0.1", false, 200},
                                       {"127.0.0.1", "192.0.2.7", true, 200},
                                       {"example.org", "192.0.2.7", false, 200}}));
  INFO(r.host << " for " << r.client);
  proxy::web_proxy_settings settings;
  settings.allow_private = r.allowed;
  whole_proxy proxy{settings};
  auto const url = "http://" + std::string{r.host} + "/";
  store::object_head kept{.url = url, .requested = proxy.clock.now(), .responded = proxy.clock.now()};
  kept.headers.add("Cache-Control", "max-age=60");
  proxy.store.put(kept, "stored");

  // A client from elsewhere cannot be had in a test: the connection is told that it is one.
  boost::asio::io_context io{1};
  boost::asio::ip::tcp::acceptor door{io, {boost::asio::ip::address_v4::loopback(), 0}};
  boost::asio::ip::tcp::socket browser{io};
  browser.connect(door.local_endpoint());
  std::atomic<bool> const stopping{false};
  proxy::connection peer{door.accept(), {boost::asio::ip::make_address(r.client), 4711}, {}, stopping};
  auto const text = "GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n";
  sync::head_view head;
  REQUIRE(sync::parse_request_head(text, head) == sync::framing_fault::none);
  proxy::outgoing out;
  if (!proxy.handler.answer_now(head, peer, out)) {
    run_task(io, proxy.handler.answer(head, peer));
    out.head.resize(1000);
    out.head.resize(browser.read_some(boost::asio::buffer(out.head)));
  }
  CHECK(out.head.substr(9, 3) == std::to_string(r.status));
}

TEST_CASE("a tunnel carries bytes both ways, to allowed ports only", "[proxy]") {
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    x.end();
  }};
  whole_proxy proxy{origin.port()};
  auto const port = proxy.server.endpoint().port();
  CHECK_THAT(raw_exchange(port, "CONNECT localhost:25 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
             Contains("403"));
  auto const to = "localhost:" + std::to_string(origin.port());
  raw_connection const browser{port};
  browser.send("CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n");
  browser.read_until("200 Connection Established\r\n\r\n");
  browser.send("GET / HTTP/1.1\r\nHost: inside\r\n\r\n");
  CHECK_THAT(browser.read_all(), Contains("\r\n\r\nhi"));
  CHECK(origin.requests().front().field("Host") == "inside");
}

TEST_CASE("the answer is durable when it has been seen whole", "[proxy]") {
  whole_proxy proxy;
  auto const size = GENERATE(std::size_t{10}, 1'000'000);
  fake_origin origin{always("Cache-Control: max-age=60\r\n", noise(3, size))};
  proxy.get(origin.url());
  CHECK(proxy.store.body_of(origin.url()) == noise(3, size));
}
