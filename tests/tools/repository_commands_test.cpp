#include "tests/support/child_process.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <csignal>

using namespace cistern::store;
using namespace cistern::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

finished cistern_on(std::filesystem::path const& data, std::vector<std::string> words) {
  words.insert(words.begin(), CISTERN_PROGRAM);
  words.insert(words.end(), {"--data", data.string()});
  return run(std::move(words));
}

/// An error is one line that says what to do.
void check_one_line(finished const& end) {
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, StartsWith("cistern: "));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
}

std::string page(int i) { return "http://a.test/" + std::to_string(i); }

}  // namespace

TEST_CASE("get prints a stored body byte for byte, however the URL is spelt", "[tools]") {
  temp_store store;
  auto const body = noise(1, 600'001);
  store.put("http://a.test/x?y=1", body);
  store.close();
  CHECK(cistern_on(store.path(), {"get", "http://a.test/x?y=1"}).out == body);
  auto const end = cistern_on(store.path(), {"get", "HTTP://A.test:80/b/../x?y=1#part"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == body);
  CHECK(end.err.empty());
}

TEST_CASE("get --headers prints the status line and the headers as they came, then the body", "[tools]") {
  temp_store store;
  header_block headers;
  headers.add("Content-Type", "text/plain");
  headers.add("ETag", "\"v1\"");
  store.put(object_head{.url = "https://a.test/", .status = 404, .headers = headers}, "gone");
  store.close();
  auto const end = cistern_on(store.path(), {"get", "https://a.test/", "--headers"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nETag: \"v1\"\r\n\r\ngone");
}

TEST_CASE("get says in one line that a URL is not stored, and what is no URL is wrong usage", "[tools]") {
  temp_store store;
  store.put("http://a.test/", "here");
  store.close();
  auto const absent = cistern_on(store.path(), {"get", "http://a.test/other"});
  check_one_line(absent);
  CHECK(absent.out.empty());
  CHECK_THAT(absent.err, Contains("http://a.test/other is not in the repository"));
  CHECK(cistern_on(store.path(), {"get", "not a url"}).exit_code == 2);
  CHECK(cistern_on(store.path(), {"get"}).exit_code == 2);
}

TEST_CASE("where there is no repository each command says so and makes none", "[tools]") {
  temp_dir dir;
  for (auto const& words : std::vector<std::vector<std::string>>{{"get", "http://a.test/"}, {"check"}, {"compact"}}) {
    auto const end = cistern_on(dir / "none", words);
    check_one_line(end);
    CHECK_THAT(end.err, Contains("there is no repository in"));
  }
  CHECK_FALSE(std::filesystem::exists(dir / "none"));
}

TEST_CASE("check finds a sound repository in order", "[tools]") {
  temp_store store;
  for (int i = 0; i < 20; ++i) store.put(page(i), noise(static_cast<std::uint64_t>(i), 30'000));
  store.write([](write_batch& b) { return b.enqueue({.url = page(100)}); });
  store.close();
  auto const end = cistern_on(store.path(), {"check"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == "the repository is in order: 20 objects, 585.9 KiB in 40 chunks, 1 record\n");
  CHECK(end.err.empty());
  CHECK(cistern_on(store.path(), {"check", "--repair"}).exit_code == 0);
}

TEST_CASE("beside a running daemon get and check work; repair, compact and a second daemon name its pid", "[tools]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  child_process daemon{{CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", store.path().string()}};
  daemon.wait_for("Cistern is at ");
  CHECK(cistern_on(store.path(), {"get", "http://a.test/"}).out == "hello");
  CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
  for (auto const& words : std::vector<std::vector<std::string>>{
           {"check", "--repair"}, {"compact"}, {"serve", "--listen", "127.0.0.1:0"}}) {
    auto const end = cistern_on(store.path(), words);
    check_one_line(end);
    CHECK_THAT(end.err, Contains("in use by process " + std::to_string(daemon.pid())));
  }
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().exit_code == 0);
}

TEST_CASE("compact shrinks a file after evictions and everything is still there", "[tools]") {
  temp_store store{64u << 20};
  for (int i = 0; i < 200; ++i) store.put(page(i), noise(static_cast<std::uint64_t>(i), 60'000));
  for (int i = 0; i < 150; ++i) store.write([&](write_batch& b) { return b.erase_url(page(i)); });
  store.close();
  auto const file = store.path() / "data.mdb";
  auto const before = std::filesystem::file_size(file);
  auto const end = cistern_on(store.path(), {"compact"});
  CAPTURE(end.out, end.err);
  REQUIRE(end.exit_code == 0);
  CHECK(std::filesystem::file_size(file) < before / 2);
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms(077)) == std::filesystem::perms::none);
  CHECK_FALSE(std::filesystem::exists(store.path() / "compact"));
  store.open();
  for (int i = 0; i < 200; ++i)
    CHECK(store.body_of(page(i)) == (i < 150 ? "(absent)" : noise(static_cast<std::uint64_t>(i), 60'000)));
  store.put("http://a.test/after", "it can be written");
  store.close();
  CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
}

TEST_CASE("what a compact that was killed left behind does not disturb the next one", "[tools]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  std::filesystem::create_directory(store.path() / "compact");
  std::ofstream{store.path() / "compact" / "data.mdb"} << "half";
  CHECK(cistern_on(store.path(), {"compact"}).exit_code == 0);
  CHECK(cistern_on(store.path(), {"get", "http://a.test/"}).out == "hello");
}
