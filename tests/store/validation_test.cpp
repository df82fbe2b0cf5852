#include "store/validation.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

#include <array>

using namespace cistern::store;
using namespace cistern::store::test;

TEST_CASE("tags are compared strongly and weakly as the table in RFC 9110 says", "[store]") {
  struct row {
    std::string_view a, b;
    bool strong, weak;
  };
  constexpr row rows[] = {
      {"W/\"1\"", "W/\"1\"", false, true},
      {"W/\"1\"", "W/\"2\"", false, false},
      {"W/\"1\"", "\"1\"", false, true},
      {"\"1\"", "\"1\"", true, true},
      {"\"a\"", "\"A\"", false, false},
      {"\"\"", "\"\"", true, true},
      {"abc", "abc", true, true},
      {"abc", "\"abc\"", false, false},
      {"", "", false, false},
      {"\"\xC3\xBC\"", "\"\xC3\xBC\"", true, true},
  };
  for (auto const& r : rows) {
    INFO(r.a << " " << r.b);
    CHECK(strong_match(r.a, r.b) == r.strong);
    CHECK(weak_match(r.a, r.b) == r.weak);
    CHECK(weak_match(r.b, r.a) == r.weak);
  }
}

TEST_CASE("a question carries every tag that could answer and the date of the one in use", "[store]") {
  auto const one = fields({{"ETag", "\"a\""}, {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}});
  auto const two = fields({{"ETag", "W/\"b\""}, {"Last-Modified", "Mon, 07 Nov 1994 08:49:37 GMT"}});
  auto const none = fields({});
  auto request =
      fields({{"If-None-Match", "\"client\""}, {"Range", "bytes=0-1"}, {"If-Range", "\"x\""}, {"Accept", "*/*"}});
  remove_conditions(request);
  CHECK(request.wire() == "Accept: */*\r\n");
  std::array const stored{&one, &two, &none};
  CHECK(add_validators(request, stored));
  CHECK(request.find("If-None-Match") == "\"a\", W/\"b\"");
  CHECK(request.find("If-Modified-Since") == "Sun, 06 Nov 1994 08:49:37 GMT");

  header_block plain;
  std::array const without{&none};
  CHECK_FALSE(add_validators(plain, without));
  CHECK(plain.empty());
}

TEST_CASE("the answer to a validation is an update, a replacement, trouble, or about something else", "[store]") {
  using enum validation_result;
  auto const tagged = fields({{"ETag", "\"a\""}, {"Last-Modified", "L1"}});
  auto const dated = fields({{"Last-Modified", "L1"}});
  CHECK(interpret(304, fields({{"ETag", "\"a\""}}), tagged, true) == freshen);
  CHECK(interpret(304, fields({{"ETag", "W/\"a\""}}), tagged, true) == freshen);
  CHECK(interpret(304, fields({{"ETag", "\"b\""}}), tagged, true) == mismatch);
  CHECK(interpret(304, fields({{"ETag", "\"b\""}, {"Last-Modified", "L1"}}), tagged, true) == mismatch);
  CHECK(interpret(304, fields({{"Last-Modified", "L1"}}), dated, false) == freshen);
  CHECK(interpret(304, fields({{"Last-Modified", "L2"}}), dated, true) == mismatch);
  CHECK(interpret(304, fields({}), tagged, true) == freshen);
  CHECK(interpret(304, fields({}), tagged, false) == mismatch);
  for (unsigned const status : {200U, 206U, 302U, 404U, 410U, 501U})
    CHECK(interpret(status, fields({}), tagged, true) == replace);
  for (unsigned const status : {500U, 502U, 503U, 504U})
    CHECK(interpret(status, fields({}), tagged, true) == origin_error);
}

TEST_CASE("an update takes the new fields and leaves what describes the stored bytes", "[store]") {
  auto const stored = fields({{"Date", "D1"},
                              {"ETag", "\"a\""},
                              {"Age", "50"},
                              {"Content-Length", "10"},
                              {"Content-Encoding", "gzip"},
                              {"Content-Type", "text/plain"},
                              {"Vary", "Foo"},
                              {"Cache-Control", "max-age=1"},
                              {"Content-Foo", "1"},
                              {"X-Old", "stays"},
                              {"X-Two", "1"},
                              {"X-Two", "2"}});
  auto const news = fields({{"Date", "D2"},
                            {"ETag", "W/\"a\""},
                            {"Content-Length", "0"},
                            {"Content-Encoding", "identity"},
                            {"Content-Range", "bytes 0-1/2"},
                            {"Content-Type", "text/plain;charset=utf-8"},
                            {"Vary", "Bar"},
                            {"Set-Cookie", "a=b"},
                            {"Connection", "x-hop"},
                            {"X-Hop", "1"},
                            {"Transfer-Encoding", "chunked"},
                            {"Cache-Control", "max-age=9"},
                            {"Content-Foo", "2"},
                            {"X-Two", "3"},
                            {"X-New", "n"}});
  auto const out = update_stored(stored, news, noon);
  CHECK(out.find("Date") == "D2");
  CHECK(out.find("ETag") == "\"a\"");
  CHECK_FALSE(out.has("Age"));
  CHECK(out.find("Content-Length") == "10");
  CHECK(out.find("Content-Encoding") == "gzip");
  CHECK_FALSE(out.has("Content-Range"));
  CHECK(out.find("Content-Type") == "text/plain;charset=utf-8");
  CHECK(out.find("Vary") == "Foo");
  CHECK_FALSE(out.has("Set-Cookie"));
  CHECK_FALSE(out.has("X-Hop"));
  CHECK_FALSE(out.has("Transfer-Encoding"));
  CHECK(out.joined("Cache-Control") == "max-age=9");
  CHECK(out.find("Content-Foo") == "2");
  CHECK(out.find("X-Old") == "stays");
  CHECK(out.joined("X-Two") == "3");
  CHECK(out.find("X-New") == "n");
}

TEST_CASE("an update without a Date is dated by its arrival, and a new tag is taken where there was none", "[store]") {
  auto const out = update_stored(fields({{"Date", "D1"}}), fields({{"ETag", "\"n\""}, {"Age", "7"}}), noon);
  CHECK(out.find("Date") == "Tue, 01 Jan 2030 12:00:00 GMT");
  CHECK(out.find("ETag") == "\"n\"");
  CHECK(out.find("Age") == "7");
}

TEST_CASE("a HEAD updates what is stored, or shows that it is old", "[store]") {
  auto const stored = fields({{"ETag", "\"a\""}, {"Last-Modified", "L1"}, {"Content-Length", "10"}});
  CHECK(effect_of_head(fields({}), stored) == head_effect::update);
  CHECK(effect_of_head(fields({{"ETag", "\"a\""}, {"Content-Length", "10"}}), stored) == head_effect::update);
  CHECK(effect_of_head(fields({{"ETag", "\"b\""}}), stored) == head_effect::make_stale);
  CHECK(effect_of_head(fields({{"Last-Modified", "L2"}}), stored) == head_effect::make_stale);
  CHECK(effect_of_head(fields({{"Content-Length", "11"}}), stored) == head_effect::make_stale);
  CHECK(effect_of_head(fields({{"ETag", "\"a\""}}), fields({})) == head_effect::make_stale);
}
