#include "sync/link.hpp"

#include "sync/errc.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>

#include <thread>

using namespace cistern::sync;
using namespace std::chrono_literals;
namespace net = boost::asio;

namespace {

struct bench {
  explicit bench(link_options more = {}) : link{wall, with_fast_probes(more), [this] { return now; }} {}
  static link_options with_fast_probes(link_options more) {
    more.first_probe = 1ms;
    more.slowest_probe = 4ms;
    return more;
  }
  fake_clock wall{std::chrono::sys_days{std::chrono::year{2024} / 2 / 29}};
  std::chrono::steady_clock::time_point now{std::chrono::hours{1}};
  network_link link;
};

}  // namespace

TEST_CASE("one origin that fails is its own trouble", "[sync][link]") {
  bench b;
  for (int i = 0; i < 10; ++i) b.link.failed("a.test", errc::first_byte_timeout);
  CHECK(b.link.state() == link_state::up);
}

TEST_CASE("several hosts that fail within a short time mean that the link is down", "[sync][link]") {
  bench b;
  b.link.failed("a.test", errc::connect_timeout);
  b.link.failed("b.test", errc::dns_timeout);
  CHECK(b.link.state() == link_state::up);
  SECTION("when they do") {
    b.wall.advance(60s);
    b.link.failed("c.test", errc::stalled);
    CHECK(b.link.state() == link_state::down);
    CHECK(b.link.since() == b.wall.now());
    b.link.succeeded("d.test");
    CHECK(b.link.state() == link_state::up);
    // It begins anew: the old failures are forgotten.
    b.link.failed("a.test", errc::connect_timeout);
    CHECK(b.link.state() == link_state::up);
  }
  SECTION("not when a success came between") {
    b.link.succeeded("d.test");
    b.link.failed("c.test", errc::stalled);
    CHECK(b.link.state() == link_state::up);
  }
  SECTION("not when it was long ago") {
    b.now += 1min;
    b.link.failed("c.test", errc::stalled);
    CHECK(b.link.state() == link_state::up);
  }
  SECTION("not when the origin answered after all, if only with a refusal") {
    for (auto const error :
         {errc::refused, errc::tls_untrusted, errc::truncated, errc::bad_framing, errc::name_not_found})
      b.link.failed(std::to_string(static_cast<int>(error)) + ".test", error);
    CHECK(b.link.state() == link_state::up);
  }
}

TEST_CASE("hosts that refuse or break off make the link suspicious, and a probe decides", "[sync][link]") {
  bench b;
  b.link.failed("a.test", errc::refused);
  b.link.failed("b.test", errc::reset);
  b.link.failed("192.168.1.7", errc::refused);  // a box of our own
  CHECK_FALSE(b.link.suspicious());
  b.link.failed("c.test", errc::proxy_failed);
  CHECK(b.link.suspicious());
  CHECK(b.link.state() == link_state::up);
  SECTION("which fails as well") {
    b.link.probed(false);
    CHECK(b.link.state() == link_state::down);
    CHECK_FALSE(b.link.suspicious());
  }
  SECTION("which is answered") {
    b.link.probed(true);
    CHECK(b.link.state() == link_state::up);
    CHECK_FALSE(b.link.suspicious());
  }
  SECTION("which nobody can be asked for") {
    b.link.probed(std::nullopt);
    CHECK(b.link.state() == link_state::up);
    CHECK_FALSE(b.link.suspicious());
  }
  SECTION("unless a download goes on meanwhile") {
    b.link.carries();
    CHECK_FALSE(b.link.suspicious());
  }
}

TEST_CASE("a suspicious link is probed at once", "[sync][link]") {
  bench b;
  net::io_context io{1};
  int asked = 0;
  auto const probe = [&]() -> net::awaitable<std::optional<bool>> {
    ++asked;
    io.stop();
    co_return false;
  };
  net::co_spawn(io, keep_probing(b.link, probe), [](std::exception_ptr) {});
  io.poll();
  for (auto const* host : {"a.test", "b.test", "c.test"}) b.link.failed(host, errc::refused);
  io.restart();
  io.run_for(5s);
  CHECK(asked == 1);
  CHECK(b.link.state() == link_state::down);
}

TEST_CASE("no route and no name server are known at once", "[sync][link]") {
  bench b;
  SECTION("no route") { b.link.failed("a.test", errc::unreachable); }
  SECTION("no name server") { b.link.failed("a.test", errc::dns_unreachable); }
  CHECK(b.link.state() == link_state::down);
}

