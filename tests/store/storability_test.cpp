#include "store/storability.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;

namespace {

storability get(unsigned status, header_block const& h, cache_settings settings = {}) {
  return may_store({.method = "GET", .url = "http://a.test/x"}, status, h, settings);
}

storability get_cc(std::string_view cache_control, unsigned status = 200, cache_settings settings = {}) {
  return get(status, fields({{"Cache-Control", cache_control}}), settings);
}

}  // namespace

TEST_CASE("a plain answer to a GET is kept, and so is every status with a stated lifetime", "[store]") {
  CHECK(get(200, fields({})) == storability::stored);
  for (unsigned const status :
       {200U, 203U, 204U, 299U, 301U, 302U, 303U, 307U, 308U, 400U, 404U, 410U, 499U, 500U, 502U, 503U, 504U, 599U})
    CHECK(get_cc("max-age=60", status) == storability::stored);
  CHECK(get(503, fields({{"Expires", "Thu, 18 Aug 2050 02:01:18 GMT"}})) == storability::stored);
}

TEST_CASE("without a stated lifetime only statuses that are cacheable by default are kept", "[store]") {
  for (unsigned const status : {203U, 204U, 300U, 301U, 308U, 404U, 405U, 410U, 414U, 501U})
    CHECK(get(status, fields({})) == storability::stored);
  for (unsigned const status : {201U, 202U, 400U, 403U, 500U, 502U, 503U, 504U, 599U})
    CHECK(get(status, fields({{"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}})) == storability::not_cacheable);
  CHECK(get_cc("public", 599) == storability::stored);
}

TEST_CASE("a temporary redirect is kept for a reader whose link is down", "[store]") {
  for (unsigned const status : {302U, 303U, 307U}) {
    CHECK(get(status, fields({})) == storability::offline_only);
    CHECK(get(status, fields({}), {.offline_serves_everything = false}) == storability::not_cacheable);
    CHECK(get_cc("no-store", status) == storability::no_store);
  }
}

TEST_CASE("no-store is obeyed in responses and requests", "[store]") {
  CHECK(get_cc("no-store") == storability::no_store);
  CHECK(get_cc("max-age=10000, No-StOrE") == storability::no_store);
  CHECK(may_store({.method = "GET", .no_store = true}, 200, fields({}), {}) == storability::no_store);
}

TEST_CASE("must-understand lifts no-store only for statuses that are understood", "[store]") {
  CHECK(get_cc("max-age=3600, no-store, must-understand") == storability::stored);
  CHECK(get_cc("max-age=3600, no-store, must-understand", 599) == storability::status);
  CHECK(get_cc("max-age=3600, must-understand", 299) == storability::status);
}

TEST_CASE("private is for caches that one person has", "[store]") {
  CHECK(get_cc("private, max-age=3600") == storability::private_to_one);
  CHECK(get_cc("private, max-age=3600", 200, {.shared = false}) == storability::stored);
  CHECK(get_cc("private=\"x-user\", max-age=3600") == storability::stored);
}

TEST_CASE("an answer to a request with credentials is shared only where it says so", "[store]") {
  auto const [cc, wanted] = GENERATE(table<std::string, storability>({
      {"max-age=3600", storability::authorization},
      {"max-age=3600, public", storability::stored},
      {"max-age=3600, must-revalidate", storability::stored},
      {"s-maxage=3600", storability::stored},
      {"proxy-revalidate, max-age=1", storability::authorization},
  }));
  INFO(cc);
  storing_request const request{.method = "GET", .has_authorization = true};
  CHECK(may_store(request, 200, fields({{"Cache-Control", cc}}), {}) == wanted);
  CHECK(may_store(request, 200, fields({{"Cache-Control", cc}}), {.shared = false}) == storability::stored);
}

TEST_CASE("interim answers, 304 and 206 without a usable range are not kept as answers", "[store]") {
  CHECK(get_cc("max-age=60", 103) == storability::status);
  CHECK(get_cc("max-age=60", 304) == storability::status);
  CHECK(get_cc("max-age=60", 206) == storability::partial);
  CHECK(get(206, fields({{"Content-Range", "bytes 0-4/10"}})) == storability::stored);
  CHECK(get(206, fields({{"Content-Range", "bytes 0-4/*"}})) == storability::partial);
  CHECK(get(206, fields({{"Content-Type", "multipart/byteranges; boundary=x"}})) == storability::partial);
}

TEST_CASE("a POST is kept only when it says it is what a GET would give, and for how long", "[store]") {
  storing_request const post{.method = "POST", .url = "http://a.test/x?y"};
  auto const answer = [&](std::string_view location, std::string_view cc) {
    return may_store(post, 200, fields({{"Content-Location", location}, {"Cache-Control", cc}}), {});
  };
  CHECK(answer("/x?y", "max-age=60") == storability::stored);
  CHECK(answer("http://a.test/x?y", "max-age=60") == storability::stored);
  CHECK(answer("/z", "max-age=60") == storability::method);
  CHECK(answer("/x?y", "public") == storability::method);
  for (auto const* method : {"HEAD", "PUT", "DELETE", "OPTIONS", "get"})
    CHECK(may_store({.method = method, .url = "http://a.test/"}, 200, fields({{"Cache-Control", "max-age=60"}}), {}) ==
          storability::method);
}

TEST_CASE("what is kept of the fields is what may be sent to anyone later", "[store]") {
  auto const kept = fields_to_store(fields({{"Connection", "close, x-hop"},
                                            {"X-Hop", "1"},
                                            {"Keep-Alive", "timeout=5"},
                                            {"Set-Cookie", "a=b"},
                                            {"Proxy-Authenticate", "Basic"},
                                            {"Transfer-Encoding", "chunked"},
                                            {"Cache-Control", "max-age=9, no-cache=\"a, b\", private=c"},
                                            {"A", "1"},
                                            {"B", "2"},
                                            {"C", "3"},
                                            {"D", "4"},
                                            {"ETag", "\"e\""}}),
                                    noon, {});
  CHECK(kept.wire() ==
        "Cache-Control: max-age=9, no-cache=\"a, b\", private=c\r\nD: 4\r\nETag: \"e\"\r\nDate: Tue, 01 Jan 2030 "
        "12:00:00 GMT\r\n");
  CHECK(fields_to_store(fields({{"Cache-Control", "private=c"}, {"C", "3"}}), noon, {.shared = false}).has("C"));
  CHECK(fields_to_store(fields({{"Date", "x"}}), noon, {}).wire() == "Date: x\r\n");
}

TEST_CASE("an error or a detour never takes the place of a good page", "[store]") {
  for (unsigned const bad : {206U, 302U, 303U, 307U, 400U, 401U, 403U, 429U, 500U, 502U, 503U, 504U, 511U})
    CHECK_FALSE(replaces_good_copy(200, bad));
  for (unsigned const good : {200U, 203U, 204U, 301U, 308U, 404U, 410U}) CHECK(replaces_good_copy(200, good));
  CHECK(replaces_good_copy(404, 503));
  CHECK(replaces_good_copy(302, 302));
}
