#include "tests/support/child_process.hpp"
#include "tests/support/temp_dir.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace cistern::tests;

namespace {

auto count_lines(std::string const& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("without a command the program shows its help and exits with 2", "[tools]") {
  auto const result = run({CISTERN_PROGRAM});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.find("Usage: cistern") != std::string::npos);
}

TEST_CASE("help and version are answers, not errors", "[tools]") {
  CHECK(run({CISTERN_PROGRAM, "--help"}).exit_code == 0);
  auto const version = run({CISTERN_PROGRAM, "--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.starts_with("cistern "));
}

TEST_CASE("wrong usage is one line that says what was probably meant, and exits with 2", "[tools]") {
  auto const result = run({CISTERN_PROGRAM, "confg"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "cistern: unknown command \"confg\"; did you mean \"config\"? (see cistern --help)\n");
  auto const nested = run({CISTERN_PROGRAM, "config", "dmup"});
  CHECK(nested.exit_code == 2);
  CHECK(nested.err.find("did you mean \"dump\"?") != std::string::npos);
  auto const option = run({CISTERN_PROGRAM, "config", "dump", "--colour"});
  CHECK(option.exit_code == 2);
  CHECK(count_lines(option.err) == 1);
  CHECK(run({CISTERN_PROGRAM, "config", "dump", "--set", "x"}).exit_code == 2);
}

TEST_CASE("config check names every mistake with its line and exits with 1", "[tools]") {
  temp_dir const folder;
  auto const file = folder.write("cistern.toml", "[store]\nqouta = 1\n[server]\nthreads = true\n").string();
  auto const result = run({CISTERN_PROGRAM, "config", "check", "--config", file});
  CHECK(result.exit_code == 1);
  CHECK(result.err == "cistern: " + file + ":2: unknown key \"store.qouta\"; did you mean \"quota\"?\ncistern: " +
                          file + ":4: server.threads wants a whole number\n");
  CHECK(run({CISTERN_PROGRAM, "config", "check"}).exit_code == 0);
}

TEST_CASE("a command that meets a broken configuration fails with one line", "[tools]") {
  auto const result = run({CISTERN_PROGRAM, "config", "dump"}, {{"CISTERN_LOG_LEVEL", "loud"}});
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.starts_with("cistern: environment: CISTERN_LOG_LEVEL wants one of "));
}

TEST_CASE("config dump shows what is in force, whatever it came from", "[tools]") {
  temp_dir const folder;
  auto const file = folder.write("cistern.toml", "[server]\nthreads = 2\n[store]\nquota = \"1 GiB\"\n").string();
  auto const result = run({CISTERN_PROGRAM, "config", "dump", "--config", file, "--set", "log.level=debug"},
                          {{"CISTERN_STORE_QUOTA", "3GiB"}});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("threads = 2\n") != std::string::npos);
  CHECK(result.out.find("quota = \"3 GiB\"\n") != std::string::npos);
  CHECK(result.out.find("level = \"debug\"\n") != std::string::npos);
  CHECK(result.out.find("path = \"/nonexistent/.local/share/cistern\"\n") != std::string::npos);
}
