#include "store/check.hpp"
#include "store/repository.hpp"
#include "tests/support/temp_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <thread>

using namespace cistern::store;
using namespace cistern::tests;

namespace {

std::string page(std::uint64_t i) { return "http://a.test/" + std::to_string(i); }

/// The body names its own seed, so that a reader can tell a torn one from a replaced one.
std::string self_describing(std::uint64_t seed) {
  std::string name;
  append_key(name, seed);
  return name + noise(seed, 1'000 + seed * 7'919 % 60'000);
}

}  // namespace

TEST_CASE("sixty-four readers see whole objects while the writer replaces and evicts them", "[store]") {
  temp_store store{8u << 20};
  constexpr std::uint64_t pages = 40;
  for (std::uint64_t i = 0; i < pages; ++i) store.put(page(i), self_describing(i));
  std::atomic<std::uint64_t> torn{0};
  std::atomic<std::uint64_t> read{0};
  std::vector<std::thread> readers;
  for (std::uint64_t r = 0; r < 64; ++r)
    readers.emplace_back([&, r] {
      for (std::uint64_t i = r; i < r + 7 * 60; i += 7) {
        auto const found = store->find(page(i % pages));
        if (!found || !*found) continue;
        auto const body = store->read_body(**found);
        if (!body) continue;  // replaced between the two calls: looked up again in life
        ++read;
        if (body->size() < 8 || *body != self_describing(key_number(*body))) ++torn;
        store->note_use(**found);
      }
    });
  std::vector<std::future<result<stored_object>>> puts;
  for (std::uint64_t i = pages; i < pages + 600; ++i)
    puts.push_back(store->put({.url = page(i % pages)}, self_describing(i), boost::asio::use_future));
  for (auto& r : readers) r.join();
  for (auto& p : puts) CHECK(p.get().has_value());
  CHECK(read > 0);
  CHECK(torn == 0);
  CHECK(integrity_check{*store}.run().value().clean());
}

TEST_CASE("what was acknowledged is seen at once by threads that have read before", "[store]") {
  temp_store store;
  constexpr int rounds = 200;
  constexpr int threads = 4;
  std::barrier<> step{threads + 1};
  std::atomic<int> stale{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < threads; ++t)
    readers.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        static_cast<void>(store->find("http://a.test/"));  // may or may not be the new one
        step.arrive_and_wait();                            // acknowledged
        stale += store.body_of("http://a.test/") != std::to_string(round);
        step.arrive_and_wait();
      }
    });
  for (int round = 0; round < rounds; ++round) {
    store.put("http://a.test/", std::to_string(round));
    step.arrive_and_wait();
    step.arrive_and_wait();
  }
  for (auto& reader : readers) reader.join();
  CHECK(stale == 0);
}

TEST_CASE("a write is awaited by a coroutine and completes on its own thread, durable", "[store]") {
  temp_store store;
  boost::asio::io_context io;
  std::thread::id completed_on;
  auto work = [](temp_store& s, std::thread::id& on) -> boost::asio::awaitable<void> {
    auto head = object_head{.url = "http://a.test/"};
    auto const stored = co_await s->put(std::move(head), "hello", boost::asio::use_awaitable);
    CHECK(stored.has_value());
    on = std::this_thread::get_id();
  };
  boost::asio::co_spawn(io, work(store, completed_on), [](std::exception_ptr e) {
    if (e) std::rethrow_exception(e);
  });
  io.run_for(std::chrono::seconds{10});
  CHECK(completed_on == std::this_thread::get_id());
  CHECK(store.body_of("http://a.test/") == "hello");
}

TEST_CASE("many callers share one commit", "[store]") {
  temp_store store;
  auto const before = store->measure().value().commits;
  std::vector<std::future<result<stored_object>>> waiting;
  for (std::uint64_t i = 0; i < 500; ++i)
    waiting.push_back(store->put({.url = page(i)}, noise(i, 2'000), boost::asio::use_future));
  for (auto& w : waiting) CHECK(w.get().has_value());
  CHECK(store->measure().value().commits - before < 100);
}
