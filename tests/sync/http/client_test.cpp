#include "tests/sync/http/client_fixture.hpp"

#include "sync/http/address_class.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <future>

using namespace client_test;
using namespace std::chrono_literals;

namespace {

fake_origin::script sends(std::string raw) {
  return [raw = std::move(raw)](fake_exchange& x) {
    x.send(raw);
    x.end();
  };
}

body_source from_string(std::string text, bool sized) {
  auto const rest = std::make_shared<std::string>(std::move(text));
  body_source out;
  if (sized) out.length = rest->size();
  out.read = [rest](std::span<char> into) -> net::awaitable<result<std::size_t>> {
    auto const n = std::min({into.size(), rest->size(), std::size_t{100'000}});
    std::copy_n(rest->data(), n, into.data());
    rest->erase(0, n);
    co_return n;
  };
  return out;
}

}  // namespace

TEST_CASE("a page is fetched with its fields in order and byte for byte", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "X-b: 1\r\nx-A:  2 \r\nX-b: 3\r\n", "hello"); }};
  bench b;
  auto what = to(origin.url("/a?b=c"));
  what.fields.add("Accept", "text/html");
  what.fields.add("Connection", "close, x");
  what.fields.add("Content-Length", "99");
  auto const got = b.run(std::move(what));
  CHECK_FALSE(got.error);
  CHECK(got.status == 200);
  CHECK(got.wire_fields == "X-b: 1\r\nx-A:  2 \r\nX-b: 3\r\nContent-Length: 5\r\n");
  CHECK(got.body == "hello");
  CHECK(got.complete == completeness::whole);

  auto const seen = origin.requests().at(0);
  CHECK(seen.head ==
        "GET /a?b=c HTTP/1.1\r\nHost: localhost:" + std::to_string(origin.port()) + "\r\nAccept: text/html\r\n");
}

TEST_CASE("what crossed the wire is counted to the byte", "[sync][http]") {
  fake_origin origin{
      [](fake_exchange& x) { x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"); }};
  bench b;
  auto const got = b.get(origin.url());
  CHECK(got.body == "abc");
  CHECK(got.received == 47 + 8 + 5);
  CHECK(got.sent == origin.requests().at(0).head.size() + 2);
  CHECK(b.client.total().received == got.received);
}

TEST_CASE("a connection is used again, and only after a whole answer", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.target == "/close") {
      x.answer(200, "Connection: close\r\n", "bye");
      x.end();
    } else {
      x.answer(x.request.target == "/none" ? 204 : 200, "", x.request.target == "/none" ? "" : "text");
    }
  }};
  bench b;
  CHECK(b.get(origin.url()).body == "text");
  CHECK(b.get(origin.url("/none")).status == 204);
  auto head = to(origin.url());
  head.method = "HEAD";
  CHECK(b.run(std::move(head)).body.empty());
  CHECK(b.get(origin.url("/close")).body == "bye");
  CHECK(origin.connections() == 1);
  CHECK(b.get(origin.url()).body == "text");
  CHECK(origin.connections() == 2);

  // Given up half-way: the rest of that answer must not become the next one's.
  auto const half = [](http_client& client, std::string url) -> net::awaitable<bool> {
    auto answer = co_await client.open(to(url));
    char c{};
    auto const got = co_await answer->read_some({&c, 1});
    co_return got&&* got == 1;
  };
  CHECK(run_task(b.io, half(b.client, origin.url())));
  CHECK(b.get(origin.url()).body == "text");
  CHECK(origin.connections() == 3);
}

TEST_CASE("a pooled connection that died costs one silent retry", "[sync][http]") {
  std::atomic<int> count{0};
  std::promise<void> closed;
  fake_origin origin{[&](fake_exchange& x) {
    // The second request on the first connection is read and then dropped.
    if (x.request.connection == 1 && ++count == 2) {
      x.end();
    } else {
      x.answer(200, "", "ok");
    }
  }};
  bench b;
  CHECK(b.get(origin.url()).body == "ok");
  SECTION("for a GET") {
    CHECK(b.get(origin.url()).body == "ok");
    CHECK(origin.connections() == 2);
  }
  SECTION("but not for a POST, which might be done twice") {
    auto post = to(origin.url());
    post.method = "POST";
    CHECK(kind_of(b.run(std::move(post)).error) == errc::truncated);
    CHECK(origin.connections() == 1);
  }
}

