#include "proxy/listen_address.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;

TEST_CASE("an address to listen on is written as people write them", "[proxy]") {
  auto const [text, means] = GENERATE(table<std::string, std::string>({
      {"127.0.0.1:8910", "127.0.0.1:8910"},
      {"localhost:80", "127.0.0.1:80"},
      {"[::1]:8910", "[::1]:8910"},
      {"*:8910", "[::]:8910"},
      {":8910", "[::]:8910"},
      {"0.0.0.0:0", "0.0.0.0:0"},
      {"8910", ""},
      {"127.0.0.1", ""},
      {"127.0.0.1:", ""},
      {"127.0.0.1:65536", ""},
      {"127.0.0.1:-1", ""},
      {"127.0.0.1:80x", ""},
      {"::1:8910", ""},
      {"example.org:80", ""},
      {"[127.0.0.1]:80", ""},
      {"", ""},
  }));
  INFO(text);
  auto const endpoint = parse_listen_address(text);
  CHECK((endpoint ? to_text(*endpoint) : "") == means);
}

TEST_CASE("the address to open is localhost wherever a browser here can use that", "[proxy]") {
  CHECK(browser_address(*parse_listen_address("127.0.0.1:8910")) == "http://localhost:8910/");
  CHECK(browser_address(*parse_listen_address("*:8910")) == "http://localhost:8910/");
  CHECK(browser_address(*parse_listen_address("[::1]:8910")) == "http://[::1]:8910/");
  CHECK(browser_address(*parse_listen_address("192.0.2.7:80")) == "http://192.0.2.7:80/");
}
