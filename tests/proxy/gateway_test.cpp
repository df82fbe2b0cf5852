#include "proxy/gateway.hpp"

#include "proxy/gateway_policy.hpp"
#include "tests/proxy/whole_proxy.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string const navigation_accept = "text/html,application/xhtml+xml,*/*;q=0.8";

proxy::gateway_names const names{"localhost"};

std::string mapped(std::string_view url) {
  std::string out;
  return names.append(url, ":8910", out) ? out : "(no name)";
}

proxy::web_proxy_settings with_gateway() {
  proxy::web_proxy_settings out;
  out.gateway.allow_private = true;
  return out;
}

/// A browser's request to a gateway name.
http_reply visit(whole_proxy& proxy, fake_origin const& origin, std::string target = "/",
                 std::map<std::string, std::string> headers = {}, std::string method = "GET", std::string body = {}) {
  headers["Host"] = "127.0.0.1--" + std::to_string(origin.port()) + ".localhost:8910";
  return proxy.get(std::move(target), std::move(headers), std::move(method), std::move(body));
}

std::string name_of(fake_origin const& origin) {
  return "http://127.0.0.1--" + std::to_string(origin.port()) + ".localhost:8910";
}

}  // namespace

TEST_CASE("every site has a name on the gateway, and every such name a site", "[proxy]") {
  auto const [url, address] = GENERATE(table<std::string, std::string>({
      {"https://www.example.org/a?b#c", "http://www.example.org.localhost:8910/a?b#c"},
      {"http://example.org", "http://example.org.localhost:8910/"},
      {"https://example.org:8443/", "http://example.org--8443.localhost:8910/"},
      {"https://example.org:443/", "http://example.org.localhost:8910/"},
      {"http://example.org:80?q", "http://example.org.localhost:8910/?q"},
      {"wss://example.org/live", "ws://example.org.localhost:8910/live"},
      {"https://EXAMPLE.org./", "http://example.org.localhost:8910/"},
      {"https://user:secret@example.org/", "http://example.org.localhost:8910/"},
      {"https://ex%61mple.org/", "http://example.org.localhost:8910/"},
      {"https://xn--bcher-kva.example/", "http://xn--bcher-kva.example.localhost:8910/"},
      {"https://1.2.3.4/", "http://1.2.3.4.localhost:8910/"},
      {"https://[::1]/", "(no name)"},
      {"http://localhost:3000/", "(no name)"},
      {"http://www.example.org.localhost:8910/", "(no name)"},
      {"ftp://example.org/", "(no name)"},
      {"https://a b/", "(no name)"},
      {"https://a\"b/", "(no name)"},
      {"https:///", "(no name)"},
  }));
  INFO(url);
  CHECK(mapped(url) == address);
}

TEST_CASE("a Host field is read for the site it names, or not at all", "[proxy]") {
  auto const [host, origin] = GENERATE(table<std::string, std::string>({
      {"www.example.org.localhost:8910", "https://www.example.org"},
      {"WWW.Example.ORG.LocalHost", "https://www.example.org"},
      {"example.org--8443.localhost:8910", "https://example.org:8443"},
      {"a.xn--12345.localhost:8910", "https://a.xn--12345"},
      {"localhost:8910", "(none)"},
      {".localhost:8910", "(none)"},
      {"a..b.localhost", "(none)"},
      {"localhost.localhost:8910", "(none)"},
      {"a.localhost.localhost:8910", "(none)"},
      {"example.org", "(none)"},
      {"example.org.evillocalhost", "(none)"},
      {"example.org.localhost:8910:1", "(none)"},
      {"example.org.localhost:x", "(none)"},
      {"a/b.localhost", "(none)"},
      {"127.0.0.1", "(none)"},
      {"[::1]:8910", "(none)"},
  }));
  INFO(host);
  auto const site = names.read(host);
  CHECK((site ? site->origin(true) : "(none)") == origin);
}