TEST_CASE("interim answers are told to who wants to know, and are not the answer", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
    x.answer(200, "", "final");
  }};
  bench b;
  CHECK(b.get(origin.url()).body == "final");
  std::string heard;
  auto what = to(origin.url());
  what.options.interim = [&](unsigned status, cistern::store::header_block fields) -> boost::asio::awaitable<void> {
    heard += std::to_string(status) + " " + std::string{fields.wire()};
    co_return;
  };
  CHECK(b.run(std::move(what)).body == "final");
  CHECK(heard == "103 Link: </a>\r\n");
}

TEST_CASE("a body without a length ends by close and says so", "[sync][http]") {
  fake_origin origin{sends("HTTP/1.0 200 OK\r\n\r\nall of it?")};
  bench b;
  auto const got = b.get(origin.url());
  CHECK_FALSE(got.error);
  CHECK(got.body == "all of it?");
  CHECK(got.complete == completeness::by_close);
}

TEST_CASE("a transfer cut short is never taken for a whole one", "[sync][http]") {
  auto const raw = GENERATE(as<std::string>{}, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello");
  fake_origin origin{sends(raw)};
  bench b;
  auto const got = b.get(origin.url());
  CHECK(kind_of(got.error) == errc::truncated);
  CHECK(got.body == "hello");
  CHECK(got.complete == completeness::partial);
}

TEST_CASE("an answer that cannot be framed is refused", "[sync][http]") {
  auto const raw =
      GENERATE(as<std::string>{}, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
               "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
               "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
               "HTTP/1.1 101 Switching Protocols\r\n\r\n");
  INFO(raw);
  fake_origin origin{sends(raw)};
  bench b;
  CHECK(kind_of(b.get(origin.url()).error) == errc::bad_framing);
}

TEST_CASE("a head without an end is given up at the limit", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\n");
    while (x.send("X-Filler: " + std::string(1000, 'x') + "\r\n")) {
    }
  }};
  bench b;
  auto const got = b.get(origin.url());
  CHECK(kind_of(got.error) == errc::too_large);
  CHECK(got.received < 200'000);
}

TEST_CASE("the error says in which phase an exchange failed", "[sync][http]") {
  bench b;
  SECTION("nobody listens") {
    fake_origin gone{[](fake_exchange&) {}};
    gone.stop();
    auto const got = b.get(gone.url());
    CHECK(got.error == errc::refused);
    CHECK_FALSE(is_link_trouble(got.error));
  }
  SECTION("it accepts and never answers") {
    fake_origin origin{[](fake_exchange& x) { x.stall(); }};
    auto what = to(origin.url());
    what.options.limits.first_byte = 50ms;
    auto const got = b.run(std::move(what));
    CHECK(got.error == errc::first_byte_timeout);
    CHECK(is_link_trouble(got.error));
  }
  SECTION("it stalls in the body") {
    fake_origin origin{[](fake_exchange& x) {
      x.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
      x.stall();
    }};
    auto what = to(origin.url());
    what.options.limits.between_bytes = 50ms;
    auto const got = b.run(std::move(what));
    CHECK(got.error == errc::stalled);
    CHECK(got.body == "hello");
    CHECK(got.complete == completeness::partial);
  }
  SECTION("it takes longer than allowed in all") {
    fake_origin origin{[](fake_exchange& x) { x.stall(); }};
    auto what = to(origin.url());
    what.options.limits.whole = 50ms;
    CHECK(b.run(std::move(what)).error == errc::too_slow);
  }
  SECTION("it breaks the connection") {
    fake_origin origin{[](fake_exchange& x) {
      x.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
      x.reset();
    }};
    auto const kind = kind_of(b.get(origin.url()).error);
    CHECK((kind == errc::reset || kind == errc::truncated));
  }
  SECTION("the TLS peer is mute") {
    fake_origin origin{[](fake_exchange&) {}};
    origin.deaf = true;
    auto what = to("https://localhost:" + std::to_string(origin.port()) + "/");
    what.options.limits.tls = 50ms;
    CHECK(b.run(std::move(what)).error == errc::connect_timeout);
  }
  SECTION("the request would break out of its line") {
    auto what = to("http://localhost:1/");
    what.target = "/ HTTP/1.1\r\nX: y";
    CHECK(b.run(std::move(what)).error == errc::bad_url);
  }
}

