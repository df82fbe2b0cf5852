#include "tests/support/child_process.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> fetching(temp_dir const& folder, std::vector<std::string> more) {
  std::vector<std::string> all{CISTERN_PROGRAM,          "fetch", "--data", (folder / "data").string(), "--set",
                               "sync.backoff_base=100ms"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string content_of(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

fake_origin::script breaking(std::string const& body, std::size_t after) {
  return [&body, after](fake_exchange& x) {
    serve_file(x, {.body = body, .fields = "ETag: \"v1\"\r\n", .cut_after = after});
  };
}

}  // namespace

TEST_CASE("fetch brings a file into the repository and into a file, through breaks", "[tools]") {
  auto const body = noise(1, 1'000'000);
  fake_origin origin{breaking(body, 300'000)};
  temp_dir folder;
  auto const file = folder / "out.bin";
  auto const end = run(fetching(folder, {origin.url(), "--output", file.string()}));
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Contains("976.6 KiB"));
  CHECK((content_of(file) == body));
  auto const got = run({CISTERN_PROGRAM, "get", origin.url(), "--data", (folder / "data").string()});
  CHECK((got.out == body));
  CHECK(!std::filesystem::exists(file.string() + ".part"));
}

TEST_CASE("fetch --output - writes the file and nothing else", "[tools]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "the file"); }};
  temp_dir folder;
  CHECK(run(fetching(folder, {origin.url(), "--output", "-"})).out == "the file");
}

TEST_CASE("fetch says in one line what is not to be had, and fetches the rest", "[tools]") {
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.target == "/no") return x.answer(404, "", "no");
    x.answer(200, "", "yes");
  }};
  temp_dir folder;
  auto const end = run(fetching(folder, {origin.url("/no"), origin.url("/yes")}));
  CHECK(end.exit_code == 1);
  CHECK(end.err == "cistern: " + origin.url("/no") + ": the origin answered 404\n");
  CHECK_THAT(end.out, Contains("/yes: 3 bytes"));
}

TEST_CASE("fetch with wrong words is wrong usage", "[tools]") {
  temp_dir folder;
  CHECK(run(fetching(folder, {"ftp://a.test/"})).exit_code == 2);
  CHECK(run(fetching(folder, {"http://a.test/", "http://b.test/", "--output", "x"})).exit_code == 2);
  CHECK(run(fetching(folder, {"http://a.test/", "--timeout", "soon"})).exit_code == 2);
}

TEST_CASE("a fetch that is stopped keeps what came, and the next one goes on", "[tools]") {
  auto const body = noise(2, 6'000'000);
  std::atomic<bool> well{false};
  fake_origin origin{[&](fake_exchange& x) {
    if (well) return serve_file(x, {.body = body, .fields = "ETag: \"v1\"\r\n"});
    x.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 6000000\r\n\r\n" + body.substr(0, 3'000'000));
    for (std::size_t at = 3'000'000; x.send(body.substr(at, 1)); ++at) std::this_thread::sleep_for(5ms);
  }};
  temp_dir folder;
  auto const by_signal = GENERATE(true, false);
  auto words = fetching(folder, {origin.url()});
  if (!by_signal) words.insert(words.end(), {"--timeout", "1s"});
  child_process first{words};
  first.wait_for("%");
  if (by_signal) first.signal(SIGINT);
  auto const end = first.wait();
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Contains("kept, fetch it again to go on"));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  well = true;
  auto const second = run(fetching(folder, {origin.url()}));
  CHECK(second.exit_code == 0);
  auto const from = asked_from(origin.requests().back());
  CHECK(from >= 2'000'000);
  auto const got = run({CISTERN_PROGRAM, "get", origin.url(), "--data", (folder / "data").string()});
  CHECK((got.out == body));
}

TEST_CASE("with a daemon running it is the daemon that fetches", "[tools]") {
  auto const body = noise(3, 1'000'000);
  fake_origin origin{breaking(body, 400'000)};
  temp_dir folder;
  child_process daemon{{CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", (folder / "data").string(),
                        "--set", "sync.backoff_base=100ms"}};
  daemon.wait_for("Cistern is at ");
  auto const file = folder / "out.bin";
  auto const end = run(fetching(folder, {origin.url(), "--output", file.string()}));
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 0);
  CHECK((content_of(file) == body));
  auto const missing = run(fetching(folder, {"http://127.0.0.1:1/", "--timeout", "500ms"}));
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, Contains("not complete in time"));
}

TEST_CASE("a person may go over the budget once, and it is counted", "[tools]") {
  auto const body = noise(4, 100'000);
  fake_origin origin{[&](fake_exchange& x) { serve_file(x, {.body = body, .fields = "ETag: \"v1\"\r\n"}); }};
  temp_dir folder;
  auto const with_daemon = GENERATE(true, false);
  std::unique_ptr<child_process> daemon;
  if (with_daemon) {
    std::vector<std::string> words{CISTERN_PROGRAM, "serve",  "--listen",
                                   "127.0.0.1:0",   "--data", (folder / "data").string()};
    words.insert(words.end(), {"--set", "sync.backoff_base=100ms", "--set", "budget.per_day=20kB"});
    daemon = std::make_unique<child_process>(words);
    daemon->wait_for("Cistern is at ");
  }
  auto words = fetching(folder, {origin.url(), "--set", "budget.per_day=20kB", "--timeout", "1s"});
  auto const refused = run(words);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, Contains("are kept"));
  words.back() = "20s";
  words.insert(words.end(), {"--over-budget", "1MB"});
  CHECK(run(words).exit_code == 0);
  auto const got = run({CISTERN_PROGRAM, "get", origin.url(), "--data", (folder / "data").string()});
  CHECK((got.out == body));
}