TEST_CASE("a machine of our own network that is off is not the end of the internet", "[sync][link]") {
  bench b;
  b.link.failed("192.168.1.7", errc::unreachable);
  CHECK(b.link.state() == link_state::up);
}

TEST_CASE("this machine and its neighbours are reached without a link, unless offline is wished", "[sync][link]") {
  bench b;
  b.link.failed("a.test", errc::unreachable);
  CHECK_FALSE(b.link.worth_trying("a.test"));
  CHECK(b.link.worth_trying("localhost"));
  CHECK(b.link.worth_trying("192.168.1.7"));
  b.link.force(link_mode::offline);
  CHECK_FALSE(b.link.worth_trying("localhost"));
  b.link.force(link_mode::online);
  CHECK(b.link.worth_trying("a.test"));
}

TEST_CASE("a single broken zone right after a success does not cut us off", "[sync][link]") {
  bench b;
  b.link.succeeded("good.test");
  b.now += 1s;
  b.link.failed("broken.test", errc::dns_unreachable);
  CHECK(b.link.state() == link_state::up);
  b.now += 5s;
  b.link.failed("broken.test", errc::dns_unreachable);
  CHECK(b.link.state() == link_state::down);
}

TEST_CASE("a forced state holds whatever happens, until it is watched again", "[sync][link]") {
  bench b;
  b.link.force(link_mode::offline);
  CHECK(b.link.state() == link_state::down);
  b.link.succeeded("a.test");
  CHECK(b.link.state() == link_state::down);
  b.link.force(link_mode::online);
  b.link.failed("a.test", errc::unreachable);
  CHECK(b.link.state() == link_state::up);
  b.link.force(link_mode::automatic);
  CHECK(b.link.state() == link_state::down);
}

TEST_CASE("a portal stays a portal until something really answers", "[sync][link]") {
  bench b;
  b.link.observed(link_state::portal);
  b.link.failed("a.test", errc::unreachable);
  CHECK(b.link.state() == link_state::portal);
  b.link.succeeded("a.test");  // which may well have been the portal
  CHECK(b.link.state() == link_state::portal);
  b.link.succeeded("a.test", true);
  CHECK(b.link.state() == link_state::up);
}

TEST_CASE("a portal's pages are not stored, nor anything that may be one", "[sync][link]") {
  bench b{{.doubts = true}};
  CHECK(b.link.may_store("a.test", false));
  b.link.observed(link_state::portal, "a login page answered the probe");
  CHECK_FALSE(b.link.may_store("a.test", false));
  CHECK(b.link.may_store("a.test", true));  // a certificate says who answered
  CHECK(b.link.may_store("192.168.1.7", false));
  b.link.force(link_mode::online);
  CHECK_FALSE(b.link.may_store("a.test", false));
  b.link.force(link_mode::automatic);
  SECTION("until a probe came through") { b.link.observed(link_state::up, "the probe was answered"); }
  SECTION("until a secure answer came") { b.link.succeeded("b.test", true); }
  CHECK(b.link.state() == link_state::up);
  CHECK(b.link.may_store("a.test", false));
}

TEST_CASE("after the link came back plain answers are in doubt until something proves the internet", "[sync][link]") {
  bench b{{.doubts = true}};
  if (GENERATE(true, false)) {
    b.link.came_back("there is a default route by wlan0");
  } else {
    b.link.failed("a.test", errc::unreachable);
    b.link.succeeded("a.test");
  }
  CHECK(b.link.state() == link_state::up);
  CHECK(b.link.in_doubt());
  CHECK_FALSE(b.link.may_store("a.test", false));
  b.link.succeeded("b.test");  // anybody can say that over plain http
  CHECK_FALSE(b.link.may_store("a.test", false));
  SECTION("a secure answer") { b.link.succeeded("c.test", true); }
  SECTION("a probe") { b.link.observed(link_state::up, "the probe was answered"); }
  SECTION("two hosts whose pages are old and of different dates") {
    auto const day = std::chrono::floor<std::chrono::days>(b.wall.now());
    CHECK_FALSE(b.link.heard("a.test", day - 48h));
    CHECK_FALSE(b.link.heard("a.test", day - 72h));     // one host could be the portal itself
    CHECK_FALSE(b.link.heard("b.test", day - 72h));     // a portal has one page for all
    CHECK_FALSE(b.link.heard("c.test", b.wall.now()));  // made on the spot
    b.now += 24h;                                       // nor does time prove anything
    CHECK_FALSE(b.link.may_store("a.test", false));
    CHECK(b.link.heard("c.test", day - 96h));
  }
  CHECK_FALSE(b.link.in_doubt());
  CHECK(b.link.may_store("a.test", false));
}