TEST_CASE("a dripping answer is put together", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) {
    x.drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: t\r\n\r\n");
  }};
  bench b;
  CHECK(b.run(to(origin.url()), 1).body == "hello world");
  CHECK(b.run(to(origin.url()), 3).body == "hello world");
  CHECK(origin.connections() == 1);
}

TEST_CASE("a request body is streamed with its length or in chunks", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(201, "", x.request.body); }};
  bench b;
  auto what = to(origin.url());
  what.method = "POST";
  SECTION("with its length") {
    std::string const big(300'000, 'q');
    what.body = from_string(big, true);
    CHECK(b.run(std::move(what)).body == big);
    CHECK(origin.requests().at(0).field("content-length") == "300000");
  }
  SECTION("in chunks") {
    what.body = from_string("some text", false);
    CHECK(b.run(std::move(what)).body == "9\r\nsome text\r\n0\r\n\r\n");
  }
  SECTION("a source that ends too early ends the exchange") {
    what.body = from_string("short", true);
    what.body.length = 100;
    CHECK(b.run(std::move(what)).error == errc::truncated);
  }
  SECTION("a source's own error is what the caller gets") {
    what.body.read = [](std::span<char>) -> net::awaitable<result<std::size_t>> { co_return errc::cancelled; };
    CHECK(b.run(std::move(what)).error == errc::cancelled);
  }
  SECTION("an empty POST says so") {
    b.run(std::move(what));
    CHECK(origin.requests().at(0).field("content-length") == "0");
  }
}

TEST_CASE("a large body passes in pieces", "[sync][http]") {
  constexpr std::size_t size = 64 << 20;
  fake_origin origin{[](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    std::string const piece(1 << 20, 'z');
    for (std::size_t i = 0; i < size; i += piece.size()) x.send(piece);
  }};
  bench b;
  auto const count = [](http_client& client, std::string url) -> net::awaitable<std::size_t> {
    auto answer = co_await client.open(to(url));
    std::vector<char> buffer(65536);
    std::size_t total = 0;
    for (;;) {
      auto const got = co_await answer->read_some(buffer);
      if (!got || *got == 0) break;
      total += *got;
    }
    co_return answer->complete() == completeness::whole ? total : 0;
  };
  CHECK(run_task(b.io, count(b.client, origin.url())) == size);
}

TEST_CASE("private addresses can be refused after the name was resolved", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "inside"); }};
  bench b;
  auto what = to(origin.url());
  what.options.allow_address = is_public;
  CHECK(b.run(std::move(what)).error == errc::forbidden_address);
  CHECK(origin.connections() == 0);

  // Nor by way of a connection that somebody else was allowed to open.
  CHECK(b.get(origin.url()).body == "inside");
  auto again = to(origin.url());
  again.options.allow_address = is_public;
  CHECK(b.run(std::move(again)).error == errc::forbidden_address);
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("addresses of this machine and of private networks are not public", "[sync][http]") {
  auto const [text, expected] = GENERATE(table<char const*, bool>({
      {"93.184.216.34", true},
      {"2606:2800:220:1::1", true},
      {"127.0.0.1", false},
      {"10.1.2.3", false},
      {"172.31.255.255", false},
      {"172.32.0.1", true},
      {"192.168.1.1", false},
      {"169.254.169.254", false},
      {"100.64.0.1", false},
      {"0.0.0.0", false},
      {"255.255.255.255", false},
      {"224.0.0.1", false},
      {"::1", false},
      {"::", false},
      {"fe80::1", false},
      {"fd00::1", false},
      {"ff02::1", false},
      {"::ffff:127.0.0.1", false},
      {"::ffff:8.8.8.8", true},
      {"64:ff9b::7f00:1", false},
      {"2002:7f00:1::", false},
      {"2001:db8::1", false},
  }));
  INFO(text);
  CHECK(is_public(net::ip::make_address(text)) == expected);
}

TEST_CASE("a cancelled fetch ends its connection at once", "[sync][http]") {
  std::promise<void> asked, gone;
  fake_origin origin{[&](fake_exchange& x) {
    asked.set_value();
    x.stall();  // returns when the client hangs up
    gone.set_value();
  }};
  bench b;
  auto const race = [](bench& on, std::string url) -> net::awaitable<std::size_t> {
    using namespace net::experimental::awaitable_operators;
    net::steady_timer timer{co_await net::this_coro::executor, 100ms};
    auto winner = co_await (fetch_all(on.client, to(url)) || timer.async_wait(net::use_awaitable));
    co_return winner.index();
  };
  CHECK(run_task(b.io, race(b, origin.url())) == 1);
  CHECK(asked.get_future().wait_for(5s) == std::future_status::ready);
  CHECK(gone.get_future().wait_for(5s) == std::future_status::ready);
}

