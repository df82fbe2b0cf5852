#include "sync/http/resolver.hpp"

#include "sync/errc.hpp"
#include "tests/support/run_task.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <optional>

using namespace cistern::sync;
using namespace std::chrono_literals;
namespace net = boost::asio;

namespace {

using answer = result<resolver::addresses>;

struct lookup_run {
  boost::system::error_code error;
  std::vector<std::string> addresses;
};

net::awaitable<lookup_run> ask(resolver& names, std::string host, std::chrono::milliseconds limit = 5s) {
  auto const got = co_await names.resolve(host, limit);
  lookup_run out;
  if (!got) out.error = got.error();
  if (got)
    for (auto const& a : *got) out.addresses.push_back(a.to_string());
  co_return out;
}

answer one(char const* address) { return resolver::addresses{net::ip::make_address(address)}; }

}  // namespace

TEST_CASE("a name is looked up once and remembered", "[sync][resolver]") {
  std::atomic<int> calls{0};
  resolver names{{}, [&](std::string const&) {
                   ++calls;
                   return one("192.0.2.7");
                 }};
  net::io_context io{1};
  CHECK(run_task(io, ask(names, "a.test")).addresses == std::vector<std::string>{"192.0.2.7"});
  CHECK(run_task(io, ask(names, "a.test")).addresses.size() == 1);
  CHECK(calls == 1);
  names.forget_all();
  run_task(io, ask(names, "a.test"));
  CHECK(calls == 2);
}

TEST_CASE("literals and localhost need no look-up", "[sync][resolver]") {
  resolver names{{}, [](std::string const&) -> answer { return errc::dns_unreachable; }};
  net::io_context io{1};
  CHECK(run_task(io, ask(names, "192.0.2.1")).addresses == std::vector<std::string>{"192.0.2.1"});
  CHECK(run_task(io, ask(names, "2001:db8::1")).addresses == std::vector<std::string>{"2001:db8::1"});
  CHECK(run_task(io, ask(names, "localhost")).addresses.front() == "127.0.0.1");
  CHECK(run_task(io, ask(names, "a.b.localhost")).addresses.front() == "127.0.0.1");
}

TEST_CASE("a missing name is remembered until the link comes back; a dead server is not", "[sync][resolver]") {
  std::atomic<int> calls{0};
  std::atomic<bool> exists{false};
  resolver names{{}, [&](std::string const& host) -> answer {
                   ++calls;
                   if (host == "dead.test") return errc::dns_unreachable;
                   if (!exists) return errc::name_not_found;
                   return one("192.0.2.7");
                 }};
  net::io_context io{1};
  CHECK(run_task(io, ask(names, "a.test")).error == errc::name_not_found);
  exists = true;
  CHECK(run_task(io, ask(names, "a.test")).error == errc::name_not_found);
  CHECK(calls == 1);
  names.forget_failures();
  CHECK(run_task(io, ask(names, "a.test")).addresses.size() == 1);
  CHECK(run_task(io, ask(names, "dead.test")).error == errc::dns_unreachable);
  CHECK(run_task(io, ask(names, "dead.test")).error == errc::dns_unreachable);
  CHECK(calls == 4);
}

TEST_CASE("a look-up that hangs holds neither its caller nor the end of the program", "[sync][resolver]") {
  // Kept outside: the hanging threads outlive the resolver.
  static std::promise<void> release;
  static std::shared_future<void> const released = release.get_future().share();
  static std::atomic<int> ended{0};
  {
    resolver names{{.max_lookups = 1, .max_waiting = 1}, [](std::string const&) -> answer {
                     released.wait();
                     ++ended;
                     return errc::name_not_found;
                   }};
    net::io_context io{1};
    CHECK(run_task(io, ask(names, "hangs.test", 30ms)).error == errc::dns_timeout);
    CHECK(run_task(io, ask(names, "waits.test", 30ms)).error == errc::dns_timeout);
    // No more threads and no longer queue than allowed: this one is told at once.
    CHECK(run_task(io, ask(names, "refused.test", 1h)).error == errc::dns_timeout);
  }
  CHECK(ended == 0);
  release.set_value();
  while (ended == 0) std::this_thread::yield();
}

TEST_CASE("two callers of one name share the look-up", "[sync][resolver]") {
  std::atomic<int> calls{0};
  std::promise<void> go;
  auto const gone = go.get_future().share();
  resolver names{{}, [&, gone](std::string const&) {
                   ++calls;
                   gone.wait();
                   return one("192.0.2.7");
                 }};
  net::io_context io{1};
  int answered = 0;
  for (int i = 0; i < 3; ++i)
    net::co_spawn(io, ask(names, "a.test"), [&](std::exception_ptr, lookup_run r) {
      if (r.addresses.size() == 1 && ++answered == 3) io.stop();
    });
  io.poll();
  go.set_value();
  io.restart();
  io.run_for(5s);
  CHECK(answered == 3);
  CHECK(calls == 1);
}

TEST_CASE("an io_context may be destroyed while its look-up is under way", "[sync][resolver]") {
  std::promise<void> go;
  auto const gone = go.get_future().share();
  std::promise<void> done;
  resolver names{{}, [&, gone](std::string const& host) {
                   if (host == "second.test") done.set_value();
                   gone.wait();
                   return one("192.0.2.7");
                 }};
  {
    net::io_context io{1};
    net::co_spawn(io, ask(names, "a.test"), [](std::exception_ptr, lookup_run) {});
    io.poll();
  }
  go.set_value();
  net::io_context io{1};
  CHECK(run_task(io, ask(names, "second.test")).addresses.size() == 1);
  done.get_future().wait();
}
