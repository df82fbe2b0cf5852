#include "tools/cistern/carried_hosts.hpp"

#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace std::chrono_literals;

TEST_CASE("carried are a subscription's hosts and what its owner's other hosts brought, and nobody else's", "[tools]") {
  tests::temp_store kept;
  std::chrono::sys_days const today{std::chrono::days{20'000}};
  auto const fetched = [](std::uint64_t subscription, std::string host, std::uint32_t day) {
    return store::ledger_entry{.day = day,
                               .purpose = store::job_class::requisite,
                               .subscription = subscription,
                               .host = std::move(host),
                               .received = 100,
                               .requests = 1};
  };
  kept.write([&](store::write_batch& b) {
    b.put(store::subscription{
        .id = 7, .feed_url = "https://feeds.paper.test/rss", .homepage_url = "https://www.paper.test/"});
    b.charge(fetched(7, "images.paper.test", 19'999));
    b.charge(fetched(7, "old.paper.test", 19'000));
    b.charge(fetched(7, "www.tracker.test", 19'999));
    b.charge(fetched(8, "images.gone.test", 19'999));
    return true;
  });
  CHECK(tools::carried_hosts(*kept, today) ==
        std::vector<std::string>{"feeds.paper.test", "images.paper.test", "www.paper.test"});
}