TEST_CASE("a page seen through the gateway leads to the gateway", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{
      always("Content-Type: text/html\r\nCache-Control: max-age=60\r\n",
             "<html><head><title>t</title></head><a href='https://b.test/x'>b</a><a href=/y>y</a></html>")};
  for (int round = 0; round < 2; ++round) {
    auto const reply = visit(proxy, origin, "/p");
    CHECK(reply.status == 200);
    CHECK(reply.body ==
          "<html><head><script src=\"/.well-known/cistern/gateway.js\" nonce=\"\"></script><title>t</title></head>"
          "<a href='http://b.test.localhost:8910/x'>b</a><a href=/y>y</a></html>");
    CHECK(header(reply, "Content-Type") == "text/html; charset=utf-8");
    CHECK(header(reply, "Content-Length") == std::to_string(reply.body.size()));
    CHECK_THAT(header(reply, "Content-Security-Policy"), StartsWith("default-src 'self' http://*.localhost:8910"));
  }
  CHECK(origin.requests().size() == 1);  // what is stored is the origin's
  CHECK_THAT(proxy.get(origin.url("/p").replace(7, 9, "127.0.0.1")).body, Contains("<a href='https://b.test/x'>"));
}

TEST_CASE("a large page, chunked and compressed, is rewritten whole", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  std::string page = "<html><head></head>";
  while (page.size() < 300'000) page += "<p>text <a href='https://b.test/'>b</a>";
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::size_t at = 0; at < page.size(); at += 50'000) {
      auto const part = page.substr(at, 50'000);
      char line[32];
      std::snprintf(line, sizeof line, "%zx\r\n", part.size());
      x.send(line + part + "\r\n");
    }
    x.send("0\r\n\r\n");
  }};
  auto const reply = visit(proxy, origin);
  CHECK(reply.body.size() > page.size());
  CHECK(reply.body.find("https://") == std::string::npos);
  CHECK(header(reply, "Content-Length") == std::to_string(reply.body.size()));
}

