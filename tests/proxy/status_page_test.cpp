#include "proxy/status_page.hpp"

#include "proxy/own_pages.hpp"
#include "sync/clock.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;
using Catch::Matchers::Contains;

namespace {

/// Our own pages, asked without a socket.
struct asked_pages {
  cistern::sync::system_clock wall;
  cistern::sync::network_link link{wall};
  status_facts facts{.version = "1.2.3", .address = "127.0.0.1:1", .repository = {}};
  own_pages pages{{.webroot = CISTERN_WEBROOT,
                   .facts = [this] { return facts; },
                   .link = &link,
                   .carried_hosts = [] { return std::vector<std::string>{"carried.test"}; },
                   .address = "localhost:8910"}};

  outgoing ask(std::string const& start, std::string const& fields = "Host: localhost\r\n",
               std::string_view body = {}) {
    auto const bytes = start + " HTTP/1.1\r\n" + fields + "\r\n";
    cistern::sync::head_view head;
    REQUIRE(cistern::sync::parse_request_head(bytes, head) == cistern::sync::framing_fault::none);
    outgoing out;
    pages.answer(head, body, out);
    return out;
  }
};

}  // namespace

TEST_CASE("the status page shows what the repository holds", "[proxy]") {
  asked_pages s;
  s.facts.repository = repository_facts{
      .path = "/srv/<data>", .objects = 1234, .bytes = 5 << 20, .used_bytes = 6 << 20, .quota = std::uint64_t{2} << 30};
  auto const page = s.ask("GET /");
  CHECK_THAT(page.head,
             Contains("200 OK") && Contains("text/html; charset=utf-8") && Contains("Content-Security-Policy"));
  CHECK_THAT(page.body, Contains("1234 objects, 5.0 MiB") && Contains("6.0 MiB of 2.0 GiB") &&
                            Contains("/srv/&lt;data&gt;") && Contains("Version 1.2.3"));
  CHECK_THAT(page.body, !Contains("{{"));
}

TEST_CASE("the health check says ok, or what is wrong", "[proxy]") {
  asked_pages s;
  CHECK(s.ask("GET /healthz").body == "ok\n");
  s.facts.healthy = false;
  s.facts.state = "The disk is full";
  auto const ill = s.ask("GET /readyz");
  CHECK_THAT(ill.head, Contains("503"));
  CHECK(ill.body == "The disk is full\n");
}

TEST_CASE("HEAD gets the headers of GET and no body", "[proxy]") {
  asked_pages s;
  auto const head = s.ask("HEAD /");
  CHECK(head.body.empty());
  CHECK(head.head == s.ask("GET /").head);
}

TEST_CASE("the program's pages answer to this machine's names only", "[proxy]") {
  asked_pages s;
  auto const [host, status] = GENERATE(table<std::string, std::string>({
      {"localhost", "200"},
      {"LOCALHOST:8910", "200"},
      {"127.0.0.1:8910", "200"},
      {"[::1]:8910", "200"},
      {"rebound.test", "421"},
      {"localhost.rebound.test:8910", "421"},
  }));
  INFO(host);
  CHECK_THAT(s.ask("GET /", "Host: " + host + "\r\n").head, Contains("HTTP/1.1 " + status));
}

TEST_CASE("what is not there or cannot be done is said so", "[proxy]") {
  asked_pages s;
  CHECK_THAT(s.ask("GET /nothing").head, Contains("404"));
  CHECK_THAT(s.ask("POST /").head, Contains("405") && Contains("Allow: GET, HEAD"));
}

TEST_CASE("the PAC file names the carried hosts and this proxy", "[proxy]") {
  asked_pages s;
  auto const pac = s.ask("GET /proxy.pac");
  CHECK_THAT(pac.head, Contains("application/x-ns-proxy-autoconfig"));
  CHECK_THAT(pac.body, Contains("carried.test") && Contains("PROXY localhost:8910; DIRECT"));
}

TEST_CASE("the link is forced by a command and by no page of another origin", "[proxy]") {
  using cistern::sync::link_mode;
  asked_pages s;
  CHECK_THAT(s.ask("POST /api/v1/link", "Host: localhost\r\n", "offline").head, Contains("403"));
  CHECK(s.link.mode() == link_mode::automatic);
  CHECK_THAT(s.ask("POST /api/v1/link", "Host: localhost\r\nX-Cistern: 1\r\n", "offline").head, Contains("200"));
  CHECK(s.link.mode() == link_mode::offline);
  CHECK_THAT(s.ask("POST /api/v1/link", "Host: localhost\r\nX-Cistern: 1\r\n", "sideways").head, Contains("400"));
}

TEST_CASE("programs are told the link's state, the reason and what happened before", "[proxy]") {
  asked_pages s;
  s.link.set_name("wlan0");
  s.link.set_metered(true);
  s.link.observed(cistern::sync::link_state::down, "the default route is gone");
  s.link.observed(cistern::sync::link_state::portal, "a \"login\" page");
  auto const told = s.ask("GET /api/v1/link");
  CHECK_THAT(told.head, Contains("application/json"));
  CHECK_THAT(told.body, Contains(R"("state":"portal","mode":"auto","reason":"a \"login\" page","since":"2)") &&
                            Contains(R"("metered":true,"name":"wlan0","in_doubt":false,"clock_trouble":"")") &&
                            Contains(R"("state":"down","reason":"the default route is gone")"));
}

TEST_CASE("numbers on the page are short", "[proxy]") {
  using namespace std::chrono_literals;
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1536) == "1.5 KiB");
  CHECK(readable_bytes(std::uint64_t{200} << 30) == "200 GiB");
  CHECK(readable_time(59s) == "59 s");
  CHECK(readable_time(59min) == "59 min");
  CHECK(readable_time(3h + 5min) == "3 h 5 min");
  CHECK(readable_time(76h) == "3 d 4 h");
}
