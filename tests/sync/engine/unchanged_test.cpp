// Feeds without news: most visits of most passes.

#include "sync/savings.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

std::string const one_story = rss({{"a", "First", 60}});

/// New to those who do not know it, and never changed.
void never_changed(fake_exchange& x) {
  if (x.request.field("If-None-Match").empty()) return x.answer(200, "ETag: \"1\"\r\n", one_story);
  x.answer(304, "", "");
}

}  // namespace

TEST_CASE("a hundred feeds without news are all written down, in a few transactions", "[sync]") {
  constexpr int feeds = 100;
  whole_engine e;
  fake_origin origin{never_changed};
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < feeds; ++i) ids.push_back(e.subscribe(origin.url("/" + std::to_string(i))));
  e.pass();
  e.clock.advance(2h);
  auto const before = e.store->measure().value().commits;
  auto const pass = e.pass();
  CHECK(pass.feeds_unchanged == feeds);
  CHECK(e.store->measure().value().commits - before < feeds / 4);
  std::uint64_t whole = 0;
  for (auto const id : ids) {
    CHECK(e.feed(id).last_status == 304);
    CHECK(e.feed(id).last_visit == e.clock.now());
    whole += e.feed(id).whole_bytes;
  }
  std::uint64_t requests = 0, saved = 0;
  std::uint32_t day = 0;
  static_cast<void>(e.store->scan<store::ledger_entry>({}, [&](store::ledger_entry const& line) {
    requests += line.requests;
    saved += line.saved;
    day = line.day;
    return true;
  }));
  CHECK(requests == 2 * feeds);
  CHECK(saved == whole);
  CHECK(sync::savings_of(*e.store, day).unchanged == whole);
}

TEST_CASE("a visit without news is remembered though the engine is stopped in the middle of the pass", "[sync]") {
  whole_engine e;
  std::atomic<int> asked{0};
  fake_origin origin{[&](fake_exchange& x) {
    ++asked;
    never_changed(x);
  }};
  fake_origin slow{[&](fake_exchange& x) {
    if (x.request.field("If-None-Match").empty()) return never_changed(x);
    x.stall();
  }};
  auto const id = e.subscribe(origin.url("/feed"));
  e.subscribe(slow.url("/feed"));
  e.pass();
  e.clock.advance(2h);
  e.engine->pass_soon("asked for");
  e.engine->watch();
  auto const end = std::chrono::steady_clock::now() + 20s;
  while (e.engine->status().pass.feeds_unchanged == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  e.start();
  CHECK(e.feed(id).last_status == 304);
  CHECK(e.feed(id).last_visit == e.clock.now());
  CHECK(asked == 2);
}