TEST_CASE("no more connections than allowed are open to one origin, and the rest wait in line", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "ok"); }};
  client_options options;
  options.pool.active_per_origin = 2;
  bench b{options};
  auto const many = [](bench& on, std::string url) -> net::awaitable<int> {
    auto const left = std::make_shared<int>(20);
    auto const good = std::make_shared<int>(0);
    net::steady_timer all{co_await net::this_coro::executor, 10s};
    for (int i = 0; i < 20; ++i) {
      net::co_spawn(on.io, fetch_all(on.client, to(url)), [&all, left, good](std::exception_ptr, fetched f) {
        *good += f.body == "ok" ? 1 : 0;
        if (--*left == 0) all.cancel();
      });
    }
    co_await all.async_wait(net::as_tuple(net::use_awaitable));
    co_return *good;
  };
  CHECK(run_task(b.io, many(b, origin.url())) == 20);
  CHECK(origin.connections() <= 2);

  // And a wait that is too long is an error of its own.
  fake_origin slow{[](fake_exchange& x) { x.stall(); }};
  auto const held = [](bench& on, std::string url) -> net::awaitable<boost::system::error_code> {
    for (int i = 0; i < 2; ++i) net::co_spawn(on.io, fetch_all(on.client, to(url)), [](std::exception_ptr, fetched) {});
    auto third = to(url);
    third.options.limits.queue = 20ms;
    auto const got = co_await fetch_all(on.client, std::move(third));
    co_return got.error;
  };
  CHECK(run_task(b.io, held(b, slow.url())) == errc::too_busy);
}

TEST_CASE("connections at rest are few, do not rest for long, and can be dropped", "[sync][http]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "ok"); }};
  client_options options;
  bool drop = false;
  SECTION("none is kept when none may rest") { options.pool.idle = 0; }
  SECTION("none is used past its time") { options.pool.idle_time = 0s; }
  SECTION("all are dropped when the network changed") { drop = true; }
  bench b{options};
  CHECK(b.get(origin.url()).body == "ok");
  if (drop) b.client.drop_idle();
  CHECK(b.get(origin.url()).body == "ok");
  CHECK(origin.connections() == 2);
}

TEST_CASE("a request that cannot be sent twice takes no connection that has rested", "[sync][http]") {
  struct row {
    char const* method;
    bool body;
    int connections;
  };
  auto const r = GENERATE(values<row>({{"GET", false, 1},
                                       {"DELETE", false, 1},
                                       {"POST", false, 2},  // not idempotent (RFC 9110 9.2.2)
                                       {"PATCH", true, 2},
                                       {"PUT", true, 2}}));  // idempotent, but its body is sent and gone
  INFO(r.method);
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "ok"); }};
  client_options options;
  options.pool.idle_time_once = 0s;
  bench b{options};
  CHECK(b.get(origin.url()).body == "ok");
  auto what = to(origin.url());
  what.method = r.method;
  if (r.body) what.body = from_string("text", true);
  CHECK(b.run(std::move(what)).body == "ok");
  CHECK(origin.connections() == r.connections);
}

TEST_CASE("an answer given before the request was read whole still counts", "[sync][http]") {
  // A bare socket: fake_origin reads a whole request before its script runs.
  net::io_context other{1};
  net::ip::tcp::acceptor listener{other, {net::ip::address_v4::loopback(), 0}};
  std::thread server{[&] {
    auto socket = listener.accept();
    char first[1000];
    socket.read_some(net::buffer(first));
    net::write(socket, net::buffer(std::string_view{"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"}));
    socket.shutdown(net::ip::tcp::socket::shutdown_send);
    boost::system::error_code ended;
    while (!ended) socket.read_some(net::buffer(first), ended);
  }};
  bench b;
  auto what = to("http://localhost:" + std::to_string(listener.local_endpoint().port()) + "/");
  what.method = "PUT";
  what.body = from_string(std::string(1 << 20, 'u'), true);
  auto const got = b.run(std::move(what));
  CHECK(got.status == 413);
  CHECK(got.body == "no");
  b.client.drop_idle();
  server.join();
}
