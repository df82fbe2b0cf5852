#include "proxy/status_page.hpp"

#include "proxy/listener.hpp"
#include "tests/support/http_get.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;
using namespace cistern::tests;

namespace {

struct served_status {
  status_facts facts{.version = "1.2.3", .address = "127.0.0.1:1", .repository = {}};
  status_page page{CISTERN_WEBROOT, [this] { return facts; }};
  listener server{{.endpoint = {boost::asio::ip::address_v4::loopback(), 0}}};

  served_status() { server.start(page); }
  [[nodiscard]] std::uint16_t port() const { return server.endpoint().port(); }
};

}  // namespace

TEST_CASE("the status page shows what the repository holds", "[proxy]") {
  served_status s;
  s.facts.repository = repository_facts{
      .path = "/srv/<data>", .objects = 1234, .bytes = 5 << 20, .used_bytes = 6 << 20, .quota = std::uint64_t{2} << 30};
  auto const page = http_get(s.port());
  CHECK(page.status == 200);
  CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(page.body.find("1234 objects, 5.0 MiB") != std::string::npos);
  CHECK(page.body.find("6.0 MiB of 2.0 GiB") != std::string::npos);
  CHECK(page.body.find("/srv/&lt;data&gt;") != std::string::npos);
  CHECK(page.body.find("Version 1.2.3") != std::string::npos);
  CHECK(page.body.find("{{") == std::string::npos);
}

TEST_CASE("the health check says ok, or what is wrong", "[proxy]") {
  served_status s;
  CHECK(http_get(s.port(), "/healthz").body == "ok\n");
  s.facts.healthy = false;
  s.facts.state = "The disk is full";
  auto const ill = http_get(s.port(), "/healthz");
  CHECK(ill.status == 503);
  CHECK(ill.body == "The disk is full\n");
}

TEST_CASE("HEAD gets the headers of GET and no body", "[proxy]") {
  served_status s;
  auto const head = http_send({.port = s.port(), .method = "HEAD"});
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.headers.at("Content-Length") == http_get(s.port()).headers.at("Content-Length"));
}

TEST_CASE("the program's pages answer to this machine's names only", "[proxy]") {
  served_status s;
  auto const [host, status] = GENERATE(table<std::string, unsigned>({
      {"localhost", 200},
      {"LOCALHOST:8910", 200},
      {"127.0.0.1:8910", 200},
      {"[::1]:8910", 200},
      {"rebound.test", 421},
      {"localhost.rebound.test:8910", 421},
  }));
  INFO(host);
  CHECK(http_send({.port = s.port(), .headers = {{"Host", host}}}).status == status);
}

TEST_CASE("what is not there or cannot be done is said so", "[proxy]") {
  served_status s;
  CHECK(http_get(s.port(), "/nothing").status == 404);
  auto const posted = http_send({.port = s.port(), .method = "POST", .body = "x"});
  CHECK(posted.status == 405);
  CHECK(posted.headers.at("Allow") == "GET, HEAD");
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
