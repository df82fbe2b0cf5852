#include "store/freshness.hpp"

#include "fields.hpp"
#include "store/field_list.hpp"
#include "store/http_date.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;
using std::chrono::seconds;

namespace {

std::string at(seconds offset) { return format_http_date(noon + offset); }

seconds lifetime(header_block const& h, unsigned status = 200, cache_settings settings = {}) {
  return seconds{make_policy(status, h, {noon, noon}, settings).lifetime};
}

seconds age_on_arrival(header_block const& h, arrival when = {noon, noon}) {
  return seconds{make_policy(200, h, when, {}).initial_age};
}

}  // namespace

TEST_CASE("a shared cache goes by s-maxage, then max-age, then Expires", "[store]") {
  auto const both = fields({{"Cache-Control", "max-age=10, s-maxage=20"}, {"Expires", at(30s)}, {"Date", at(0s)}});
  CHECK(lifetime(both) == 20s);
  CHECK(lifetime(both, 200, {.shared = false}) == 10s);
  CHECK(lifetime(fields({{"Cache-Control", "max-age=10"}, {"Expires", at(30s)}, {"Date", at(0s)}})) == 10s);
  CHECK(lifetime(fields({{"Expires", at(30s)}, {"Date", at(0s)}})) == 30s);
  CHECK(lifetime(fields({{"Cache-Control", "max-age=0, s-maxage=3600"}, {"Expires", at(-10s)}})) == 3600s);
}

TEST_CASE("Expires is counted from Date, or from arrival where that is missing or broken", "[store]") {
  CHECK(lifetime(fields({{"Expires", at(20s)}, {"Date", at(10s)}})) == 10s);
  CHECK(lifetime(fields({{"Expires", at(300s)}, {"Date", at(400s)}})) == 0s);
  CHECK(lifetime(fields({{"Expires", at(20s)}})) == 20s);
  CHECK(lifetime(fields({{"Expires", at(20s)}, {"Date", "foo"}})) == 20s);
}

TEST_CASE("an Expires that is no date is in the past, and forbids guessing", "[store]") {
  auto const expires = GENERATE(as<std::string>{}, "0", "-1", "never", "", "Thu, 18 Aug 2050 2:01:18 GMT");
  INFO(expires);
  CHECK(lifetime(fields({{"Expires", expires}, {"Date", at(0s)}, {"Last-Modified", at(-100h)}})) == 0s);
}

TEST_CASE("of two Expires fields the first counts", "[store]") {
  CHECK(lifetime(fields({{"Expires", at(5s)}, {"Expires", at(50s)}, {"Date", at(0s)}})) == 5s);
}

TEST_CASE("a far Expires and a huge max-age are a very long time", "[store]") {
  CHECK(lifetime(fields({{"Expires", "Fri, 31 Dec 9999 23:59:59 GMT"}, {"Date", at(0s)}})) == longest_delta);
  CHECK(lifetime(fields({{"Cache-Control", "max-age=99999999999"}})) == longest_delta);
}

TEST_CASE("without a stated lifetime a tenth of the time since the last change is taken", "[store]") {
  auto const old = fields({{"Date", at(0s)}, {"Last-Modified", at(-24h)}});
  CHECK(lifetime(old) == 8640s);
  CHECK(lifetime(old, 200, {.heuristic_percent = 0}) == 0s);
  CHECK(lifetime(fields({{"Date", at(0s)}, {"Last-Modified", at(-24h * 3650)}})) == cache_settings{}.heuristic_limit);
  CHECK(lifetime(fields({{"Date", at(0s)}, {"Last-Modified", at(10s)}})) == 0s);
  CHECK(lifetime(fields({{"Date", at(0s)}})) == 0s);
}

TEST_CASE("only statuses that are cacheable by default, or marked public, are given a guessed lifetime", "[store]") {
  auto const old = fields({{"Date", at(0s)}, {"Last-Modified", at(-24h)}});
  for (unsigned const status : {200U, 203U, 204U, 206U, 300U, 301U, 308U, 404U, 405U, 410U, 414U, 501U})
    CHECK(lifetime(old, status) == 8640s);
  for (unsigned const status : {201U, 202U, 302U, 303U, 307U, 400U, 403U, 500U, 502U, 503U, 504U, 599U})
    CHECK(lifetime(old, status) == 0s);
  CHECK(lifetime(fields({{"Date", at(0s)}, {"Last-Modified", at(-24h)}, {"Cache-Control", "public"}}), 599) == 8640s);
}

