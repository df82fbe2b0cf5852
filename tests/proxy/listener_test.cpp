#include "proxy/listener.hpp"

#include "tests/support/http_get.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <future>

using namespace cistern::proxy;
using namespace cistern::tests;
using namespace std::chrono_literals;
namespace net = boost::asio;

namespace {

/// Answers "hello"; for /wait it first waits as long as it is let, for /throw it fails.
struct hello final : request_handler {
  std::promise<void> waiting;

  bool answer_now(cistern::sync::head_view const&, connection&, outgoing&) override { return false; }

  net::awaitable<after> answer(cistern::sync::head_view const& head, connection& peer) override {
    std::string const target{head.target};
    if (target == "/throw") throw std::runtime_error{"on purpose"};
    if (target == "/wait") {
      waiting.set_value();
      net::steady_timer timer{co_await net::this_coro::executor, std::chrono::hours{1}};
      co_await timer.async_wait(net::use_awaitable);
    }
    if (target == "/soon") {
      waiting.set_value();
      net::steady_timer timer{co_await net::this_coro::executor, 200ms};
      co_await timer.async_wait(net::use_awaitable);
    }
    std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    text += target == "/from" && !peer.is_local() ? "a far" : "hello";
    co_await peer.write(text);
    co_return head.persistent() && !head.chunked && head.content_length.value_or(0) == 0 ? after::keep : after::close;
  }
};

listener_options loopback() {
  listener_options options;
  options.endpoint = {net::ip::address_v4::loopback(), 0};
  options.threads = 2;
  return options;
}

struct running {
  hello handler;
  listener server;
  explicit running(listener_options options = loopback()) : server{std::move(options)} { server.start(handler); }
  [[nodiscard]] std::uint16_t port() const { return server.endpoint().port(); }
};

unsigned status_of(std::string const& answer) {
  return answer.size() < 12 ? 0 : static_cast<unsigned>(std::stoul(answer.substr(9, 3)));
}

std::string const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace

TEST_CASE("several requests are answered on one connection, pipelined or not", "[proxy]") {
  running r;
  raw_connection const browser{r.port()};
  for (int i = 0; i < 3; ++i) {
    browser.send(get);
    CHECK(browser.read_until("hello").ends_with("hello"));
  }
  auto const both = raw_exchange(r.port(), get + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  CHECK(both.find("hello") != both.rfind("hello"));
}

TEST_CASE("a head that two parsers could read differently is refused", "[proxy]") {
  running r;
  auto const head = GENERATE(values<std::string>({
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "nonsense\r\n\r\n",
  }));
  INFO(head);
  CHECK(status_of(raw_exchange(r.port(), head)) == 400);
}

TEST_CASE("a client on this machine is known as one, whichever family the listener has", "[proxy]") {
  auto options = loopback();
  auto const text = GENERATE(as<std::string>{}, "127.0.0.1", "0.0.0.0", "::");
  INFO(text);
  options.endpoint = {net::ip::make_address(text), 0};
  running r{options};
  CHECK(raw_exchange(r.port(), "GET /from HTTP/1.0\r\n\r\n").ends_with("hello"));  // by 127.0.0.1
}

TEST_CASE("a head over the limit gets 431", "[proxy]") {
  auto options = loopback();
  options.session.header_limit = 2048;
  running r{options};
  auto const answer =
      raw_exchange(r.port(), "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  CHECK(status_of(answer) == 431);
}

TEST_CASE("a head that does not arrive in time gets 408 and ends the connection", "[proxy]") {
  auto options = loopback();
  options.session.header_timeout = 50ms;
  running r{options};
  auto const answer = raw_exchange(r.port(), "GET / HTTP/1.1\r\nHos");
  CHECK(status_of(answer) == 408);
  CHECK(answer.find("Connection: close\r\n") != std::string::npos);
}

TEST_CASE("a connection that asks for nothing is closed without a word", "[proxy]") {
  auto options = loopback();
  options.session.header_timeout = options.session.idle_timeout = 50ms;
  running r{options};
  CHECK(raw_exchange(r.port(), "").empty());
  auto const answer = raw_exchange(r.port(), get);
  CHECK(answer.ends_with("hello"));
}

TEST_CASE("a body that the handler did not read is not taken for the next request", "[proxy]") {
  running r;
  auto const answer = raw_exchange(
      r.port(), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 28\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n");
  CHECK(answer.find("hello") == answer.rfind("hello"));
}

TEST_CASE("one connection too many is told to come back, and served when another has gone", "[proxy]") {
  auto options = loopback();
  SECTION("in all") { options.max_connections = 2; }
  SECTION("from one client") { options.max_connections_per_client = 2; }
  running r{options};
  {
    raw_connection const one{r.port()}, two{r.port()};
    for (auto const* each : {&one, &two}) {
      each->send(get);
      each->read_until("hello");
    }
    CHECK(status_of(raw_exchange(r.port(), "")) == 503);
    CHECK(r.server.connections() == 2);
  }
  auto const until = std::chrono::steady_clock::now() + 10s;
  while (r.server.connections() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  CHECK(http_get(r.port()).status == 200);
}

TEST_CASE("a handler that fails costs its own connection only", "[proxy]") {
  running r;
  CHECK(raw_exchange(r.port(), "GET /throw HTTP/1.1\r\nHost: a\r\n\r\n").empty());
  CHECK(http_get(r.port()).body == "hello");
}

TEST_CASE("a second listener on the same port is told what is the matter", "[proxy]") {
  running r;
  auto options = loopback();
  options.endpoint = r.server.endpoint();
  CHECK_THROWS_WITH(listener{options}, Catch::Contains("is in use") && Catch::Contains("--listen"));
  CHECK(http_get(r.port()).status == 200);
}

TEST_CASE("an address of another machine is told apart from one in use", "[proxy]") {
  auto options = loopback();
  options.endpoint = {net::ip::make_address("192.0.2.1"), 8910};
  CHECK_THROWS_WITH(listener{options}, Catch::Contains("not an address of this machine"));
}

TEST_CASE("a stop ends idle connections at once", "[proxy]") {
  auto options = loopback();
  options.shutdown_grace = std::chrono::hours{1};
  running r{options};
  raw_connection const idle{r.port()};
  idle.send(get);
  idle.read_until("hello");
  auto stopped = std::async(std::launch::async, [&] { r.server.stop(); });
  REQUIRE(stopped.wait_for(10s) == std::future_status::ready);
  CHECK(idle.read_all().empty());
}

TEST_CASE("a stop lets an answer under way finish", "[proxy]") {
  running r;
  raw_connection const browser{r.port()};
  browser.send("GET /soon HTTP/1.1\r\nHost: a\r\n\r\n");
  r.handler.waiting.get_future().wait();
  r.server.stop();
  CHECK(browser.read_all().ends_with("hello"));
}

TEST_CASE("a stop cancels an answer that outlasts the grace", "[proxy]") {
  auto options = loopback();
  options.shutdown_grace = 20ms;
  running r{options};
  raw_connection const browser{r.port()};
  browser.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  r.handler.waiting.get_future().wait();
  auto stopped = std::async(std::launch::async, [&] { r.server.stop(); });
  REQUIRE(stopped.wait_for(10s) == std::future_status::ready);
  CHECK(browser.read_all().empty());
}

TEST_CASE("running out of file descriptors is survived", "[proxy]") {
  running r;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_cur, 128);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  int const room = ::dup(0);
  REQUIRE(room >= 0);
  std::vector<int> filling;  // nothing is asserted while all are in use: sanitisers need one to look at memory
  for (int copy = ::dup(0); copy >= 0; copy = ::dup(0)) filling.push_back(copy);

  ::close(room);  // for the browser's end of a connection and not for the server's
  raw_connection const browser{r.port()};
  browser.send(get);
  for (int const each : filling) ::close(each);
  CHECK(browser.read_until("hello").ends_with("hello"));
  CHECK(http_get(r.port()).status == 200);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("a watchdog hears of every thread that comes round", "[proxy]") {
  running r;
  CHECK(r.server.responsive());
  auto const until = std::chrono::steady_clock::now() + 10s;
  bool again = false;
  while (!again && std::chrono::steady_clock::now() < until) again = r.server.responsive();
  CHECK(again);
}
