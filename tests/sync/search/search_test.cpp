#include "sync/search/search.hpp"

#include "store/errc.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <thread>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

/// The background work as the daemon has it.
struct background {
  temp_store& kept;
  boost::asio::io_context io;  // outlives the desk that answers into it
  sync::search finding;

  explicit background(temp_store& where, bool enabled = true)
      : kept{where}, finding{*where, {.enabled = enabled, .gather = 1ms}} {
    finding.start();
  }
  void until_done() {
    for (auto const end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
      auto const state = finding.state();
      if (state.ready && state.waiting == 0 && !state.walk.walking) return;
      std::this_thread::sleep_for(5ms);
    }
    FAIL("the index never had everything");
  }
  store::result<store::search_results> find(std::string words) {
    store::search_question question{.words = std::move(words)};
    return run_task(io, finding.find(std::move(question)));
  }
};

/// Items number `first` to `last`.
void keep(temp_store& kept, int first, int last) {
  std::vector<store::item> items;
  for (int number = first; number <= last; ++number) {
    auto& item = items.emplace_back(store::item{.subscription = 1});
    item.identity = kept->url_digest(std::to_string(number));
    item.title = "Rain";
    item.content = "number " + std::to_string(number);
    item.link = "http://paper.test/" + std::to_string(number);
  }
  kept.write([items](store::write_batch& b) {
    for (auto const& item : items) b.put_item(item);
    return true;
  });
}

}  // namespace

TEST_CASE("what is stored is found a moment later, without anybody asking for it", "[sync]") {
  temp_store kept;
  keep(kept, 1, 1);
  background b{kept};
  b.until_done();
  CHECK(b.find("rain").value().hits.size() == 1);
  keep(kept, 2, 29);
  b.until_done();
  CHECK(b.find("29").value().hits.size() == 1);
  CHECK(b.finding.state().documents == 29);
}

TEST_CASE("a rebuild in the background ends with the same documents", "[sync]") {
  temp_store kept;
  keep(kept, 0, 599);
  background b{kept};
  b.until_done();
  b.finding.rebuild();
  CHECK(b.finding.state().walk.walking);
  b.until_done();
  CHECK(b.finding.state().documents == 600);
}

TEST_CASE("an index that was damaged is noticed at the start and is whole again by itself", "[sync]") {
  temp_store kept;
  keep(kept, 0, 599);
  {
    background b{kept};
    b.until_done();
  }
  auto const file = kept.path() / "search.db";
  auto bytes = read_file(file);
  REQUIRE(bytes.size() > 60'000);
  for (std::size_t at = 20'000; at < 50'000; ++at) bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  std::ofstream{file, std::ios::binary} << bytes;
  background b{kept};
  b.until_done();
  CHECK(b.finding.state().documents == 600);
  CHECK(b.find("number 599").value().hits.size() == 1);
}

TEST_CASE("switched off there is no index, and switched on again it has everything", "[sync]") {
  temp_store kept;
  keep(kept, 1, 1);
  {
    background b{kept};
    b.until_done();
  }
  {
    background off{kept, false};
    CHECK_FALSE(off.finding.state().ready);
    CHECK_FALSE(off.find("rain").has_value());
    CHECK_FALSE(std::filesystem::exists(kept.path() / "search.db"));
  }
  keep(kept, 2, 2);
  background b{kept};
  b.until_done();
  CHECK(b.finding.state().documents == 2);
}

TEST_CASE("what is stored can be read and written while the index is built", "[sync]") {
  temp_store kept;
  keep(kept, 0, 1499);
  kept.put("http://a.test/", "hello");
  background b{kept};
  std::vector<std::chrono::nanoseconds> waits;
  do {
    auto const begun = std::chrono::steady_clock::now();
    CHECK(kept.body_of("http://a.test/") == "hello");
    waits.push_back(std::chrono::steady_clock::now() - begun);
  } while (b.finding.state().walk.walking && waits.size() < 100'000);
  std::sort(waits.begin(), waits.end());
  CHECK(waits[waits.size() / 2] < 5ms);
  b.until_done();
  CHECK(b.finding.state().documents == 1500);
}

TEST_CASE("a command that brings nothing new leaves the index alone, and one that does mends it", "[sync]") {
  temp_store kept;
  keep(kept, 0, 99);
  {
    background b{kept};
    b.until_done();
  }
  auto const file = kept.path() / "search.db";
  std::ofstream{file, std::ios::binary} << "no index at all";
  {
    sync::search finding{*kept, {}};
    finding.start_when_needed();
    finding.finish(20s);
  }
  CHECK(read_file(file) == "no index at all");
  {
    sync::search finding{*kept, {}};
    finding.start_when_needed();
    keep(kept, 100, 119);
    finding.finish(20s);
  }
  CHECK(kept->measure().value().search_marks == 0);
  background b{kept};
  b.until_done();
  CHECK(b.finding.state().documents == 120);
}

TEST_CASE("what a command left to be indexed is done by the next one, new or not", "[sync]") {
  temp_store kept;
  keep(kept, 0, 9);  // as if killed before the first of them was indexed
  sync::search finding{*kept, {}};
  finding.start_when_needed();
  finding.finish(20s);
  CHECK(kept->measure().value().search_marks == 0);
  CHECK(finding.state().documents == 10);
}
