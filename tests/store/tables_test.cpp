#include "store/repository.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

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
  std::vector<std::string> late;
  CHECK(store
            ->scan_items_since(seen(597),
                               [&](item const& i) {
                                 late.push_back(i.title);
                                 return true;
                               })
            .has_value());
  CHECK(late == std::vector<std::string>{"597", "598", "599"});
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
  int listed = 0;
  CHECK(store
            ->scan_items_since({},
                               [&](item const&) {
                                 ++listed;
                                 return true;
                               })
            .has_value());
  CHECK(listed == 1);
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
