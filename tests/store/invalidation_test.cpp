#include "store/invalidation.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;
using urls = std::vector<std::string>;

TEST_CASE("a write that worked makes the URL's stored copy invalid", "[store]") {
  for (auto const* method : {"POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "UNKNOWN"})
    for (unsigned const status : {200U, 201U, 204U, 302U, 303U})
      CHECK(invalidated_urls(method, "http://a.test/x", status, {}) == urls{"http://a.test/x"});
}

TEST_CASE("reading, or a write that failed, invalidates nothing", "[store]") {
  for (auto const* method : {"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"})
    CHECK(invalidated_urls(method, "http://a.test/x", 200, {}).empty());
  for (unsigned const status : {100U, 400U, 404U, 500U, 503U})
    CHECK(invalidated_urls("POST", "http://a.test/x", status, {}).empty());
}

TEST_CASE("what Location and Content-Location name is invalid too, within the same origin", "[store]") {
  auto const after = [](std::string_view location, std::string_view content_location) {
    return invalidated_urls("POST", "http://a.test/d/x?q", 201,
                            fields({{"Location", location}, {"Content-Location", content_location}}));
  };
  CHECK(after("y#part", "/z?1") == urls{"http://a.test/d/x?q", "http://a.test/d/y", "http://a.test/z?1"});
  CHECK(after("http://A.test:80/y", "https://a.test/z") == urls{"http://a.test/d/x?q", "http://A.test:80/y"});
  CHECK(after("http://b.test/y", "//c.test/z") == urls{"http://a.test/d/x?q"});
  CHECK(after("http://a.test:8080/y", "http://[broken") == urls{"http://a.test/d/x?q"});
}

TEST_CASE("an origin is scheme, host and port", "[store]") {
  CHECK(same_origin("http://a.test/x", "http://A.TEST:80/y"));
  CHECK(same_origin("https://a.test", "https://a.test:443/"));
  CHECK_FALSE(same_origin("http://a.test/", "https://a.test/"));
  CHECK_FALSE(same_origin("http://a.test/", "http://a.test.evil/"));
  CHECK_FALSE(same_origin("http://a.test/", "http://a.test@b.test/"));
  CHECK_FALSE(same_origin("nonsense", "nonsense"));
}

TEST_CASE("a POST answers for a GET when Content-Location names its own URL", "[store]") {
  auto const says = [](std::string_view where) {
    return answers_get_of("http://a.test/x?y=1", fields({{"Content-Location", where}}));
  };
  CHECK(says("/x?y=1"));
  CHECK(says("?y=1"));
  CHECK(says("http://a.test/x?y=1"));
  CHECK(says(""));
  CHECK_FALSE(says("/x"));
  CHECK_FALSE(says("http://b.test/x?y=1"));
  CHECK_FALSE(answers_get_of("http://a.test/", fields({})));
}
