#include "store/field_list.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace cistern::store;
using namespace std::chrono_literals;

namespace {
std::vector<std::string> elements(std::string_view list) {
  std::vector<std::string> out;
  for_each_element(list, [&](std::string_view e) { out.emplace_back(e); });
  return out;
}
using strings = std::vector<std::string>;
}  // namespace

TEST_CASE("a list is split at commas outside of quotes, and empty elements do not count", "[store]") {
  CHECK(elements("a, b ,c") == strings{"a", "b", "c"});
  CHECK(elements(", ,a,, b,") == strings{"a", "b"});
  CHECK(elements("x=\"a,b\", c") == strings{"x=\"a,b\"", "c"});
  CHECK(elements("x=\"a\\\",b\", c") == strings{"x=\"a\\\",b\"", "c"});
  CHECK(elements("x=\"never closed, c") == strings{"x=\"never closed, c"});
  CHECK(elements("x=\"ends in a backslash\\") == strings{"x=\"ends in a backslash\\"});
  CHECK(elements("").empty());
  CHECK(elements(" , ").empty());
}

TEST_CASE("a quoted string gives its content", "[store]") {
  CHECK(unquoted("\"a b\"") == "a b");
  CHECK(unquoted("\"a\\\"b\"") == "a\"b");
  CHECK(unquoted("plain") == "plain");
  CHECK(unquoted("\"") == "\"");
  CHECK(unquoted("\"\"").empty());
}

TEST_CASE("seconds are digits, and too many of them are a very long time", "[store]") {
  CHECK(parse_delta_seconds("0") == 0s);
  CHECK(parse_delta_seconds("003600") == 3600s);
  CHECK(parse_delta_seconds("2147483647") == 2147483647s);
  CHECK(parse_delta_seconds("2147483648") == longest_delta);
  CHECK(parse_delta_seconds("99999999999999999999999999") == longest_delta);
  for (auto const* text : {"", "-1", "+1", "1.0", "1s", " 1", "1 ", "a1", "'1'"})
    CHECK_FALSE(parse_delta_seconds(text));
}

TEST_CASE("a quality is a number from 0 to 1 with three digits at most", "[store]") {
  CHECK(parse_quality("1") == 1000);
  CHECK(parse_quality("0") == 0);
  CHECK(parse_quality("0.5") == 500);
  CHECK(parse_quality("0.") == 0);
  CHECK(parse_quality("1.000") == 1000);
  CHECK(parse_quality("0.123") == 123);
  for (auto const* text : {"", "2", "1.1", "0.1234", "-0", ".5", "0,5", "01"}) CHECK_FALSE(parse_quality(text));
}
