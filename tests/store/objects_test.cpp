#include "store/check.hpp"
#include "store/environment.hpp"
#include "store/errc.hpp"
#include "store/lending.hpp"
#include "store/repository.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

header_block one_field(std::string_view name, std::string_view value) {
  header_block h;
  h.add(name, value);
  return h;
}

constexpr char const* url = "http://a.test/page";

/// Makes the records of an unfinished download say that it has that many bytes, without the chunks.
void claim_size(std::filesystem::path const& path, stored_object const& object, std::uint64_t size) {
  auto const opened = open_environment({.path = path, .map_reserve = 1ull << 30}, current_format, migrations());
  lmdb::write_transaction txn{opened.env.get()};
  auto const key = object_key(object.ref);
  auto record = read_object(key, txn.get(opened.tables[t_objects], key).value());
  record.object.size = size;
  txn.put(opened.tables[t_objects], key, encode(record));
  txn.put(opened.tables[t_bodies], number_key(object.body), encode(body_record{.size = size, .references = 1}));
  txn.commit();
}

}  // namespace

TEST_CASE("a stored response comes back byte for byte with all that was known of it", "[store]") {
  temp_store store;
  object_head head{.url = "HTTP://A.test:80/page#top", .status = 203, .headers = one_field("ETag", "\"x\"")};
  head.requested = std::chrono::sys_seconds{1700000000s};
  head.responded = head.requested + 1s;
  head.kind = object_kind::page;
  auto const size = GENERATE(std::size_t{0}, 1, 16351, 16352, 16353, 100'000, 1'000'000);
  auto const body = noise(size, size);
  store.put(head, body);
  store.open();  // as after a restart

  auto const found = store->find(url).value();
  REQUIRE(found);
  CHECK(found->status == 203);
  CHECK(found->headers == head.headers);
  CHECK(found->requested == head.requested);
  CHECK(found->responded == head.responded);
  CHECK(found->kind == object_kind::page);
  CHECK(found->complete);
  CHECK(found->size == size);
  CHECK(store->read_body(*found).value() == body);
  CHECK_FALSE(store->find("http://a.test/other").value());
}

TEST_CASE("any part of a body can be read by itself", "[store]") {
  temp_store store;
  auto const body = noise(1, 100'000);
  auto const object = store.put(url, body);
  auto const reader = store->open_body(object).value();
  for (auto const offset : {0u, 1u, 16351u, 16352u, 50'000u, 99'999u}) {
    std::string part(20'000, '\0');
    auto const got = reader.read(offset, part).value();
    CHECK(part.substr(0, got) == body.substr(offset, 20'000));
  }
  std::string past(10, '\0');
  CHECK(reader.read(100'000, past).value() == 0);
}

TEST_CASE("any part of a body is lent where it lies, and as much counts as was taken", "[store]") {
  temp_store store;
  auto const size = GENERATE(std::size_t{9'000}, 100'000, 1'000'000);
  auto const body = noise(1, size);
  auto const reader = store->open_body(store.put(url, body)).value();
  body_lender lender{reader};
  auto const most = GENERATE(std::size_t{1}, 20'000, 5'000'000);
  for (auto const offset : {std::size_t{0}, std::size_t{1}, std::size_t{8'000}, size - 1}) {
    std::string lent;
    auto const taken = lender.lend(offset, most, [&](body_lender::pieces given) {
      auto const before = lent.size();
      for (auto const piece : given) lent += piece;
      return lent.size() - before;
    });
    CHECK(taken.value() == std::min(most, size - offset));
    CHECK(lent == body.substr(offset, most));
    auto const little = lender.lend(offset, most, [](auto given) { return given.front().size() / 3; });
    CHECK(little.value() <= std::min(most, size - offset) / 3);
  }
  CHECK(lender.lend(size, most, [](auto) -> std::size_t { throw std::logic_error{"nothing"}; }).value() == 0);
}

TEST_CASE("variants of a URL live side by side and a new one replaces its like", "[store]") {
  temp_store store;
  object_head german{.url = url, .selecting = one_field("Accept-Language", "de")};
  object_head french{.url = url, .selecting = one_field("Accept-Language", "fr")};
  store.put(german, "alt");
  store.put(french, "bonjour");
  store.put(german, "hallo");
  auto const spoken = [&](object_head const& head) {
    auto const found = store->find(url, [&](stored_object const& o) { return o.selecting == head.selecting; }).value();
    return found ? store->read_body(*found).value() : "";
  };
  CHECK(spoken(german) == "hallo");
  CHECK(spoken(french) == "bonjour");
  CHECK(store->versions(url).value().size() == 2);
}

TEST_CASE("a homepage keeps its last versions, newest first", "[store]") {
  temp_store store;
  for (auto const* text : {"one", "two", "three", "four"}) store.put(object_head{.url = url, .versions = 3}, text);
  auto const kept = store->versions(url).value();
  REQUIRE(kept.size() == 3);
  CHECK(store->read_body(kept[0]).value() == "four");
  CHECK(store->read_body(kept[2]).value() == "two");
}

TEST_CASE("identical bodies are stored once and stay while anybody has them", "[store]") {
  temp_store store;
  auto const body = noise(3, 200'000);
  store.put("http://a.test/1", body);
  auto const once = store->measure().value();
  store.put("http://a.test/2", body);
  auto const twice = store->measure().value();
  CHECK(twice.objects == 2);
  CHECK(twice.body_bytes == once.body_bytes);

  store.write([](write_batch& b) {
    b.erase_url("http://a.test/1");
    return true;
  });
  CHECK(store.body_of("http://a.test/1") == "(absent)");
  CHECK(store.body_of("http://a.test/2") == body);
  store.write([](write_batch& b) {
    b.erase_url("http://a.test/2");
    return true;
  });
  CHECK(store->measure().value().body_bytes == 0);
}

TEST_CASE("small identical bodies are stored once too, wherever they came from", "[store]") {
  temp_store store;
  auto const body = noise(3, 9'000);
  bool const downloaded = GENERATE(false, true);
  auto const checked = [&] { return integrity_check{*store}.run().value().clean(); };
  store.put("http://a.test/1", body);
  if (downloaded) {
    auto const begun = store.write([](write_batch& b) { return b.begin_object({.url = "http://a.test/2"}); });
    store->append(begun.ref, 0, body, boost::asio::use_future).get().value();
    store.write([&](write_batch& b) { return b.finish(begun.ref); });
  } else {
    store.put("http://a.test/2", body);
  }
  store.put("http://a.test/3", body);
  CHECK(store->measure().value().body_bytes == body.size());
  CHECK(checked());
  for (auto const* one : {"http://a.test/1", "http://a.test/2", "http://a.test/3"}) {
    CHECK(store.body_of(one) == body);
    store.write([&](write_batch& b) { return b.erase_url(one); });
    CHECK(store.body_of(one) == "(absent)");
    CHECK(checked());
  }
  CHECK(store->measure().value().body_bytes == 0);
}

TEST_CASE("a small page that was fetched again unchanged is still found by one look", "[store]") {
  temp_store store;
  store.put(url, "the same");
  auto const again = store.put(url, "the same");
  CHECK(again.body == 0);
  CHECK(store.body_of(url) == "the same");
  CHECK(store->measure().value().body_bytes == 8);
  CHECK(integrity_check{*store}.run().value().clean());
}

TEST_CASE("a small body is read to its end although it was replaced or shared meanwhile", "[store]") {
  temp_store store;
  auto const object = store.put(url, "small");
  auto const reader = store->open_body(object).value();
  store.put("http://a.test/other", "small");
  CHECK(store->read_body(object).value() == "small");  // found before it moved
  store.put(url, "new");
  std::string got(5, '\0');
  CHECK(reader.read(0, got).value() == 5);
  CHECK(got == "small");
  CHECK(store->read_body(object).error() == errc::gone);
}

TEST_CASE("a download is found only when finished, and an older copy serves until then", "[store]") {
  temp_store store;
  store.put(url, "old");
  auto const body = noise(4, 50'000);
  auto const begun =
      store.write([&](write_batch& b) { return b.begin_object({.url = url, .expected_size = body.size()}); });
  for (std::size_t at = 0; at < body.size(); at += 7'000)
    store->append(begun.ref, at, body.substr(at, 7'000), boost::asio::use_future).get().value();
  CHECK(store.body_of(url) == "old");

  store.open();  // a restart in between
  auto const partial = store->get_object(begun.ref).value();
  REQUIRE(partial);
  CHECK_FALSE(partial->complete);
  CHECK(partial->size == body.size());
  CHECK(partial->expected_size == body.size());

  store.write([&](write_batch& b) { return b.finish(begun.ref); });
  CHECK(store.body_of(url) == body);
  CHECK(store->versions(url).value().size() == 1);
}

TEST_CASE("bytes that do not continue what is stored are refused and change nothing", "[store]") {
  temp_store store;
  auto const begun = store.write([&](write_batch& b) { return b.begin_object({.url = url}); });
  store->append(begun.ref, 0, "abc", boost::asio::use_future).get().value();
  CHECK(store->append(begun.ref, 2, "x", boost::asio::use_future).get().error() == errc::misplaced);
  CHECK(store->append(begun.ref, 4, "x", boost::asio::use_future).get().error() == errc::misplaced);
  CHECK(store->get_object(begun.ref).value()->size == 3);
  store.write([&](write_batch& b) {
    b.restart(begun.ref, {.url = url, .headers = one_field("ETag", "\"new\"")});
    return true;
  });
  store->append(begun.ref, 0, "new body", boost::asio::use_future).get().value();
  store.write([&](write_batch& b) { return b.finish(begun.ref); });
  CHECK(store.body_of(url) == "new body");
}

TEST_CASE("one failing task takes nothing back from the others of its batch", "[store]") {
  temp_store store;
  std::vector<std::future<result<stored_object>>> puts;
  std::vector<std::future<result<void>>> bad;
  for (int i = 0; i < 50; ++i) {
    puts.push_back(store->put({.url = "http://a.test/" + std::to_string(i)}, "body " + std::to_string(i),
                              boost::asio::use_future));
    bad.push_back(store->append(object_ref{.url = {}, .id = 999'999}, 0, "x", boost::asio::use_future));
  }
  for (auto& p : puts) CHECK(p.get().has_value());
  for (auto& b : bad) CHECK(b.get().error() == errc::gone);
  CHECK(store.body_of("http://a.test/49") == "body 49");
}

TEST_CASE("a validated response gets new headers and keeps its body", "[store]") {
  temp_store store;
  auto const object = store.put(url, "body");
  auto const later = std::chrono::sys_seconds{1800000000s};
  store.write([&](write_batch& b) {
    b.refresh(object.ref, one_field("Cache-Control", "max-age=60"), later, later);
    return true;
  });
  auto const found = store->find(url).value();
  REQUIRE(found);
  CHECK(found->headers.find("cache-control") == "max-age=60");
  CHECK(found->responded == later);
  CHECK(store->read_body(*found).value() == "body");
}

TEST_CASE("offsets beyond four gigabytes reach the right chunk", "[store]") {
  temp_store store;
  constexpr std::uint64_t five = ((5ull << 30) / chunk_payload + 1) * chunk_payload;
  auto const begun = store.write([&](write_batch& b) { return b.begin_object({.url = url}); });
  store.close();
  claim_size(store.path(), begun, five);
  store.open();
  auto const body = noise(5, 40'000);
  store->append(begun.ref, five, body, boost::asio::use_future).get().value();
  auto const object = store->get_object(begun.ref).value();
  REQUIRE(object);
  CHECK(object->size == five + body.size());
  auto const reader = store->open_body(*object).value();
  std::string back(body.size(), '\0');
  CHECK(reader.read(five, back).value() == body.size());
  CHECK(back == body);
}