TEST_CASE("what needs no rewriting passes byte for byte, ranges too", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  auto const body = noise(7, 500'000);
  fake_origin origin{always("Content-Type: image/png\r\nCache-Control: max-age=60\r\n", body)};
  CHECK(visit(proxy, origin).body == body);
  CHECK(visit(proxy, origin).body == body);
  auto const part = visit(proxy, origin, "/", {{"Range", "bytes=10-19"}});
  CHECK(part.status == 206);
  CHECK(part.body == body.substr(10, 10));
}

TEST_CASE("response fields are said again in the gateway's names", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{[](fake_exchange& x) {
    x.answer(302,
             "Location: https://b.test/next?a=1\r\nLink: <https://c.test/s.css>; rel=preload; title=\"<x>\", </y>; "
             "rel=next\r\n"
             "Refresh: 5; url=https://d.test/\r\nAccess-Control-Allow-Origin: https://e.test\r\n"
             "Strict-Transport-Security: max-age=1\r\nAlt-Svc: h3=\":443\"\r\nNEL: {}\r\nReport-To: {}\r\n"
             "Set-Cookie: a=1; Domain=.test; Path=/; Secure; HttpOnly; SameSite=None\r\nCache-Control: no-store\r\n",
             "");
  }};
  auto const reply = visit(proxy, origin);
  CHECK(reply.status == 302);
  CHECK(header(reply, "Location") == "http://b.test.localhost:8910/next?a=1");
  CHECK(header(reply, "Link") == "<http://c.test.localhost:8910/s.css>; rel=preload; title=\"<x>\", </y>; rel=next");
  CHECK(header(reply, "Refresh") == "5; url=http://d.test.localhost:8910/");
  CHECK(header(reply, "Access-Control-Allow-Origin") == "http://e.test.localhost:8910");
  CHECK(header(reply, "Set-Cookie") == "a=1; Path=/; HttpOnly");
  for (auto const* gone : {"Strict-Transport-Security", "Alt-Svc", "NEL", "Report-To"})
    CHECK(header(reply, gone) == "(absent)");
}

TEST_CASE("a site sees its own names in a request, never the gateway's", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{always("Content-Type: text/plain\r\nCache-Control: no-store\r\n", "ok")};
  visit(proxy, origin);  // that this one speaks http only is learned by reading, never by sending something twice
  visit(proxy, origin, "/form?x",
        {{"Origin", "http://b.test.localhost:8910"},
         {"Referer", "http://b.test.localhost:8910/page?q"},
         {"X-Cistern", "1"},
         {"Cookie", "a=1"}},
        "POST", "body");
  auto const seen = origin.requests();
  REQUIRE(seen.size() == 2);
  auto const& post = seen.back();
  CHECK(post.method == "POST");
  CHECK(post.target == "/form?x");
  CHECK(post.body == "body");
  CHECK(post.field("Host") == "127.0.0.1:" + std::to_string(origin.port()));
  CHECK_THAT(post.field("Origin"), Contains("://b.test") && !Contains("localhost"));
  CHECK_THAT(post.field("Referer"), Contains("://b.test/page?q"));
  CHECK(post.field("X-Cistern").empty());
  CHECK(post.field("Cookie").empty());  // another site's page asked
}

TEST_CASE("a rewritten page is validated by a tag of its own", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{always("Content-Type: text/html\r\nETag: \"v1\"\r\nCache-Control: max-age=60\r\n", "<p>x")};
  auto const tag = header(visit(proxy, origin), "ETag");
  CHECK(tag == "W/\"v1;cistern1\"");
  CHECK(visit(proxy, origin, "/", {{"If-None-Match", tag}}).status == 304);
  CHECK(visit(proxy, origin, "/", {{"If-None-Match", "W/\"v1;cistern0\""}}).status == 200);
}

TEST_CASE("a site's content policy still protects, in the gateway's names", "[proxy]") {
  auto const [policy, expected] = GENERATE(table<std::string, std::string>({
      {"default-src 'self'", "script-src 'self' S; default-src 'self'; worker-src 'self' W"},
      {"script-src 'self' https://cdn.test/lib/ *.b.test:8443",
       "script-src 'self' http://cdn.test.localhost:8910/lib/ https://cdn.test/lib/ "
       "http://*.b.test--8443.localhost:8910 "
       "ws://*.b.test--8443.localhost:8910 *.b.test:8443 S; worker-src 'self' http://cdn.test.localhost:8910/lib/ "
       "http://*.b.test--8443.localhost:8910 ws://*.b.test--8443.localhost:8910 W"},
      {"script-src 'none'", "script-src S; worker-src W"},
      {"script-src 'nonce-abc' 'strict-dynamic' https:; worker-src https://b.test",
       "script-src 'nonce-abc' 'strict-dynamic' http://*.localhost:8910 'H'; worker-src http://b.test.localhost:8910 "
       "W"},
      {"script-src 'nonce-abc' 'strict-dynamic'",
       "script-src 'nonce-abc' 'strict-dynamic' 'H'; worker-src 'nonce-abc' 'self' W"},
      {"img-src * data:", "img-src http://*.localhost:8910 ws://*.localhost:8910 data:"},
      {"connect-src wss://live.test; upgrade-insecure-requests; report-uri https://r.test/",
       "connect-src ws://live.test.localhost:8910"},
      {"img-src https://a.test, frame-ancestors 'none'",
       "img-src http://a.test.localhost:8910, frame-ancestors 'none'"},
      {"sandbox allow-scripts; require-trusted-types-for 'script'",
       "sandbox allow-scripts; require-trusted-types-for 'script'"},
      {"upgrade-insecure-requests", ""},
      {"", ""},
  }));
  INFO(policy);
  CHECK(proxy::rewritten_policy(policy, names, ":8910", {"S", "H", "W"}) == expected);
}

TEST_CASE("with our service worker only what it sees may name the live web", "[proxy]") {
  auto const policy = proxy::with_worker_policy(names, ":8910");
  CHECK_THAT(policy, StartsWith(proxy::gateway_policy(names, ":8910")));
  CHECK_THAT(policy, Contains("; script-src 'self' http://*.localhost:8910 ") && Contains("http: https:;"));
  CHECK_THAT(policy, Catch::EndsWith("; frame-src 'self' http://*.localhost:8910"));  // none that it does not see
  for (auto const* const bound : {"connect-src", "img-src", "object-src"})
    CHECK_THAT(policy, !Contains(bound));  // they fall back on what allows gateway names only
}

TEST_CASE("whatever a browser could show as a page is kept inside, whatever it says it is", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  std::map<std::string, std::string> const fields{{"/1", "Content-Type: text/xml\r\n"},
                                                  {"/2", "Content-Type: application/rss+xml\r\n"},
                                                  {"/3", "Content-Type: text/plain\r\n"},
                                                  {"/4", "Content-Type: application/xhtml+xml\r\n"},
                                                  {"/5", "Content-Type: image/svg+xml\r\n"},
                                                  {"/6", "Content-Type: multipart/x-mixed-replace\r\n"},
                                                  {"/7", "Content-Type: text/javascript\r\n"},
                                                  {"/8", "Content-Type: text/html\r\nContent-Encoding: x-new\r\n"},
                                                  {"/9", ""}};
  // One origin for all: that it speaks http only is found out once.
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, fields.at(x.request.target), "<x/>"); }};
  for (auto const& [path, said] : fields) {
    INFO(said);
    CHECK_THAT(header(visit(proxy, origin, path), "Content-Security-Policy"),
               Contains("default-src 'self' http://*.localhost"));
  }
}