TEST_CASE("a page that is not there is not asked for again at once", "[store]") {
  CHECK(lifetime(fields({{"Date", at(0s)}}), 404) == cache_settings{}.negative_lifetime);
  CHECK(lifetime(fields({{"Date", at(0s)}}), 410) == cache_settings{}.negative_lifetime);
  CHECK(lifetime(fields({{"Date", at(0s)}, {"Cache-Control", "max-age=0"}}), 404) == 0s);
}

TEST_CASE("the age on arrival is the greater of the apparent one and Age with the delay", "[store]") {
  CHECK(age_on_arrival(fields({{"Date", at(0s)}})) == 0s);
  CHECK(age_on_arrival(fields({{"Date", at(-100s)}})) == 100s);
  CHECK(age_on_arrival(fields({{"Date", at(100s)}})) == 0s);
  CHECK(age_on_arrival(fields({{"Date", at(-10s)}, {"Age", "30"}})) == 30s);
  CHECK(age_on_arrival(fields({{"Date", at(-50s)}, {"Age", "30"}})) == 50s);
  CHECK(age_on_arrival(fields({{"Date", at(0s)}, {"Age", "30"}}), {noon - 5s, noon}) == 35s);
  CHECK(age_on_arrival(fields({{"Age", "30"}}), {noon + 5s, noon}) == 30s);  // the clock was set back meanwhile
  CHECK(age_on_arrival(fields({})) == 0s);
}

TEST_CASE("of several ages the first counts, and what is no number does not", "[store]") {
  auto const [text, wanted] = GENERATE(table<std::string, seconds>({
      {"7200, 0", 7200s},
      {"0, 7200", 0s},
      {"abc", 0s},
      {"-7200", 0s},
      {"7200.0", 0s},
      {"", 0s},
      {"7200;foo=bar", 7200s},
      {"2147483648", longest_delta},
      {"99999999999999999999", longest_delta},
  }));
  INFO(text);
  CHECK(age_on_arrival(fields({{"Date", at(0s)}, {"Age", text}})) == wanted);
  CHECK(age_on_arrival(fields({{"Date", at(0s)}, {"Age", text}, {"Age", "5"}})) == wanted);
}

TEST_CASE("age grows with the time a response is kept, and what is left of its lifetime shrinks", "[store]") {
  auto const p =
      make_policy(200, fields({{"Date", at(0s)}, {"Age", "30"}, {"Cache-Control", "max-age=100"}}), {noon, noon}, {});
  CHECK(current_age(p, noon) == 30s);
  CHECK(current_age(p, noon + 60s) == 90s);
  CHECK(current_age(p, noon - 1h) == 30s);
  CHECK(time_to_live(p, noon + 60s) == 10s);
  CHECK(is_fresh(p, noon + 69s));
  CHECK_FALSE(is_fresh(p, noon + 70s));  // fresh means lifetime greater than age, not equal
  CHECK(time_to_live(p, noon + 1h) == -3530s);
}

TEST_CASE("the policy remembers what forbids and what allows", "[store]") {
  auto const flags = [](std::string_view cc, unsigned status = 200) {
    return make_policy(status, fields({{"Cache-Control", cc}, {"ETag", "\"a\""}, {"Vary", "A"}}), {noon, noon}, {});
  };
  CHECK(flags("must-revalidate").is(stored_policy::must_revalidate));
  CHECK(flags("proxy-revalidate").is(stored_policy::must_revalidate));
  CHECK(flags("s-maxage=1").is(stored_policy::shared_must_revalidate));
  CHECK(flags("no-cache").is(stored_policy::always_validate));
  CHECK_FALSE(flags("no-cache=\"x\", max-age=1").is(stored_policy::always_validate));
  CHECK(flags("immutable, max-age=1").is(stored_policy::immutable));
  CHECK(flags("").can_be_validated());
  CHECK(flags("").is(stored_policy::varies));
  CHECK_FALSE(flags("").is(stored_policy::varies_on_everything));
  CHECK(flags("", 302).is(stored_policy::always_validate));
  CHECK_FALSE(flags("max-age=5", 302).is(stored_policy::always_validate));
  CHECK(make_policy(200, fields({{"Vary", ""}, {"Vary", "a, *"}}), {noon, noon}, {})
            .is(stored_policy::varies_on_everything));
}
