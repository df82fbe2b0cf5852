#include "store/repository.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace cistern::store;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

std::vector<job> all_jobs(temp_store& store) {
  std::vector<job> out;
  CHECK(store
            ->scan<job>({},
                        [&](job const& j) {
                          out.push_back(j);
                          return true;
                        })
            .has_value());
  return out;
}

std::vector<listed_item> all_listed(temp_store& store) {
  std::vector<listed_item> out;
  auto const keep = [&](listed_item const& i) { return out.push_back(i), true; };
  CHECK(store->scan_items_back(std::chrono::sys_seconds::max(), keep).has_value());
  return out;
}

}  // namespace

TEST_CASE("a page that two people want is one job with two owners, across restarts", "[store]") {
  temp_store store;
  store.write([](write_batch& b) {
    return b.enqueue({.url = "http://a.test/", .priority = job_class::page, .owners = {"ann"}});
  });
  auto const id = store.write([](write_batch& b) {
    return b.enqueue({.url = "http://a.test/", .priority = job_class::person, .owners = {"bob", "ann"}});
  });
  store.open();
  auto const jobs = all_jobs(store);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].id == id);
  CHECK(jobs[0].owners == std::vector<std::string>{"ann", "bob"});
  CHECK(jobs[0].priority == job_class::person);
  CHECK(store.write([&](write_batch& b) { return b.finish_job(id); }));
  CHECK(all_jobs(store).empty());
  store.write([](write_batch& b) { return b.enqueue({.url = "http://a.test/"}); });
  CHECK(all_jobs(store).size() == 1);
}

TEST_CASE("items are found by site and by when they were first seen", "[store]") {
  temp_store store;
  auto const seen = [](int hour) { return std::chrono::sys_seconds{1700000000s + std::chrono::hours{hour}}; };
  store.write([&](write_batch& b) {
    for (int i = 0; i < 600; ++i) {
      item one{
          .subscription = static_cast<std::uint64_t>(i % 2 + 1), .title = std::to_string(i), .first_seen = seen(i)};
      one.identity.bytes[0] = static_cast<char>(i);
      one.identity.bytes[1] = static_cast<char>(i >> 8);
      b.put_item(one);
    }
    return true;
  });
  std::vector<int> hours;
  auto const walk_back = [&](listed_item const& i) {
    hours.push_back(static_cast<int>((i.first_seen - seen(0)) / 1h));
    return i.first_seen > seen(2);
  };
  CHECK(store->scan_items_back(seen(597), walk_back).has_value());
  CHECK(hours.size() == 595);
  CHECK(hours.front() == 596);
  CHECK(hours.back() == 2);
  CHECK(std::ranges::is_sorted(hours, std::greater{}));
  std::size_t of_second = 0;
  std::string prefix;
  append_key(prefix, std::uint64_t{2});
  CHECK(store
            ->scan<item>(prefix,
                         [&](item const& i) {
                           of_second += i.subscription == 2;
                           return true;
                         })
            .has_value());
  CHECK(of_second == 300);
}

TEST_CASE("an item seen again at another time is listed once", "[store]") {
  temp_store store;
  item one{.subscription = 1, .title = "a", .first_seen = std::chrono::sys_seconds{1000s}};
  store.write([&](write_batch& b) {
    b.put_item(one);
    return true;
  });
  one.first_seen = std::chrono::sys_seconds{2000s};
  store.write([&](write_batch& b) {
    b.put_item(one);
    return true;
  });
  CHECK(all_listed(store).size() == 1);
}

TEST_CASE("the list of items knows what was read, starred and stored without reading the items", "[store]") {
  temp_store store;
  item one{.subscription = 7, .title = "a", .first_seen = std::chrono::sys_seconds{1000s}};
  store.write([&](write_batch& b) { return b.put_item(one), true; });
  one.read = one.starred = true;
  one.published = std::chrono::sys_seconds{900s};
  one.bytes = 12345;
  store.write([&](write_batch& b) { return b.put_item(one), true; });
  auto const listed = all_listed(store);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].key == one.key());
  CHECK(listed[0].subscription == 7);
  CHECK(listed[0].first_seen == one.first_seen);
  CHECK(listed[0].seen.published == *one.published);
  CHECK((listed[0].seen.read && listed[0].seen.starred));
  CHECK(listed[0].seen.bytes == 12345);
}

TEST_CASE("records are walked backwards from any key", "[store]") {
  temp_store store;
  CHECK(store->scan_back<journal_entry>({}, [](journal_entry const&) { return true; }).has_value());
  store.write([](write_batch& b) {
    for (int i = 0; i < 600; ++i) b.add_journal({.what = std::to_string(i)});
    return true;
  });
  std::vector<journal_entry> all;
  auto const keep = [&](journal_entry const& entry) { return all.push_back(entry), true; };
  CHECK(store->scan_back<journal_entry>({}, keep).has_value());
  REQUIRE(all.size() == 600);
  CHECK(all.front().what == "599");
  CHECK(all.back().what == "0");
  auto const middle = all[300].key();
  all.clear();
  CHECK(store->scan_back<journal_entry>(middle, keep).has_value());
  REQUIRE(all.size() == 299);
  CHECK(all.front().what == "298");
}

TEST_CASE("the ledger adds up", "[store]") {
  temp_store store;
  ledger_entry const line{
      .day = 20000, .purpose = job_class::feed, .host = "a.test", .received = 100, .sent = 10, .requests = 1};
  for (int i = 0; i < 3; ++i)
    store.write([&](write_batch& b) {
      b.charge(line);
      return true;
    });
  auto const sum = store->get<ledger_entry>(line.key()).value();
  REQUIRE(sum);
  CHECK(sum->received == 300);
  CHECK(sum->requests == 3);
}

TEST_CASE("the journal keeps the order in which things happened", "[store]") {
  temp_store store;
  for (auto const* what : {"first", "second", "third"})
    store.write([&](write_batch& b) { return b.add_journal({.what = what}); });
  std::vector<std::string> told;
  CHECK(store
            ->scan<journal_entry>({},
                                  [&](journal_entry const& e) {
                                    told.push_back(e.what);
                                    return true;
                                  })
            .has_value());
  CHECK(told == std::vector<std::string>{"first", "second", "third"});
}
