#include "store/cache_status.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace std::chrono_literals;
using forward = cache_status::forward;

TEST_CASE("Cache-Status says what happened in RFC 9211's words", "[store]") {
  CHECK(render({.hit = true, .ttl = -5400s, .detail = "offline"}) == "cistern; hit; ttl=-5400; detail=offline");
  CHECK(render({.hit = true, .ttl = 60s}) == "cistern; hit; ttl=60");
  CHECK(render({.fwd = forward::uri_miss, .stored = true}) == "cistern; fwd=uri-miss; stored");
  CHECK(render({.fwd = forward::stale, .fwd_status = 304, .ttl = 10s}) == "cistern; fwd=stale; fwd-status=304; ttl=10");
  CHECK(render({.fwd = forward::vary_miss, .collapsed = true}) == "cistern; fwd=vary-miss; collapsed");
  CHECK(render({.fwd = forward::request}) == "cistern; fwd=request");
  CHECK(render({.fwd = forward::method}) == "cistern; fwd=method");
  CHECK(render({.fwd = forward::bypass}) == "cistern; fwd=bypass");
  CHECK(render({.fwd = forward::partial}) == "cistern; fwd=partial");
  CHECK(render({}) == "cistern");
}

TEST_CASE("a detail that is no token is a string, safely", "[store]") {
  CHECK(render({.hit = true, .detail = "two words"}) == "cistern; hit; detail=\"two words\"");
  CHECK(render({.hit = true, .detail = "a\"b\\\r\n\xC3"}) == "cistern; hit; detail=\"a\\\"b\\\\???\"");
  CHECK(render({.hit = true, .detail = "9lives"}) == "cistern; hit; detail=\"9lives\"");
}