TEST_CASE("cookies do not go along when a page of another site asks", "[proxy]") {
  // To a browser a.com.localhost and b.com.localhost are one site, and SameSite holds nothing back.
  struct row {
    char const* site;
    char const* origin;
    char const* mode;
    char const* method;
    bool sent;
  };
  auto const r = GENERATE(values<row>({
      {"same-origin", "", "cors", "GET", true},
      {"none", "", "navigate", "GET", true},
      {"same-site", "http://evil.com.localhost:8910", "cors", "GET", false},
      {"same-site", "http://evil.com.localhost:8910", "navigate", "POST", false},
      {"same-site", "null", "navigate", "POST", false},
      {"same-site", "", "no-cors", "GET", false},
      {"same-site", "", "navigate", "GET", true},
      {"same-site", "http://static.bank.com.localhost:8910", "cors", "POST", true},
      {"cross-site", "https://elsewhere.test", "cors", "POST", false},
  }));
  INFO(r.site << ' ' << r.origin << ' ' << r.mode << ' ' << r.method);
  std::string text = std::string{r.method} + " /pay HTTP/1.1\r\nHost: www.bank.com.localhost:8910\r\nCookie: a=1\r\n";
  text += std::string{"Sec-Fetch-Site: "} + r.site + "\r\nSec-Fetch-Mode: " + r.mode + "\r\nSec-Fetch-Dest: ";
  text += std::string{r.mode} == "navigate" ? "document\r\n" : "empty\r\n";
  if (*r.origin != 0) text += std::string{"Origin: "} + r.origin + "\r\n";
  text += "\r\n";
  sync::head_view head;
  REQUIRE(sync::parse_request_head(text, head) == sync::framing_fault::none);
  auto const site = names.read(head.host);
  auto const out = proxy::translated_request(head, names, *site, true);
  CHECK((out.find("Cookie: a=1") != std::string::npos) == r.sent);
}

TEST_CASE("no quoting in a Link field hides an address", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{
      always("Link: <x>; title=\"\\\"\", <https://b.test/>; rel=preconnect\r\nClear-Site-Data: \"*\"\r\n", "")};
  auto const reply = visit(proxy, origin);
  CHECK_THAT(header(reply, "Link"), Contains("<http://b.test.localhost:8910/>") && !Contains("https://"));
  CHECK(header(reply, "Clear-Site-Data") == "\"cache\", \"storage\"");  // cookies would be those of every neighbour
}

