#include "sync/fetcher.hpp"

#include "tests/sync/fetch_fixture.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace fetch_test;
using phase = sync::fetcher::phase;
using tests::noise;

namespace {

std::string const tagged = "ETag: \"v1\"\r\n";

/// A fetcher over a real repository. What it waits by itself is short.
struct desk {
  fake_clock clock{std::chrono::sys_seconds{1'900'000'000s}};
  tests::temp_store store;
  sync::network_link link{clock};
  sync::resolver names;
  sync::downloads fetching{*store, link, clock, {}};
  sync::fetcher fetcher;

  explicit desk(sync::backoff_settings waits = {.base = 1ms, .cap = 5ms})
      : fetcher{fetching, link, names, {}, {.waits = waits}} {}

  /// Looks until it is in one of these phases.
  sync::fetcher::state wait_for(std::string const& url, std::initializer_list<phase> any) {
    auto const until = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < until) {
      auto const now = fetcher.look(url);
      if (now && std::find(any.begin(), any.end(), now->now) != any.end()) return *now;
      std::this_thread::sleep_for(1ms);
    }
    throw std::runtime_error{"it did not come to that"};
  }
  sync::fetcher::state fetch(std::string const& url) {
    REQUIRE(fetcher.want(url));
    return wait_for(url, {phase::complete, phase::failed});
  }
};

}  // namespace

TEST_CASE("a file is fetched through any number of breaks", "[sync][fetch]") {
  auto const body = noise(1, 2'000'000);
  fake_origin origin{[&](fake_exchange& x) { serve_file(x, {.body = body, .fields = tagged, .cut_after = 100'000}); }};
  desk d;
  auto const end = d.fetch(origin.url());
  CHECK(end.now == phase::complete);
  CHECK(end.have == body.size());
  CHECK(end.attempts == 20);
  CHECK((d.store.body_of(origin.url()) == body));
}

TEST_CASE("an origin that fails for a while is asked until it does not", "[sync][fetch]") {
  std::atomic<int> count{0};
  fake_origin origin{[&](fake_exchange& x) {
    auto const n = ++count;
    if (n % 3 == 1) return x.answer(500, "", "oops");
    if (n < 8) return x.reset();
    x.answer(200, tagged, "at last");
  }};
  desk d;
  CHECK(d.fetch(origin.url()).now == phase::complete);
  CHECK(d.store.body_of(origin.url()) == "at last");
}

TEST_CASE("an origin that names a time is not asked before it", "[sync][fetch]") {
  using steady = std::chrono::steady_clock;
  std::atomic<steady::rep> refused{0};
  std::atomic<steady::rep> asked_again{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (refused.exchange(steady::now().time_since_epoch().count()) == 0) return x.answer(503, "Retry-After: 1\r\n", "");
    asked_again = steady::now().time_since_epoch().count();
    refused = asked_again.load();
    x.answer(200, tagged, "thanks");
  }};
  desk d;
  auto const before = steady::now();
  CHECK(d.fetch(origin.url()).now == phase::complete);
  CHECK(steady::now() - before >= 1s);
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("what its origin does not have is not waited for", "[sync][fetch]") {
  auto const status = GENERATE(403, 404, 410);
  fake_origin origin{[=](fake_exchange& x) { x.answer(status, "", "no"); }};
  desk d;
  auto const end = d.fetch(origin.url());
  CHECK(end.now == phase::failed);
  CHECK(end.why == "the origin answered " + std::to_string(status));
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("the link's return ends a wait", "[sync][fetch]") {
  std::atomic<bool> well{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (!well) return x.answer(500, "", "oops");
    x.answer(200, tagged, "here");
  }};
  desk d{{.base = 1h, .cap = 1h}};
  d.fetcher.want(origin.url());
  d.wait_for(origin.url(), {phase::waiting});
  well = true;
  d.link.observed(sync::link_state::down);
  d.link.observed(sync::link_state::up);
  CHECK(d.wait_for(origin.url(), {phase::complete, phase::failed}).now == phase::complete);
}

TEST_CASE("what is no longer wanted stops and stays as far as it came", "[sync][fetch]") {
  auto const body = noise(2, 4'000'000);
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\n" + tagged + "Content-Length: 4000000\r\n\r\n" + body.substr(0, 1'500'000));
    while (x.send(body.substr(0, 1))) std::this_thread::sleep_for(5ms);
  }};
  desk d;
  d.fetcher.want(origin.url());
  auto const until = std::chrono::steady_clock::now() + 20s;
  while (d.fetcher.look(origin.url())->have < 1'000'000 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  d.fetcher.leave(origin.url());
  while (d.fetching.active() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  CHECK(!d.fetcher.look(origin.url()));
  auto const kept = d.store->versions(origin.url()).value();
  REQUIRE(kept.size() == 1);
  CHECK(!kept.front().complete);
  CHECK(kept.front().size >= 1'000'000);
}