TEST_CASE("the link tells what happened to it and why", "[sync][link]") {
  bench b;
  b.link.observed(link_state::down, "the default route is gone");
  CHECK(b.link.reason() == "the default route is gone");
  b.wall.advance(60s);
  b.link.succeeded("a.test");
  b.link.force(link_mode::offline);
  auto const history = b.link.history();
  REQUIRE(history.size() == 3);
  CHECK(history[0].state == link_state::down);
  CHECK(history[1].reason == "a.test answered");
  CHECK(history[1].when == history[0].when + 60s);
  CHECK(history[2].reason == "by command");
  for (int i = 0; i < 100; ++i) b.link.force(i % 2 == 0 ? link_mode::online : link_mode::offline);
  CHECK(b.link.history().size() == 32);
}

TEST_CASE("whoever asked is told when bytes begin to cost money", "[sync][link]") {
  bench b;
  net::io_context io{1};
  int told = 0;
  auto const subscription =
      b.link.subscribe(io.get_executor(), [&](link_state s) { told += s == link_state::up ? 1 : 99; });
  b.link.set_metered(true);
  b.link.set_metered(true);
  io.run_for(5s);
  CHECK(told == 1);
  CHECK(b.link.metered());
}

TEST_CASE("a wrong clock is a state with a sentence, ended by whatever proves it right", "[sync][link]") {
  bench b;
  b.link.set_clock_trouble("The clock shows 1970.");
  CHECK(b.link.clock_wrong());
  CHECK(b.link.clock_trouble() == "The clock shows 1970.");
  CHECK(b.link.state() == link_state::up);
  b.link.succeeded("a.test");
  CHECK(b.link.clock_wrong());
  SECTION("it was set") { b.link.set_clock_trouble({}); }
  SECTION("a certificate was good by it") { b.link.succeeded("a.test", true); }
  CHECK_FALSE(b.link.clock_wrong());
  CHECK(b.link.clock_trouble().empty());
}

TEST_CASE("whoever asked is told of each change, on the own thread and in order", "[sync][link]") {
  bench b;
  net::io_context io{1};
  std::vector<link_state> told;
  auto subscription = b.link.subscribe(io.get_executor(), [&](link_state s) { told.push_back(s); });
  b.link.force(link_mode::offline);
  b.link.force(link_mode::offline);
  b.link.force(link_mode::online);
  CHECK(told.empty());
  io.run_for(5s);
  CHECK(told == std::vector{link_state::down, link_state::up});
  // One that is under way when the subscription ends is not delivered.
  b.link.force(link_mode::offline);
  subscription = {};
  io.restart();
  io.run_for(5s);
  CHECK(told.size() == 2);
}

TEST_CASE("a link believed down is probed until it is back", "[sync][link]") {
  bench b;
  net::io_context io{1};
  int asked = 0;
  auto const probe = [&]() -> net::awaitable<std::optional<bool>> {
    ++asked;
    co_return asked == 3;
  };
  auto const up = b.link.subscribe(io.get_executor(), [&](link_state s) {
    if (s == link_state::up) io.stop();
  });
  net::co_spawn(io, keep_probing(b.link, probe), [](std::exception_ptr) {});
  io.poll();
  CHECK(asked == 0);
  b.link.failed("a.test", errc::unreachable);
  io.restart();
  io.run_for(5s);
  CHECK(b.link.state() == link_state::up);
  CHECK(asked == 3);
  // Forced offline is a wish, not a guess: nothing is sent.
  b.link.force(link_mode::offline);
  io.restart();
  io.run_for(20ms);
  CHECK(asked == 3);
}

TEST_CASE("the link may be read and fed from many threads", "[sync][link]") {
  fake_clock wall{std::chrono::sys_days{std::chrono::year{2024} / 2 / 29}};
  network_link link{wall};
  std::vector<std::thread> threads;
  std::atomic<int> downs{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        if (i % 3 == t % 3) link.failed(std::to_string(t * 1000 + i) + ".test", errc::connect_timeout);
        if (i % 50 == 0) link.succeeded("a.test");
        downs += link.state() == link_state::down ? 1 : 0;
      }
    });
  for (auto& thread : threads) thread.join();
  link.succeeded("a.test");
  CHECK(link.state() == link_state::up);
}