TEST_CASE("a site that has spoken https is never asked without it", "[proxy]") {
  test_ca web;
  fake_origin origin{always("Content-Type: text/plain\r\nCache-Control: no-store\r\n", "safe"),
                     web.server({.names = "IP:127.0.0.1"})};
  whole_proxy proxy{with_gateway(), 443, nullptr, web.file()};
  CHECK(visit(proxy, origin).body == "safe");
  auto const port = origin.port();
  origin.stop();
  auto const reply = proxy.get("/", {{"Host", "127.0.0.1--" + std::to_string(port) + ".localhost:8910"}});
  CHECK(reply.status == 502);
  CHECK_THAT(header(reply, "Via"), Contains("absent"));
}

TEST_CASE("the dashboard is not reached under a site's name, nor a site under ours", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{always("Content-Type: text/plain\r\n", "the site's own")};
  for (auto const* path : {"/healthz", "/proxy.pac", "/api/v1/link", "/go?url=https://b.test/"})
    CHECK(visit(proxy, origin, path).body == "the site's own");
  auto const change = visit(proxy, origin, "/api/v1/link", {{"X-Cistern", "1"}}, "POST", "offline");
  CHECK(change.body == "the site's own");
  CHECK(proxy.link.mode() != sync::link_mode::offline);
}

TEST_CASE("forged Host fields reach neither a site nor the dashboard", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  auto const host = GENERATE(as<std::string>{}, "evil.test", "localhost.localhost:8910",
                             "evil.test.localhost.evil.test", "a..localhost", "localhost.evil.test:8910");
  auto const reply = proxy.get("/", {{"Host", host}});
  CHECK(reply.status == 421);
}

TEST_CASE("through the gateway nobody reaches private addresses, unless that was allowed", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always("Content-Type: text/plain\r\n", "the neighbour")};
  auto const reply = visit(proxy, origin);
  CHECK(reply.status == 403);
  CHECK(origin.requests().empty());
}

TEST_CASE("a redirect cannot put fields of its own into an answer", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{[](fake_exchange& x) {
    x.answer(302, "Location: https://b.test/%0d%0aSet-Cookie:%20a=1\r\nCache-Control: no-store\r\n", "");
  }};
  auto const reply = visit(proxy, origin);
  CHECK(header(reply, "Set-Cookie") == "(absent)");
  CHECK(header(reply, "Location") == "http://b.test.localhost:8910/%0d%0aSet-Cookie:%20a=1");
}

TEST_CASE("cookies stay under the name they came from", "[proxy]") {
  CHECK(proxy::translated_cookie("a=b; domain=com", true) == "a=b");
  CHECK(proxy::translated_cookie("a=b;Domain=x.test;Max-Age=5", true) == "a=b; Max-Age=5");
  CHECK(proxy::translated_cookie("__Host-a=b; Secure; Path=/", true) == "__Host-a=b; Secure; Path=/");
  CHECK(proxy::translated_cookie("__Host-a=b; Secure; Path=/", false) == "__Host-a=b; Path=/");
  CHECK(proxy::translated_cookie("domain=1; SameSite=Lax", true) == "domain=1; SameSite=Lax");
}

TEST_CASE("any address leads to its place on the gateway", "[proxy]") {
  whole_proxy proxy;
  auto const to = [&](std::string query) {
    return header(proxy.get("/go?" + query, {{"Host", "localhost:8910"}}), "Location");
  };
  CHECK(to("url=https%3A%2F%2Fb.test%2Fx%3Fa%26b") == "http://b.test.localhost:8910/x?a&b");
  CHECK(to("url=b.test/x") == "http://b.test.localhost:8910/x");
  CHECK(to("url=javascript:alert(1)") == "(absent)");
  CHECK(to("url=https://b.test/%0d%0aX:1") == "(absent)");
  CHECK(to("url=//localhost:8910/") == "(absent)");
  CHECK(to("") == "(absent)");
}

