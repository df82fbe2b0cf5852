#include "sync/http/pace.hpp"
#include "tests/sync/http/client_fixture.hpp"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <future>
#include <mutex>

using namespace client_test;
using namespace std::chrono_literals;

namespace {

// What the kernel's smallest receive buffer may let through beyond our last read.
constexpr std::uint64_t smallest_window = 4096;

/// Sends for as long as somebody takes it, and remembers how much the other machine took.
class endless_origin {
public:
  explicit endless_origin(std::shared_ptr<SSL_CTX> tls = nullptr)
      : origin_{[this](fake_exchange& x) { pour(x); }, std::move(tls)} {}

  [[nodiscard]] std::string url() const { return origin_.url(); }
  /// Waits until the connection is over.
  std::uint64_t delivered() {
    std::unique_lock lock{mutex_};
    over_.wait_for(lock, 10s, [&] { return delivered_ != 0; });
    return delivered_;
  }

private:
  void pour(fake_exchange& x) {
    std::string const piece(16 << 10, 'x');
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    while (x.send(piece)) {
    }
    std::lock_guard const lock{mutex_};
    delivered_ = x.delivered();
    over_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable over_;
  std::uint64_t delivered_{};
  fake_origin origin_;
};

client_options paced(std::shared_ptr<pace> rate) {
  client_options out;
  out.rate = std::move(rate);
  return out;
}

fetched get_within(bench& b, std::string const& url, std::shared_ptr<allowance> spends) {
  auto what = to(url);
  what.options.spends = std::move(spends);
  return b.run(std::move(what));
}

}  // namespace

TEST_CASE("an exchange moves every byte it is allowed and not one more", "[sync][http][limits]") {
  auto const allowed = GENERATE(as<std::uint64_t>{}, 20, 150, 3'000, 20'000, 300'000, 2'000'000);
  endless_origin origin;
  bench b;
  auto const got = get_within(b, origin.url(), std::make_shared<fixed_allowance>(allowed));
  CAPTURE(allowed, got.received, got.sent, got.error.message());
  CHECK(got.error == errc::budget_spent);
  CHECK(got.received + got.sent == allowed);
  // Nor does the far side get rid of more than that: the window closes where we stop.
  if (allowed > 150) CHECK(origin.delivered() <= got.received + smallest_window);
  CHECK(got.complete == completeness::partial);
  CHECK(got.body == std::string(got.body.size(), 'x'));
}

TEST_CASE("handshake and records of a secure exchange are part of what it may spend", "[sync][http][limits]") {
  auto const allowed = GENERATE(as<std::uint64_t>{}, 700, 20'000, 500'000);
  test_ca const ca;
  endless_origin origin{ca.server({})};
  client_options trusting;
  trusting.ca_file = ca.file();
  bench b{std::move(trusting)};
  auto const got = get_within(b, origin.url(), std::make_shared<fixed_allowance>(allowed));
  CAPTURE(allowed, got.received, got.sent, got.error.message());
  CHECK(got.error == errc::budget_spent);  // and never a certificate that cannot be trusted
  CHECK(got.received + got.sent == allowed);
  if (allowed > 700) CHECK(origin.delivered() <= got.received + smallest_window);
}

TEST_CASE("what an answer did not need is still there for the next", "[sync][http][limits]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(50'000, 'y')); }};
  bench b;
  auto const purse = std::make_shared<fixed_allowance>(1'000'000);
  auto const first = get_within(b, origin.url(), purse);
  auto const second = get_within(b, origin.url(), purse);
  CHECK_FALSE(first.error);
  CHECK(second.body.size() == 50'000);
  CHECK(origin.connections() == 1);
  CHECK(purse->left() == 1'000'000 - first.received - first.sent - second.received - second.sent);
}

TEST_CASE("a connection that was limited is free again for whoever has no limit", "[sync][http][limits]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(300'000, 'y')); }};
  bench b;
  CHECK_FALSE(get_within(b, origin.url(), std::make_shared<fixed_allowance>(310'000)).error);
  CHECK(b.get(origin.url()).body.size() == 300'000);
  CHECK(origin.connections() == 1);
}

TEST_CASE("transfers on several threads never use more than their common allowance", "[sync][http][limits]") {
  endless_origin first_origin;
  endless_origin second_origin;
  auto const purse = std::make_shared<fixed_allowance>(777'777);
  auto const run = [&](endless_origin const& origin) {
    bench b;
    return get_within(b, origin.url(), purse);
  };
  auto other = std::async(std::launch::async, [&] { return run(first_origin); });
  auto const one = run(second_origin);
  auto const two = other.get();
  CHECK(one.error == errc::budget_spent);
  CHECK(two.error == errc::budget_spent);
  CHECK(one.received + one.sent + two.received + two.sent + purse->left() == 777'777);
  CHECK(purse->left() <= 16 << 10);  // what one held while the other gave up
}

TEST_CASE("all transfers together keep the rate", "[sync][http][limits]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(60'000, 'y')); }};
  auto const rate = std::make_shared<pace>(240'000);
  auto const begun = std::chrono::steady_clock::now();
  auto const run = [&] {
    bench b{paced(rate)};
    return b.get(origin.url());
  };
  auto other = std::async(std::launch::async, run);
  CHECK(run().body.size() == 60'000);
  CHECK(other.get().body.size() == 60'000);
  // 120,000 bytes take half a second, less the turn that may be saved up and the last one's own time.
  CHECK(std::chrono::steady_clock::now() - begun >= 400ms);
}

TEST_CASE("a person who waits may be exempt from the rate", "[sync][http][limits]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(60'000, 'y')); }};
  bench b{paced(std::make_shared<pace>(1))};  // a day for what the watchdog gives seconds
  auto what = to(origin.url());
  what.options.in_a_hurry = true;
  CHECK(b.run(std::move(what)).body.size() == 60'000);
}

TEST_CASE("waiting for one's turn is not taken for a stall", "[sync][http][limits]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(2'000, 'y')); }};
  bench b{paced(std::make_shared<pace>(4'000))};
  auto what = to(origin.url());
  what.options.limits.between_bytes = 20ms;  // a turn takes six times as long
  what.options.limits.first_byte = 20ms;
  auto const got = b.run(std::move(what));
  CHECK_FALSE(got.error);
  CHECK(got.body.size() == 2'000);
}

TEST_CASE("whoever asks for a turn gets the next place in line", "[sync][http][limits]") {
  pace line{20'000};  // a turn is 1,000 bytes or 50 ms
  pace::time_point const now{1h};
  auto const first = line.ask(64 << 10, now);
  CHECK(first.bytes == 1'000);
  CHECK(first.from <= now);
  CHECK(line.ask(1'000, now).from == now);
  CHECK(line.ask(500, now).from == now + 50ms);
  CHECK(line.ask(1'000, now).from == now + 75ms);
  SECTION("what did not move moves the line up") {
    line.give_back(1'000);
    CHECK(line.ask(1'000, now).from == now + 75ms);
  }
  SECTION("time that nobody used is not saved up") {
    auto const later = now + 1h;
    CHECK(line.ask(1'000, later).from == later - 50ms);
    CHECK(line.ask(1'000, later).from == later);
    CHECK(line.ask(1'000, later).from == later + 50ms);
  }
}
