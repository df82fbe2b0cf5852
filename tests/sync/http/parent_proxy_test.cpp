#include "sync/http/parent_proxy.hpp"

#include "tests/sync/http/client_fixture.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace client_test;

namespace {

/// A host name that only a parent could resolve: loopback never goes through one.
constexpr auto far = "http://far.invalid/page?x";

client_options through(fake_origin const& parent, std::string const& user = {}) {
  client_options out;
  auto const url = "http://" + (user.empty() ? "" : user + "@") + "127.0.0.1:" + std::to_string(parent.port());
  out.parents.for_http = out.parents.for_https = parse_parent_proxy(url).value();
  return out;
}

}  // namespace

TEST_CASE("a parent proxy is asked in the absolute form with its credentials", "[sync][http]") {
  fake_origin parent{[](fake_exchange& x) { x.answer(200, "", "from afar"); }};
  bench b{through(parent, "us%40er:p:w")};
  CHECK(b.get(far).body == "from afar");
  auto const seen = parent.requests().at(0);
  CHECK(seen.target == far);
  CHECK(seen.field("host") == "far.invalid");
  CHECK(seen.field("proxy-authorization") == "Basic dXNAZXI6cDp3");
  // Its connection is good for every origin.
  CHECK(b.get("http://other.invalid:81/").body == "from afar");
  CHECK(parent.connections() == 1);
}

TEST_CASE("https goes through a parent proxy by CONNECT", "[sync][http]") {
  test_ca const ca;
  auto const context = ca.server({.names = "DNS:far.invalid"});
  // The parent answers CONNECT, then plays the origin itself on the same socket, which is what a client sees of a
  // tunnel.
  fake_origin parent{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
    x.serve_tls(context.get(), [](fake_exchange& inner) { inner.answer(200, "", inner.request.target); });
  }};
  auto options = through(parent, "a:b");
  options.ca_file = ca.file();
  bench b{options};
  CHECK(b.get("https://far.invalid/inner").body == "/inner");
  auto const seen = parent.requests().at(0);
  CHECK(seen.method == "CONNECT");
  CHECK(seen.target == "far.invalid:443");
  CHECK(seen.field("proxy-authorization") == "Basic YTpi");
}

TEST_CASE("a parent proxy that refuses CONNECT is an error of its own", "[sync][http]") {
  fake_origin parent{[](fake_exchange& x) { x.answer(403, "", "no"); }};
  bench b{through(parent)};
  CHECK(b.get("https://far.invalid/").error == errc::proxy_failed);
}

TEST_CASE("a literal private address is refused even through a parent", "[sync][http]") {
  fake_origin parent{[](fake_exchange& x) { x.answer(200, "", "no"); }};
  bench b{through(parent)};
  auto what = to("http://10.0.0.1/");
  what.options.allow_address = [](net::ip::address const&) { return false; };
  CHECK(b.run(std::move(what)).error == errc::forbidden_address);
}

TEST_CASE("a tunnel carries bytes both ways, also after one side has ended", "[sync][http]") {
  auto const script = [](fake_exchange& x) {
    if (x.request.method == "CONNECT") x.send("HTTP/1.1 200 OK\r\n\r\nearly ");
    std::string all;
    for (auto got = x.receive(); !got.empty(); got = x.receive()) all += got;
    x.send("got " + all);
    x.end();
  };
  auto const talk = [](http_client& client, origin to, std::string opening) -> net::awaitable<std::string> {
    auto pipe = co_await client.connect_tunnel(to, {});
    if (!pipe) co_return pipe.error().message();
    auto const sent = co_await pipe->write(opening);
    pipe->end_sending();
    std::string out;
    char buffer[100];
    while (sent) {
      auto const got = co_await pipe->read_some(buffer);
      if (!got || *got == 0) break;
      out.append(buffer, *got);
    }
    co_return out;
  };
  fake_origin server{script};
  SECTION("directly") {
    bench b;
    origin const to{.host = "localhost", .port = server.port()};
    CHECK(run_task(b.io, talk(b.client, to, "GET / HTTP/1.1\r\n\r\nhello")) == "got hello");
  }
  SECTION("through a parent, where the first bytes may come with its answer") {
    bench b{through(server)};
    origin const to{.host = "far.invalid", .port = 22};
    CHECK(run_task(b.io, talk(b.client, to, "hello")) == "early got hello");
  }
}

TEST_CASE("the environment says which parent is asked for what", "[sync][http]") {
  std::map<std::string, std::string> env = {{"http_proxy", "http://one:3128/"},
                                            {"HTTP_PROXY", "http://evil:1"},
                                            {"ALL_PROXY", "two:8080"},
                                            {"no_proxy", "example.org, .lan,*.corp.test,host.test:8443,192.168.1.1"}};
  auto const rules = proxy_rules_from([&](char const* name) -> char const* {
                       auto const found = env.find(name);
                       return found == env.end() ? nullptr : found->second.c_str();
                     }).value();
  auto const chosen = [&](std::string const& url) {
    auto const* parent = rules.choose(parse_url(url)->to);
    return parent ? parent->host + ":" + std::to_string(parent->port) : "direct";
  };
  CHECK(chosen("http://a.test/") == "one:3128");
  CHECK(chosen("https://a.test/") == "two:8080");
  CHECK(chosen("http://example.org/") == "direct");
  CHECK(chosen("http://www.example.org/") == "direct");
  CHECK(chosen("http://notexample.org/") == "one:3128");
  CHECK(chosen("http://nas.lan/") == "direct");
  CHECK(chosen("http://x.corp.test/") == "direct");
  CHECK(chosen("https://host.test:8443/") == "direct");
  CHECK(chosen("https://host.test/") == "two:8080");
  CHECK(chosen("http://192.168.1.1/") == "direct");
  CHECK(chosen("http://localhost:80/") == "direct");
  CHECK(chosen("http://127.0.0.1/") == "direct");
  CHECK(parse_parent_proxy("socks5://x:1").has_error());
  CHECK(parse_parent_proxy("http://a%zz@x:1").has_error());
}

TEST_CASE("URLs are split without being rewritten", "[sync][http]") {
  auto const [url, host, port, target] = GENERATE(table<char const*, char const*, int, char const*>({
      {"http://Example.ORG", "example.org", 80, "/"},
      {"HTTPS://example.org./a%2Fb|c?d#e", "example.org", 443, "/a%2Fb|c?d"},
      {"http://example.org:8080?q", "example.org", 8080, "/?q"},
      {"http://[::1]:90/x", "::1", 90, "/x"},
      {"http://example.org:/", "example.org", 80, "/"},
  }));
  INFO(url);
  auto const parts = parse_url(url);
  REQUIRE(parts.has_value());
  CHECK(parts->to.host == host);
  CHECK(parts->to.port == port);
  CHECK(parts->target == target);
}

TEST_CASE("URLs that mean nothing or hide something are refused", "[sync][http]") {
  auto const url = GENERATE("ftp://a/", "//a/", "http:///x", "http://u:p@a/", "http://a:0/", "http://a:70000/",
                            "http://a:b/", "http://a b/", "http://a/b c", "http://[::1/", "http://[zz]/",
                            "http://a\\b/", "http://.a/", "http://a/\r\nX: y");
  INFO(url);
  CHECK(parse_url(url).has_error());
}

TEST_CASE("an authority is written as Host wants it", "[sync][http]") {
  CHECK(authority(parse_url("https://[::1]/")->to) == "[::1]");
  CHECK(authority(parse_url("https://a.test:80/")->to) == "a.test:80");
  CHECK(authority_with_port(parse_url("http://a.test/")->to) == "a.test:80");
}