TEST_CASE("a browser finds its way on the gateway from wherever it asked", "[proxy]") {
  auto const [domain, host, there] = GENERATE(table<std::string, std::string, std::string>({
      {"localhost", "localhost:8910", "http://b.test.localhost:8910/x"},
      {"localhost", "127.0.0.1:8910", "http://b.test.localhost:8910/x"},
      {"localhost", "[::1]:8910", "http://b.test.localhost:8910/x"},
      {"localhost", "192.168.1.10:8910", ""},  // "localhost" is another machine there
      {"cistern.lan", "192.168.1.10:8910", "http://b.test.cistern.lan:8910/x"},
      {"cistern.lan", "cistern.lan", "http://b.test.cistern.lan/x"},
      {"", "localhost:8910", ""},
  }));
  CHECK(proxy::gateway_address(domain, "https://b.test/x", host) == there);
}

TEST_CASE("a browser can find out by which door it comes, and no site hears of it", "[proxy]") {
  whole_proxy proxy;
  proxy.link.force(sync::link_mode::offline);
  for (auto const& reply : {proxy.get("http://cistern.invalid/.well-known/cistern/here"),
                            proxy.get("/.well-known/cistern/here", {{"Host", "cistern.invalid.localhost:8910"}})}) {
    CHECK(reply.status == 200);
    CHECK(header(reply, "Access-Control-Allow-Origin") == "*");
  }
  CHECK(proxy.get("http://b.test/.well-known/cistern/here").status != 200);
  CHECK_THAT(proxy.get("/proxy.pac", {{"Host", "localhost"}}).body, Contains("cistern.invalid"));
}

TEST_CASE("what is stored works through the gateway while the link is down, the rest says so under the same name",
          "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{always("Content-Type: text/html\r\n", "<p>stored <a href='https://b.test/'>b</a>")};
  visit(proxy, origin, "/kept");
  proxy.link.force(sync::link_mode::offline);
  CHECK_THAT(visit(proxy, origin, "/kept").body, Contains("http://b.test.localhost:8910/"));
  auto const missing =
      visit(proxy, origin, "/missing",
            {{"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "navigate"}, {"Accept", navigation_accept}});
  CHECK(missing.status == 504);
  CHECK_THAT(missing.body, Contains("\"/.well-known/cistern/queue\""));
  CHECK_THAT(missing.body, !Contains("gateway.js"));
  CHECK_THAT(missing.body, Contains(name_of(origin) + "/kept"));
}

TEST_CASE("the gateway's own script is there under every name", "[proxy]") {
  whole_proxy proxy;
  auto const reply = proxy.get("/.well-known/cistern/gateway.js", {{"Host", "b.test.localhost:8910"}});
  CHECK(reply.status == 200);
  CHECK_THAT(header(reply, "Content-Type"), StartsWith("text/javascript"));
  CHECK_THAT(reply.body, Contains("'.localhost'"));
  auto const worker = proxy.get("/.well-known/cistern/worker.js", {{"Host", "b.test.localhost:8910"}});
  CHECK(header(worker, "Service-Worker-Allowed") == "/");
  CHECK_THAT(worker.body, StartsWith(reply.body) && Contains("policy = \"default-src 'self' http://*.localhost:8910 "));
  CHECK_THAT(header(worker, "Content-Security-Policy"), StartsWith("default-src 'self' http://*.localhost:8910"));
}

TEST_CASE("a site's own workers begin with the gateway's names", "[proxy]") {
  whole_proxy proxy{with_gateway()};
  fake_origin origin{always("Content-Type: text/javascript\r\n", "site()")};
  CHECK(visit(proxy, origin, "/w.js").body == "site()");
  auto const worker = visit(proxy, origin, "/w.js", {{"Sec-Fetch-Dest", "worker"}}).body;
  CHECK_THAT(worker, Contains("cistern.gateway") && !Contains("ServiceWorkerGlobalScope") && Catch::EndsWith("site()"));
  auto const service = visit(proxy, origin, "/w.js", {{"Sec-Fetch-Dest", "serviceworker"}}).body;
  CHECK_THAT(service, Contains("cistern.gateway") && Contains("ServiceWorkerGlobalScope") && Catch::EndsWith("site()"));
}
