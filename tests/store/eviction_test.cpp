#include "store/check.hpp"
#include "store/errc.hpp"
#include "store/lending.hpp"
#include "store/repository.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <deque>
#include <future>
#include <thread>

using namespace cistern::store;
using namespace cistern::tests;

namespace {

constexpr std::uint64_t mib = 1u << 20;

std::string page(int i) { return "http://a.test/" + std::to_string(i); }

/// Many callers at once, as in life: group commit works on what waits.
void put_many(temp_store& store, int from, int to, std::size_t size, object_head const& like = {}) {
  std::deque<std::future<result<stored_object>>> waiting;
  for (int i = from; i < to; ++i) {
    auto head = like;
    head.url = page(i);
    waiting.push_back(store->put(head, noise(static_cast<std::uint64_t>(i), size), boost::asio::use_future));
    if (waiting.size() < 64) continue;
    waiting.front().get().value();
    waiting.pop_front();
  }
  for (auto& w : waiting) w.get().value();
}

check_report checked(temp_store& store) { return integrity_check{*store}.run().value(); }

}  // namespace

TEST_CASE("the quota holds however much is written, and the file stays near what lives", "[store][slow]") {
  constexpr auto quota = 24 * mib;
  temp_store store{quota};
  auto const size = GENERATE(std::size_t{10'000}, 100'000);
  put_many(store, 0, static_cast<int>(10 * quota / size), size);
  auto const now = store->measure().value();
  CAPTURE(now.used_bytes, now.file_bytes, now.body_bytes, now.evicted);
  CHECK(now.used_bytes <= quota);
  CHECK(now.evicted > 0);
  CHECK(static_cast<double>(now.file_bytes) < 1.5 * static_cast<double>(now.body_bytes));
  CHECK(checked(store).clean());
}

TEST_CASE("what is pinned or needed by a subscription is never evicted", "[store]") {
  constexpr auto quota = 8 * mib;
  temp_store store{quota};
  put_many(store, 0, 20, 50'000, {.keep = retention::pinned});
  put_many(store, 20, 40, 50'000, {.keep = retention::needed});
  put_many(store, 1000, 1600, 50'000);
  for (int i = 0; i < 40; ++i) CHECK(store.body_of(page(i)) == noise(static_cast<std::uint64_t>(i), 50'000));
}

TEST_CASE("what was asked for often outlives what was not, all else being equal", "[store]") {
  constexpr auto quota = 8 * mib;
  temp_store store{quota};
  put_many(store, 0, 40, 50'000);
  for (int i = 0; i < 20; ++i) {
    auto const found = store->find(page(i)).value();
    for (int asked = 0; asked < 30; ++asked) store->note_use(*found);
  }
  store.close();  // uses are written from time to time, and when it closes
  store.open(quota);
  put_many(store, 1000, 1300, 50'000);
  int used = 0, unused = 0;
  for (int i = 0; i < 40; ++i) (i < 20 ? used : unused) += store.body_of(page(i)) != "(absent)";
  CHECK(used == 20);
  CHECK(unused == 0);
}

TEST_CASE("small and much used objects outlive large unused ones", "[store]") {
  constexpr auto quota = 16 * mib;
  temp_store store{quota};
  put_many(store, 0, 50, 4'000, {.kind = object_kind::page});
  put_many(store, 100, 106, mib, {.kind = object_kind::enclosure});
  put_many(store, 200, 212, mib, {.kind = object_kind::enclosure});
  for (int i = 0; i < 50; ++i) CHECK(store.body_of(page(i)) != "(absent)");
  CHECK(store.body_of(page(100)) == "(absent)");
}

TEST_CASE("when nothing may be evicted a body is refused, small facts still go in, and all is served", "[store]") {
  constexpr auto quota = 8 * mib;
  temp_store store{quota};
  put_many(store, 0, 70, 100'000, {.keep = retention::pinned});
  auto const refused = store->put({.url = page(999)}, noise(9, 2 * mib), boost::asio::use_future).get();
  CHECK(refused.error() == errc::store_full);
  CHECK(store->measure().value().failure == errc::store_full);
  CHECK(store.write([](write_batch& b) { return b.enqueue({.url = "http://a.test/"}); }) > 0);
  CHECK(store.body_of(page(3)) == noise(3, 100'000));
}

TEST_CASE("a reader at one byte a time keeps its body, and the file does not grow for it", "[store]") {
  constexpr auto quota = 16 * mib;
  temp_store store{quota};
  auto const body = noise(77, 200'000);
  auto const slow = store.put("http://a.test/slow", body);
  auto const reader = store->open_body(slow).value();
  body_lender lender{reader};
  bool const lent = GENERATE(false, true);
  put_many(store, 0, 1'000, 20'000);
  std::string got;
  for (int round = 1; round <= 10; ++round) {
    put_many(store, round * 10'000, round * 10'000 + 100, 20'000);
    store.write([&](write_batch& b) { return b.erase_url("http://a.test/slow"); });
    char byte = 0;
    auto const take_one = [&](body_lender::pieces given) {
      byte = given.front().front();
      return std::size_t{1};
    };
    auto const count = lent ? lender.lend(got.size(), 100'000, take_one) : reader.read(got.size(), std::span{&byte, 1});
    REQUIRE(count.value() == 1);
    got += byte;
  }
  auto const now = store->measure().value();
  CHECK(now.evicted >= 1'000);
  CHECK(now.file_bytes < quota + quota / 4);
  CHECK(store.body_of("http://a.test/slow") == "(absent)");
  CHECK(got == body.substr(0, 10));
  std::string rest(body.size(), '\0');
  CHECK(reader.read(0, rest).value() == body.size());
  CHECK(rest == body);
}

TEST_CASE("threads that read once and then sleep keep no space from being used again", "[store]") {
  constexpr auto quota = 16 * mib;
  temp_store store{quota};
  store.put({.url = "http://a.test/kept", .keep = retention::pinned}, "kept");
  put_many(store, 0, 500, 20'000);
  std::barrier<> both{9};
  std::atomic<int> right{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 8; ++i)
    sleepers.emplace_back([&] {
      right += store.body_of("http://a.test/kept") == "kept";
      both.arrive_and_wait();
      both.arrive_and_wait();  // meanwhile everything else is replaced
      right += store.body_of("http://a.test/kept") == "kept";
    });
  both.arrive_and_wait();
  put_many(store, 1'000, 5'000, 20'000);
  auto const now = store->measure().value();
  both.arrive_and_wait();
  for (auto& sleeper : sleepers) sleeper.join();
  CHECK(right == 16);
  CHECK(now.evicted > 3'000);
  CHECK(now.file_bytes < quota + quota / 4);
}

TEST_CASE("where nobody searches, nothing is kept for a search index", "[store]") {
  temp_store store;
  object_head head{.url = "http://a.test/"};
  head.headers.add("Content-Type", "text/html");
  store.put(head, "unmarked");
  CHECK(store->measure().value().search_marks == 0);
  store.write([&](write_batch& b) {
    b.put(setting{.name = std::string{search_state_name}, .value = "begun"});
    return b.put_object(head, "marked in the transaction that began it");
  });
  CHECK(store->measure().value().search_marks == 1);
  head.url = "http://a.test/other";
  store.put(head, "marked");
  CHECK(store->measure().value().search_marks == 2);
  store.write([](write_batch& b) { return b.erase<setting>(search_state_name); });
  head.url = "http://a.test/third";
  store.put(head, "unmarked again");
  CHECK(store->measure().value().search_marks == 2);
}

TEST_CASE("a body that was deleted while it was read is gone after its last reader", "[store]") {
  temp_store store;
  auto const object = store.put("http://a.test/x", noise(1, 500'000));
  {
    auto const reader = store->open_body(object).value();
    store.write([&](write_batch& b) { return b.erase_url("http://a.test/x"); });
    CHECK(checked(store).chunks > 0);
  }
  store.write([](write_batch&) { return true; });
  store.open();  // closing waits for the chores, opening reaps what a crash left
  CHECK(checked(store).chunks == 0);
  CHECK(checked(store).clean());
}
