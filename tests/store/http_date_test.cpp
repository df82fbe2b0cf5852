#include "store/http_date.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;
using namespace std::chrono;

namespace {
constexpr sys_seconds november_1994 = sys_days{year{1994} / 11 / 6} + 8h + 49min + 37s;
}

TEST_CASE("all three date forms of HTTP are read", "[store]") {
  auto const [text, when] = GENERATE(table<std::string, sys_seconds>({
      {"Sun, 06 Nov 1994 08:49:37 GMT", november_1994},
      {"Sunday, 06-Nov-94 08:49:37 GMT", november_1994},
      {"Sun Nov  6 08:49:37 1994", november_1994},
      {"Sun Nov 16 08:49:37 1994", november_1994 + days{10}},
      {"SUN, 06 nov 1994 08:49:37 gmt", november_1994},
      {"Mon, 06 Nov 1994 08:49:37 GMT", november_1994},  // the weekday is wrong, the date is meant
      {"Thu, 29 Feb 2024 00:00:00 GMT", sys_days{year{2024} / 2 / 29}},
      {"Sat, 31 Dec 2016 23:59:60 GMT", sys_days{year{2017} / 1 / 1}},  // a leap second
      {"Sun, 21 Nov 2286 04:46:39 GMT", sys_days{year{2286} / 11 / 21} + 4h + 46min + 39s},
      {"Wednesday, 09-Nov-60 00:00:00 GMT", sys_days{year{2060} / 11 / 9}},
      {"Wednesday, 09-Nov-80 00:00:00 GMT", sys_days{year{2080} / 11 / 9}},  // exactly fifty years ahead of 2030
      {"Wednesday, 09-Nov-81 00:00:00 GMT", sys_days{year{1981} / 11 / 9}},  // more than that is the past
  }));
  INFO(text);
  CHECK(parse_http_date(text, noon) == when);
}

TEST_CASE("what is not a date of HTTP is not guessed at", "[store]") {
  auto const text =
      GENERATE(as<std::string>{}, "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37 UTC",
               "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT",
               "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
               "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
               "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
               "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
               "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 GMTx",
               "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
               "1994-11-06T08:49:37Z", "Sun Nov  6 08:49:37 94", "Sunday, 06-Nov-1994 08:49:37 GMT");
  INFO(text);
  CHECK_FALSE(parse_http_date(text, noon));
}

TEST_CASE("a date is sent in the one form that is left", "[store]") {
  CHECK(format_http_date(november_1994) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(format_http_date(sys_days{year{2024} / 2 / 29}) == "Thu, 29 Feb 2024 00:00:00 GMT");
  CHECK(format_http_date(sys_seconds{seconds{std::int64_t{1} << 50}}) == "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST_CASE("a date that was sent is read as the same", "[store]") {
  for (std::int64_t t = -2'000'000'000; t < 9'000'000'000; t += 77'777'777) {
    sys_seconds const when{seconds{t}};
    CHECK(parse_http_date(format_http_date(when), noon) == when);
  }
}
