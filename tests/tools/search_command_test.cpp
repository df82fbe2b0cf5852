#include "tests/support/child_process.hpp"
#include "tests/support/temp_store.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;

namespace {

/// A repository with `count` items, closed.
void fill(temp_store& kept, int count) {
  std::vector<store::item> items;
  for (int n = 0; n < count; ++n) {
    auto& item = items.emplace_back(store::item{.subscription = 1});
    item.identity = kept->url_digest(std::to_string(n));
    item.title = "Rain on day " + std::to_string(n);
    item.link = "http://www.paper.test/" + std::to_string(n);
    item.published = std::chrono::sys_seconds{std::chrono::days{20000 + n % 1000}};
    for (int line = 0; line < 40; ++line)
      item.content += "<p>line " + std::to_string(n * 40 + line) + " of the rainy story</p>";
  }
  kept.write([items](store::write_batch& b) {
    for (auto const& item : items) b.put_item(item);
    return true;
  });
  kept.close();
}

/// Until so much of the index lies on the disk, or a few seconds have passed: then it was faster than this.
void until_written(std::filesystem::path const& file, std::uintmax_t bytes) {
  auto const size = [&] {
    std::error_code none;
    auto const found = std::filesystem::file_size(file, none);
    return none ? 0 : found;
  };
  for (auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
       size() < bytes && std::chrono::steady_clock::now() < end;)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

struct searching {
  temp_store kept;
  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments) const {
    std::vector<std::string> out{CISTERN_PROGRAM,      "search", "--data",
                                 kept.path().string(), "--set",  "server.listen=127.0.0.1:1"};
    out.insert(out.end(), arguments.begin(), arguments.end());
    return out;
  }
  [[nodiscard]] finished search(std::vector<std::string> arguments) const { return run(command(std::move(arguments))); }
};

}  // namespace

TEST_CASE("search finds what is stored when no daemon runs, for people and for programs", "[tools]") {
  searching s;
  fill(s.kept, 50);
  auto const found = s.search({"rain", "day", "49"});
  CHECK(found.exit_code == 0);
  CHECK_THAT(found.out, Contains("Rain on day 49") && Contains("http://www.paper.test/49"));
  auto const listed = s.search({"rain", "--site", "paper.test", "--limit", "7", "--json"});
  CHECK(boost::json::parse(listed.out).at("results").as_array().size() == 7);
  CHECK(s.search({"rain", "--site", "elsewhere.test"}).exit_code == 1);
  auto const late = s.search({"rain", "--since", "2024-11-19", "--limit", "100", "--json"});
  auto const all = s.search({"rain", "--limit", "100", "--json"});
  CHECK(boost::json::parse(all.out).at("results").as_array().size() == 50);
  CHECK(boost::json::parse(late.out).at("results").as_array().size() < 50);
  auto const nothing = s.search({"snow"});
  CHECK(nothing.exit_code == 1);
  CHECK_THAT(nothing.err, Contains("nothing that is stored"));
  CHECK(s.search({}).exit_code == 2);
  CHECK(s.search({"rain", "--since", "yesterday"}).exit_code == 1);
}

TEST_CASE("killed in the middle of its work, the index has everything after the next start", "[tools][slow]") {
  searching s;
  fill(s.kept, 2000);
  int killed = 0;
  for (auto const written : {100'000u, 600'000u, 1'500'000u}) {
    child_process rebuilding{s.command({"--rebuild"})};
    until_written(s.kept.path() / "search.db-wal", written);
    rebuilding.signal(SIGKILL);
    killed += rebuilding.wait().exit_code == 128 + SIGKILL;
    auto const found = s.search({"rainy", "--limit", "5000", "--json"});
    CHECK(boost::json::parse(found.out).at("results").as_array().size() == 2000);
  }
  CHECK(killed > 0);
  auto const whole = s.search({"--rebuild"});
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.out, Contains("2000 documents can be found"));
}
