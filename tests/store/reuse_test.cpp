#include "store/reuse.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;
using std::chrono::seconds;

namespace {

struct row {
  std::string_view response;  // Cache-Control
  std::string_view request;   // Cache-Control
  seconds later;
  reuse up;
  reuse down;
};

stored_policy policy(std::string_view cc) {
  return make_policy(200, fields({{"Date", "Tue, 01 Jan 2030 12:00:00 GMT"}, {"Cache-Control", cc}}), {noon, noon}, {});
}

request_directives request(std::string_view cc) {
  return cc.empty() ? request_directives{} : read_request_directives(fields({{"Cache-Control", cc}}));
}

}  // namespace

TEST_CASE("a stored response is used, validated or served stale as both sides asked", "[store]") {
  using enum reuse;
  constexpr row rows[] = {
      {"max-age=60", "", 0s, fresh, fresh},
      {"max-age=60", "", 59s, fresh, fresh},
      {"max-age=60", "", 60s, validate, offline},
      {"max-age=0", "", 0s, validate, offline},
      {"", "", 0s, validate, offline},
      {"max-age=60, no-cache", "", 0s, validate, offline},
      {"max-age=60, must-revalidate", "", 30s, fresh, fresh},
      {"max-age=60, must-revalidate", "", 90s, validate, offline},
      {"max-age=60, must-revalidate", "max-stale=100", 90s, validate, offline},
      {"max-age=60, proxy-revalidate", "max-stale", 90s, validate, offline},
      {"s-maxage=60", "max-stale", 90s, validate, offline},
      // the request's wishes
      {"max-age=60", "no-cache", 0s, validate, offline},
      {"max-age=60", "max-age=0", 1s, validate, offline},
      {"max-age=60", "max-age=10", 10s, fresh, fresh},
      {"max-age=60", "max-age=10", 11s, validate, offline},
      {"max-age=60", "min-fresh=10", 50s, fresh, fresh},
      {"max-age=60", "min-fresh=10", 51s, validate, offline},
      {"max-age=60", "max-stale=30", 90s, stale_by_request, stale_by_request},
      {"max-age=60", "max-stale=30", 91s, validate, offline},
      {"max-age=60", "max-stale", 9000s, stale_by_request, stale_by_request},
      {"max-age=60", "max-stale=30, max-age=70", 80s, validate, offline},
      {"max-age=60", "max-stale=30, max-age=85", 80s, stale_by_request, stale_by_request},
      {"max-age=60", "max-stale=30, min-fresh=1", 80s, validate, offline},
      {"max-age=60", "no-store", 0s, fresh, fresh},
      // only-if-cached
      {"max-age=60", "only-if-cached", 0s, fresh, fresh},
      {"max-age=60", "only-if-cached", 61s, unavailable, offline},
      {"max-age=60", "only-if-cached, max-stale", 61s, stale_by_request, stale_by_request},
      // RFC 5861
      {"max-age=60, stale-while-revalidate=30", "", 90s, stale_while_validating, stale_while_validating},
      {"max-age=60, stale-while-revalidate=30", "", 91s, validate, offline},
      {"max-age=60, stale-while-revalidate=30", "max-age=0", 70s, validate, offline},
      {"max-age=60, stale-while-revalidate=30, must-revalidate", "", 70s, validate, offline},
      {"s-maxage=60, stale-while-revalidate=30", "", 70s, stale_while_validating, stale_while_validating},
      // RFC 8246
      {"max-age=60, immutable", "max-age=0", 10s, fresh, fresh},
      {"max-age=60, immutable", "no-cache", 10s, validate, offline},
      {"max-age=60, immutable", "max-age=0", 70s, validate, offline},
  };
  for (auto const& r : rows) {
    INFO(r.response << " | " << r.request << " | " << r.later.count());
    CHECK(decide(policy(r.response), request(r.request), {.down = false}, noon + r.later, {}).what == r.up);
    CHECK(decide(policy(r.response), request(r.request), {.down = true}, noon + r.later, {}).what == r.down);
  }
}

TEST_CASE("Pragma: no-cache asks for validation like its successor", "[store]") {
  auto const pragma = read_request_directives(fields({{"Pragma", "no-cache"}}));
  CHECK(decide(policy("max-age=60"), pragma, {}, noon, {}).what == reuse::validate);
  CHECK(decide(policy("max-age=60"), pragma, {.down = true}, noon, {}).what == reuse::offline);
}

TEST_CASE("one switch holds to the letter while the link is down", "[store]") {
  cache_settings const strict{.offline_serves_everything = false};
  link_view const down{.down = true};
  CHECK(decide(policy("max-age=60"), {}, down, noon + 1h, strict).what == reuse::offline);
  CHECK(decide(policy("max-age=60, must-revalidate"), {}, down, noon + 1h, strict).what == reuse::forbidden);
  CHECK(decide(policy("no-cache"), {}, down, noon, strict).what == reuse::forbidden);
  CHECK(decide(policy("max-age=60, must-revalidate"), {}, down, noon, strict).what == reuse::fresh);
}

TEST_CASE("a decision says how old the copy is and what is left of it", "[store]") {
  auto const d = decide(policy("max-age=60"), {}, {.down = true}, noon + 90min, {});
  CHECK(d.age == 5400s);
  CHECK(d.ttl == -5340s);
}

TEST_CASE("when the origin fails a stale copy is served unless the response forbids it", "[store]") {
  CHECK(may_serve_on_error(policy("max-age=60"), noon + 1h));
  CHECK(may_serve_on_error(policy("max-age=60, stale-if-error=10"), noon + 1h));
  CHECK(may_serve_on_error(policy("max-age=60, must-revalidate"), noon + 30s));
  CHECK_FALSE(may_serve_on_error(policy("max-age=60, must-revalidate"), noon + 1h));
  CHECK_FALSE(may_serve_on_error(policy("max-age=60, must-revalidate, stale-if-error=9999"), noon + 1h));
  CHECK_FALSE(may_serve_on_error(policy("max-age=60, proxy-revalidate"), noon + 1h));
  CHECK_FALSE(may_serve_on_error(policy("no-cache, max-age=60"), noon));
  CHECK_FALSE(may_serve_on_error(policy("s-maxage=2"), noon + 1h));
  CHECK(may_serve_on_error(policy("s-maxage=2, stale-if-error=3600"), noon + 1h));
  CHECK_FALSE(may_serve_on_error(policy("s-maxage=2, stale-if-error=3600"), noon + 2h));
}

TEST_CASE("a response that varies on everything is only used when there is no other way", "[store]") {
  auto const p = make_policy(200, fields({{"Cache-Control", "max-age=60"}, {"Vary", "*"}}), {noon, noon}, {});
  CHECK(decide(p, {}, {}, noon, {}).what == reuse::validate);
  CHECK(decide(p, {}, {.down = true}, noon, {}).what == reuse::offline);
}
