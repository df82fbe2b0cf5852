// What becomes of a download when it breaks or the link under it goes: nothing that came is asked for twice.

#include "tests/sync/fetch_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>

#include <future>

using namespace fetch_test;
using tests::noise;
namespace net = boost::asio;

namespace {

std::string const tagged = "ETag: \"v1\"\r\n";

/// Runs what is ready until it is so.
template <class Condition>
void run_until(net::io_context& io, Condition so) {
  auto const until = std::chrono::steady_clock::now() + 10s;
  while (!so() && std::chrono::steady_clock::now() < until) {
    io.restart();
    io.run_one_for(10ms);
  }
  REQUIRE(so());
}

std::future<sync::fetch_outcome> begin(bench& b, std::string const& url) {
  auto what = bench::wish_for(url);
  what.finish = true;
  return net::co_spawn(b.io, sync::fetch_once(*b.fetching, *b.client, std::move(what)), net::use_future);
}

bool is_ready(std::future<sync::fetch_outcome> const& of) { return of.wait_for(0s) == std::future_status::ready; }

}  // namespace

TEST_CASE("who asks while a broken download is still being written goes on behind it", "[sync][resume]") {
  auto const body = noise(1, 1'000'000);
  fake_origin origin{[&](fake_exchange& x) {
    serve_file(x, {.body = body, .fields = tagged, .cut_after = x.request.connection == 1 ? 600'000u : SIZE_MAX});
  }};
  auto const url = origin.url();
  bench b;
  std::promise<void> disk;
  auto const slow =
      b.store->write([free = disk.get_future().share()](store::write_batch&) { free.wait(); }, net::use_future);
  auto const first = begin(b, url);
  run_until(b.io, [&] { return !origin.requests().empty() && !b.fetching->under_way(url); });
  CHECK_FALSE(is_ready(first));  // it broke, and waits for the disk
  auto second = begin(b, url);
  b.io.restart();
  b.io.poll();
  disk.set_value();
  run_until(b.io, [&] { return is_ready(first) && is_ready(second); });
  CHECK(second.get().how == sync::fetch_end::complete);
  auto const seen = origin.requests();
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].field("Range") == "bytes=600000-");
  CHECK((b.store.body_of(url) == body));
}

TEST_CASE("when the link goes all that had arrived is kept, read or not, and nobody waits for a dead connection",
          "[sync][resume]") {
  auto const body = noise(2, 1'000'000);
  std::atomic<bool> more{false}, delivered{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.connection > 1) return serve_file(x, {.body = body, .fields = tagged});
    auto const head = "HTTP/1.1 200 OK\r\n" + tagged + "Content-Length: 1000000\r\n\r\n";
    x.send(head + body.substr(0, 100'000));
    while (!more) std::this_thread::yield();
    x.send(std::string_view{body}.substr(100'000, 50'000));
    while (x.delivered() < head.size() + 150'000) std::this_thread::yield();
    delivered = true;
    x.stall();
  }};
  auto const url = origin.url();
  bench b;
  auto first = begin(b, url);
  auto const here = [&] {
    auto const under_way = b.fetching->under_way(url);
    return under_way && under_way->position() >= 80'000;  // the last piece is held back
  };
  run_until(b.io, here);
  more = true;
  while (!delivered) std::this_thread::yield();
  b.link.force(sync::link_mode::offline);
  b.fetching->abandon(*b.client);
  auto const began = std::chrono::steady_clock::now();
  run_until(b.io, [&] { return is_ready(first); });
  CHECK(std::chrono::steady_clock::now() - began < 5s);
  auto const out = first.get();
  CHECK(out.error == sync::errc::cancelled);
  CHECK(out.gained == 150'000);
  CHECK(b.partial_size(url) == 150'000);
  b.link.force(sync::link_mode::automatic);
  CHECK(b.attempt(url).how == sync::fetch_end::complete);
  CHECK(origin.requests().back().field("Range") == "bytes=150000-");
  CHECK((b.store.body_of(url) == body));
}

TEST_CASE("a body without a length is not taken for whole when the link goes", "[sync][resume]") {
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\n" + tagged + "\r\n" + std::string(50'000, 'x'));
    x.stall();
  }};
  auto const url = origin.url();
  bench b;
  auto first = begin(b, url);
  run_until(b.io, [&] { return b.fetching->under_way(url) && b.fetching->under_way(url)->position() > 0; });
  b.link.force(sync::link_mode::offline);
  b.fetching->abandon(*b.client);
  run_until(b.io, [&] { return is_ready(first); });
  CHECK(first.get().how != sync::fetch_end::complete);
  CHECK(b.store.body_of(url) == "(absent)");
}

TEST_CASE("a fetch that has no answer yet ends at once when the link goes", "[sync][resume]") {
  fake_origin origin{[](fake_exchange& x) { x.stall(); }};
  bench b;
  auto first = begin(b, origin.url());
  run_until(b.io, [&] { return !origin.requests().empty(); });
  b.link.force(sync::link_mode::offline);
  b.fetching->abandon(*b.client);
  run_until(b.io, [&] { return is_ready(first); });
  CHECK(first.get().error == sync::errc::cancelled);
}

TEST_CASE("what a stalled download has brought is on the disk before it goes on", "[sync][resume]") {
  auto const body = noise(5, 100'000);
  std::atomic<bool> more{false};
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\n" + tagged + "Content-Length: 100000\r\n\r\n" + body.substr(0, 40'000));
    while (!more) std::this_thread::yield();
    x.send(body.substr(40'000));
  }};
  auto const url = origin.url();
  bench b{{}, {.longest_unsaved = 20ms}};
  auto const first = begin(b, url);
  run_until(b.io, [&] { return b.partial_size(url) == 40'000; });
  more = true;
  run_until(b.io, [&] { return is_ready(first); });
  CHECK((b.store.body_of(url) == body));
}

TEST_CASE("a short body that only the connection's end ends is whole although its peer took its time", "[sync]") {
  std::atomic<bool> over{false};
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it");
    while (!over) std::this_thread::yield();
    x.end();
  }};
  auto const url = origin.url();
  bench b{{}, {.longest_unsaved = 20ms}};
  auto const first = begin(b, url);
  run_until(b.io, [&] { return b.partial_size(url) == 9; });
  over = true;
  run_until(b.io, [&] { return is_ready(first); });
  CHECK(b.store.body_of(url) == "all of it");
}
