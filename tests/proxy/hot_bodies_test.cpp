#include "proxy/hot_bodies.hpp"

#include "tests/support/flip_byte.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace cistern;
using namespace cistern::tests;
using proxy::hot_bodies;

namespace {

store::stored_object put(temp_store& store, int number, std::size_t size) {
  return store.put("http://a.test/" + std::to_string(number), noise(static_cast<std::uint64_t>(number), size));
}

}  // namespace

TEST_CASE("a body becomes hot when it is asked for again, and is what was stored", "[proxy]") {
  temp_store store;
  hot_bodies hot{1 << 20};
  auto const object = put(store, 1, 100'000);
  CHECK_FALSE(hot.find(*store, object));
  auto const bytes = hot.find(*store, object);
  REQUIRE(bytes);
  CHECK(*bytes == noise(1, 100'000));
  CHECK(hot.find(*store, object) == bytes);
}

TEST_CASE("hot bodies never take more memory than they may", "[proxy]") {
  temp_store store;
  hot_bodies hot{1 << 20};
  for (int i = 0; i < 40; ++i) {
    auto const object = put(store, i, 90'000);
    for (int asked = 0; asked < 100; ++asked) static_cast<void>(hot.find(*store, object));
    CHECK(hot.find(*store, object));
    CHECK(hot.size() <= 1 << 20);
  }
  CHECK(hot.size() > 900'000);
  auto const too_long = put(store, 50, 1'100'000);
  for (int asked = 0; asked < 100; ++asked) CHECK_FALSE(hot.find(*store, too_long));
}

TEST_CASE("bodies that slow clients still hold count, and are left to them", "[proxy]") {
  temp_store store;
  hot_bodies hot{1 << 20};
  std::vector<std::shared_ptr<std::string const>> on_their_way;
  for (int i = 0; i < 40; ++i) {
    auto const object = put(store, i, 90'000);
    for (int asked = 0; asked < 100; ++asked)
      if (auto bytes = hot.find(*store, object); bytes && asked == 99) on_their_way.push_back(std::move(bytes));
    CHECK(hot.size() <= 1 << 20);
  }
  CHECK(on_their_way.size() == (1 << 20) / 90'000);
  CHECK(*on_their_way.front() == noise(0, 90'000));
  on_their_way.clear();
  auto const next = put(store, 100, 90'000);
  for (int asked = 0; asked < 100; ++asked) static_cast<void>(hot.find(*store, next));
  CHECK(hot.find(*store, next));
}

TEST_CASE("a walk through more bodies than fit leaves the hot ones", "[proxy]") {
  temp_store store;
  hot_bodies hot{1 << 20};
  auto const favourite = put(store, 0, 100'000);
  std::vector<store::stored_object> others;
  for (int i = 1; i <= 60; ++i) others.push_back(put(store, i, 100'000));
  for (int asked = 0; asked < 50; ++asked) static_cast<void>(hot.find(*store, favourite));
  for (std::size_t asked = 0; asked < 5 * others.size(); ++asked) {
    static_cast<void>(hot.find(*store, others[asked % others.size()]));
    if (asked % 4 == 0) CHECK(hot.find(*store, favourite));
  }
}

TEST_CASE("a damaged body does not become hot", "[proxy]") {
  temp_store store;
  auto const body = noise(3, 100'000);
  store.put("http://a.test/", body);
  store.close();
  flip_byte(store.path() / "data.mdb", body.substr(50'000, 64));
  store.open();
  hot_bodies hot{1 << 20};
  auto const found = store->find("http://a.test/").value();
  REQUIRE(found);
  for (int asked = 0; asked < 5; ++asked) CHECK_FALSE(hot.find(*store, *found));
}
