#include "store/cache_control.hpp"

#include "fields.hpp"
#include "store/field_list.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;

namespace {
response_directives of(std::initializer_list<std::string_view> lines) {
  header_block h;
  for (auto const line : lines) h.add("Cache-Control", line);
  return read_response_directives(h);
}
}  // namespace

TEST_CASE("directives are read from one line or many, whatever their case", "[store]") {
  auto const d = of({"MAX-age=10, No-Cache", "S-MaxAge=20 ,must-revalidate,unknown=3, public"});
  CHECK(d.max_age == 10s);
  CHECK(d.s_maxage == 20s);
  CHECK(d.no_cache);
  CHECK(d.must_revalidate);
  CHECK(d.public_response);
  CHECK_FALSE(d.no_store);
}

TEST_CASE("of a lifetime given twice the first counts", "[store]") {
  CHECK(of({"max-age=1800, max-age=1"}).max_age == 1800s);
  CHECK(of({"max-age=1", "max-age=1800"}).max_age == 1s);
}

TEST_CASE("a lifetime may be quoted; what is no number is stale", "[store]") {
  auto const [text, wanted] = GENERATE(table<std::string, std::chrono::seconds>({
      {"max-age=\"3600\"", 3600s},
      {"max-age=003600", 3600s},
      {"max-age=99999999999", longest_delta},
      {"max-age=-3600", 0s},
      {"max-age='3600'", 0s},
      {"max-age=3600.0", 0s},
      {"max-age=a3600", 0s},
      {"max-age=3600a", 0s},
      {"max-age= 3600", 0s},
      {"max-age =3600", 0s},
      {"max-age", 0s},
      {"max-age=", 0s},
      {"max-age=1, extension=\"max-age=3600\"", 1s},
      {"extension=\"max-age=3600\", max-age=1", 1s},
  }));
  INFO(text);
  CHECK(of({text}).max_age == wanted);
}

TEST_CASE("a directive's name inside a quoted string or another name is not that directive", "[store]") {
  auto const d = of({"ext=\"no-store, private\", x-no-store, no-storex, no-cache-please"});
  CHECK_FALSE(d.no_store);
  CHECK_FALSE(d.private_response);
  CHECK_FALSE(d.no_cache);
}

TEST_CASE("no-cache and private may speak of some fields only", "[store]") {
  auto const d = of({"no-cache=\"a, b\", private=Set-Cookie"});
  CHECK_FALSE(d.no_cache);
  CHECK(d.no_cache_fields);
  CHECK_FALSE(d.private_response);
  CHECK(d.private_fields);
  CHECK(of({"no-cache=\"\""}).no_cache);
  CHECK(listed_fields(fields({{"Cache-Control", "no-cache=\"a, b\", no-cache=c"}}), "no-cache") == "a, b, c");
}

TEST_CASE("what allows staleness is not given when it cannot be read", "[store]") {
  CHECK(of({"stale-while-revalidate=5, stale-if-error=\"6\""}).stale_while_revalidate == 5s);
  CHECK(of({"stale-while-revalidate=5, stale-if-error=\"6\""}).stale_if_error == 6s);
  CHECK_FALSE(of({"stale-while-revalidate=x"}).stale_while_revalidate);
  CHECK_FALSE(of({"stale-if-error"}).stale_if_error);
}

TEST_CASE("only Cache-Control controls: targeted fields for other caches are left to them", "[store]") {
  auto const d = read_response_directives(
      fields({{"CDN-Cache-Control", "max-age=10, no-store"}, {"Surrogate-Control", "max-age=9"}}));
  CHECK_FALSE(d.max_age);
  CHECK_FALSE(d.no_store);
}

TEST_CASE("a request's directives are read", "[store]") {
  auto const d = read_request_directives(
      fields({{"Cache-Control", "max-age=5, min-fresh=6, max-stale"}, {"cache-control", "only-if-cached, no-store"}}));
  CHECK(d.max_age == 5s);
  CHECK(d.min_fresh == 6s);
  CHECK(d.max_stale == longest_delta);
  CHECK(d.only_if_cached);
  CHECK(d.no_store);
  CHECK_FALSE(d.wants_validation());
  CHECK(read_request_directives(fields({{"Cache-Control", "max-stale=7"}})).max_stale == 7s);
}

TEST_CASE("Pragma: no-cache counts only where there is no Cache-Control", "[store]") {
  CHECK(read_request_directives(fields({{"Pragma", "no-cache"}})).wants_validation());
  CHECK_FALSE(read_request_directives(fields({{"Pragma", "something"}})).wants_validation());
  CHECK_FALSE(
      read_request_directives(fields({{"Pragma", "no-cache"}, {"Cache-Control", "max-stale=1"}})).wants_validation());
  CHECK(read_request_directives(fields({{"Cache-Control", "no-cache"}})).wants_validation());
}
