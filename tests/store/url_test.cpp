#include "store/url.hpp"

#include <catch2/catch.hpp>

#include <string>

using cistern::store::normalise_url;

TEST_CASE("spellings of one URL are kept under one name", "[store]") {
  auto const [given, kept] = GENERATE(table<std::string, std::string>({
      {"http://Example.ORG", "http://example.org/"},
      {"HTTP://example.org:80/", "http://example.org/"},
      {"https://example.org:443/a", "https://example.org/a"},
      {"https://example.org:8443/a", "https://example.org:8443/a"},
      {"http://example.org:65535/", "http://example.org:65535/"},
      {"http://example.org/a#part", "http://example.org/a"},
      {"http://example.org?q=1", "http://example.org/?q=1"},
      {"http://user:secret@example.org/", "http://example.org/"},
      {"http://example.org/%7euser/%41", "http://example.org/~user/A"},
      {"http://example.org/a%2fb", "http://example.org/a%2Fb"},
      {"http://example.org/a%252fb", "http://example.org/a%252fb"},
      {"http://example.org/a/./b/../c", "http://example.org/a/c"},
      {"http://example.org/a/..", "http://example.org/"},
      {"http://example.org/../../x", "http://example.org/x"},
      {"http://example.org/a b\xc3\xa9", "http://example.org/a%20b%C3%A9"},
      {"http://[::1]:80/x", "http://[::1]/x"},
      {"http://example.org/%zz", "http://example.org/%zz"},
  }));
  CAPTURE(given);
  CHECK(normalise_url(given) == kept);
  CHECK(normalise_url(kept) == kept);
}

TEST_CASE("what is no http URL has no name", "[store]") {
  auto const given =
      GENERATE(as<std::string>{}, "", "example.org", "ftp://example.org/", "http://", "http:///a", "http://h:port/",
               "http://a b/", "javascript:alert(1)", "http://h:0/", "http://h:65536/", "http://h:99999/a");
  CAPTURE(given);
  CHECK_FALSE(normalise_url(given));
}
