#include "sync/backoff.hpp"

#include <catch2/catch.hpp>

using namespace cistern::sync;
using namespace std::chrono_literals;

namespace {

backoff::time const start{std::chrono::hours{1'000}};

/// The longest of many waits after that many failures in a row.
std::chrono::milliseconds longest_wait(int failures, backoff_settings settings = {}) {
  std::chrono::milliseconds longest{0};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    backoff b{settings, seed};
    auto until = start;
    for (int i = 0; i < failures; ++i) until = b.failed("a.test", start, false);
    longest = std::max(longest, std::chrono::duration_cast<std::chrono::milliseconds>(until - start));
  }
  return longest;
}

}  // namespace

TEST_CASE("waits double from the base to the cap, and any part of them is waited", "[sync]") {
  CHECK(longest_wait(1) <= 1s);
  CHECK(longest_wait(1) > 900ms);
  CHECK(longest_wait(2) <= 2s);
  CHECK(longest_wait(2) > 1'800ms);
  CHECK(longest_wait(5) <= 16s);
  CHECK(longest_wait(5) > 14s);
  CHECK(longest_wait(60) <= 15min);
  CHECK(longest_wait(60) > 14min);
  CHECK(longest_wait(3, {.base = 10ms, .cap = 20ms}) <= 20ms);
  double sum = 0;
  backoff b{{}, 7};
  for (int i = 0; i < 1'000; ++i) {
    auto const host = "h" + std::to_string(i);
    sum += std::chrono::duration<double>(b.failed(host, start, false) - start).count();
  }
  CHECK(sum / 1'000 == Approx(0.5).margin(0.05));
}

TEST_CASE("an attempt that brought bytes starts the waits anew", "[sync]") {
  backoff b{{}, 1};
  for (int i = 0; i < 20; ++i) b.failed("a.test", start, false);
  CHECK(b.failed("a.test", start, true) <= start + 1s);
  CHECK(b.failed("a.test", start, false) <= start + 2s);
}

TEST_CASE("a host's failures are its own, and a success forgets them", "[sync]") {
  backoff b{{.base = 1h, .cap = 2h}, 3};
  CHECK(b.failed("a.test", start, false) > start);
  CHECK(b.ready("b.test", start));
  CHECK(!b.ready("a.test", start));
  b.succeeded("a.test");
  CHECK(b.ready("a.test", start));
}

TEST_CASE("Retry-After is a floor for the whole host, which neither success nor a new link lifts", "[sync]") {
  backoff b{{}, 3};
  b.failed("a.test", start, false);
  b.leave_alone("a.test", start, 120s);
  CHECK(b.ready_at("a.test") == start + 120s);
  b.leave_alone("a.test", start, 10s);
  CHECK(b.ready_at("a.test") == start + 120s);
  b.link_up();
  b.succeeded("a.test");
  CHECK(!b.ready("a.test", start + 119s));
  CHECK(b.ready("a.test", start + 120s));
  b.leave_alone("a.test", start, std::chrono::hours{24 * 365});
  CHECK(b.ready_at("a.test") == start + std::chrono::hours{24 * 7});
}

TEST_CASE("the link's return ends the waits that were our own choice", "[sync]") {
  backoff b{{.base = 1h, .cap = 2h}, 3};
  b.failed("a.test", start, false);
  REQUIRE(!b.ready("a.test", start));
  b.link_up();
  CHECK(b.ready("a.test", start));
}

TEST_CASE("the same seed waits the same", "[sync]") {
  backoff one{{}, 42};
  backoff two{{}, 42};
  for (int i = 0; i < 20; ++i) CHECK(one.failed("a.test", start, false) == two.failed("a.test", start, false));
}

TEST_CASE("no number of hosts makes it grow without end", "[sync]") {
  backoff b{{.base = 1h, .cap = 1h, .hosts = 100}, 3};
  b.leave_alone("z-patient.test", start, 3600s);
  for (int i = 0; i < 10'000; ++i) b.failed("h" + std::to_string(i), start + std::chrono::hours{i}, false);
  CHECK(b.ready("h1", start + std::chrono::hours{20'000}));
  CHECK(!b.ready("h9999", start + std::chrono::hours{9'999}));
}
