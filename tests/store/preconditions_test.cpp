#include "store/preconditions.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;

namespace {

constexpr std::string_view day_1 = "Tue, 01 Jan 2030 00:00:00 GMT";
constexpr std::string_view day_2 = "Wed, 02 Jan 2030 00:00:00 GMT";
constexpr std::string_view day_3 = "Thu, 03 Jan 2030 00:00:00 GMT";

/// Changed on day 2, sent on day 3.
header_block stored() { return fields({{"ETag", "\"a\""}, {"Last-Modified", day_2}, {"Date", day_3}}); }

precondition ask(header_block const& request, std::string_view method = "GET", unsigned status = 200) {
  auto const kept = stored();
  return check(read_conditions(request), method, status, kept, noon);
}

}  // namespace

TEST_CASE("If-None-Match with the stored tag is answered 304, to a write 412", "[store]") {
  using enum precondition;
  for (auto const* tags : {"\"a\"", "W/\"a\"", "*", "\"x\", \"a\", \"y\"", "\"x\",\"y\" , \"a\"", ",\"a\""}) {
    INFO(tags);
    CHECK(ask(fields({{"If-None-Match", tags}})) == not_modified);
    CHECK(ask(fields({{"If-None-Match", tags}}), "HEAD") == not_modified);
    CHECK(ask(fields({{"If-None-Match", tags}}), "PUT") == failed);
  }
  for (auto const* tags : {"\"b\"", "a", "\"A\"", "\"a, b\"", "W\"a\""})
    CHECK(ask(fields({{"If-None-Match", tags}})) == send);
}

TEST_CASE("If-None-Match outranks If-Modified-Since", "[store]") {
  CHECK(ask(fields({{"If-None-Match", "\"a\""}, {"If-Modified-Since", day_1}})) == precondition::not_modified);
  CHECK(ask(fields({{"If-None-Match", "\"b\""}, {"If-Modified-Since", day_3}})) == precondition::send);
}

TEST_CASE("If-Modified-Since is answered 304 when nothing changed since, in every date form", "[store]") {
  using enum precondition;
  CHECK(ask(fields({{"If-Modified-Since", day_2}})) == not_modified);
  CHECK(ask(fields({{"If-Modified-Since", day_3}})) == not_modified);
  CHECK(ask(fields({{"If-Modified-Since", day_1}})) == send);
  CHECK(ask(fields({{"If-Modified-Since", "Wednesday, 02-Jan-30 00:00:00 GMT"}})) == not_modified);
  CHECK(ask(fields({{"If-Modified-Since", "no date"}})) == send);
  CHECK(ask(fields({{"If-Modified-Since", day_3}}), "POST") == send);
}

TEST_CASE("without Last-Modified the Date, and then the arrival, stands for it", "[store]") {
  auto const asked = fields({{"If-Modified-Since", day_2}});
  auto const later = fields({{"If-Modified-Since", day_3}});
  auto const dated = fields({{"Date", day_3}});
  auto const bare = fields({});
  CHECK(check(read_conditions(asked), "GET", 200, dated, noon) == precondition::send);
  CHECK(check(read_conditions(later), "GET", 200, dated, noon) == precondition::not_modified);
  CHECK(check(read_conditions(asked), "GET", 200, bare, noon) == precondition::not_modified);
}

TEST_CASE("If-Match and If-Unmodified-Since guard writes and are for the origin while it can be asked", "[store]") {
  using enum precondition;
  CHECK(ask(fields({{"If-Match", "\"a\""}}), "PUT") == send);
  CHECK(ask(fields({{"If-Match", "*"}}), "PUT") == send);
  CHECK(ask(fields({{"If-Match", "W/\"a\""}}), "PUT") == failed);
  CHECK(ask(fields({{"If-Match", "\"b\""}})) == failed);
  CHECK(ask(fields({{"If-Unmodified-Since", day_1}})) == failed);
  CHECK(ask(fields({{"If-Unmodified-Since", day_2}})) == send);
  CHECK(ask(fields({{"If-Unmodified-Since", "nonsense"}})) == send);
  CHECK(ask(fields({{"If-Match", "\"a\""}, {"If-Unmodified-Since", day_1}})) == send);
  CHECK(ask(fields({{"If-Match", "\"a\""}, {"If-None-Match", "\"a\""}})) == not_modified);
  auto const guarded = fields({{"If-Match", "\"a\""}});
  auto const reload = fields({{"If-None-Match", "\"a\""}});
  CHECK(read_conditions(guarded).for_the_origin());
  CHECK_FALSE(read_conditions(reload).for_the_origin());
}

TEST_CASE("conditions do not apply to stored answers other than the page itself", "[store]") {
  for (unsigned const status : {204U, 301U, 302U, 404U, 410U, 500U})
    CHECK(ask(fields({{"If-None-Match", "*"}}), "GET", status) == precondition::send);
}

TEST_CASE("If-Range lets a range through only for exactly the same bytes", "[store]") {
  auto const kept = stored();
  auto const applies = [&](std::string_view if_range, header_block const& h) {
    auto const request = fields({{"Range", "bytes=0-1"}, {"If-Range", if_range}});
    return range_applies(read_conditions(request), h, noon);
  };
  auto const unconditional = fields({{"Range", "bytes=0-1"}});
  CHECK(range_applies(read_conditions(unconditional), kept, noon));
  CHECK(applies("\"a\"", kept));
  CHECK_FALSE(applies("\"b\"", kept));
  CHECK_FALSE(applies("W/\"a\"", fields({{"ETag", "W/\"a\""}})));
  CHECK(applies(day_2, kept));
  CHECK_FALSE(applies(day_3, kept));
  CHECK_FALSE(applies(day_1, kept));
  CHECK_FALSE(applies(day_2, fields({{"Last-Modified", day_2}, {"Date", day_2}})));  // changed within the second
  CHECK_FALSE(applies(day_2, fields({{"Last-Modified", day_2}})));
}

TEST_CASE("a 304 carries what the client's copy is to learn, and nothing about a body", "[store]") {
  auto const out = fields_of_not_modified(fields({{"ETag", "\"a\""},
                                                  {"Content-Length", "5"},
                                                  {"Content-Type", "text/html"},
                                                  {"Content-Encoding", "gzip"},
                                                  {"Cache-Control", "max-age=5"},
                                                  {"Vary", "X"},
                                                  {"Date", "D"},
                                                  {"Content-Location", "/x"},
                                                  {"Expires", "E"}}));
  CHECK(out.wire() ==
        "ETag: \"a\"\r\nCache-Control: max-age=5\r\nVary: X\r\nDate: D\r\nContent-Location: /x\r\nExpires: E\r\n");
}

TEST_CASE("conditions in several lines are noticed", "[store]") {
  auto const request = fields({{"If-None-Match", "\"a\""}, {"if-none-match", "\"b\""}});
  auto const c = read_conditions(request);
  CHECK(c.more_lines);
  CHECK(c.if_none_match == "\"a\"");
}
