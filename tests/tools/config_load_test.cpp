#include "tools/cistern/config_load.hpp"

#include "tests/support/temp_dir.hpp"
#include "tools/cistern/config_keys.hpp"
#include "tools/cistern/config_text.hpp"
#include "tools/cistern/config_value.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tools;
using namespace std::chrono_literals;
using cistern::tests::read_file;
using cistern::tests::temp_dir;

namespace {

config load(std::string_view toml, environment const& env = {}, config_sources sources = {}) {
  temp_dir const folder;
  sources.file = folder.write("cistern.toml", toml).string();
  return load_config(sources, env).settings;
}

/// What is wrong with a file, one line each, without the folder it is in.
std::vector<std::string> problems_of(std::string_view toml, environment const& env = {}, config_sources sources = {}) {
  try {
    load(toml, env, std::move(sources));
    return {};
  } catch (config_error const& error) {
    auto problems = error.problems();
    for (auto& problem : problems)
      if (auto const at = problem.find("cistern.toml"); at != problem.npos) problem.erase(0, at);
    return problems;
  }
}

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("every kind of value is read from the file", "[tools]") {
  auto const settings = load(R"(
store.quota = "2 GiB"
[server]
listen = "[::1]:9000"
threads = 3
header_timeout = "1m 30s"
header_limit = 8192
[proxy]
connect_ports = [443, 8443]
shared = false
[log]
format = "json"
)");
  CHECK(settings.store.quota == gib(2));
  CHECK(settings.server.listen == "[::1]:9000");
  CHECK(settings.server.threads == 3);
  CHECK(settings.server.header_timeout == 90s);
  CHECK(settings.server.header_limit == kib(8));
  CHECK(settings.proxy.connect_ports == numbers{443, 8443});
  CHECK_FALSE(settings.proxy.shared);
  CHECK(settings.log.format == "json");
  CHECK(settings.server.idle_timeout == config{}.server.idle_timeout);
}

TEST_CASE("a mistake in the file is told with its line and what was probably meant", "[tools]") {
  CHECK(problems_of("[store]\n\nqouta = 1\n") ==
        lines{"cistern.toml:3: unknown key \"store.qouta\"; did you mean \"quota\"?"});
  CHECK(problems_of("[stroe]\n") == lines{"cistern.toml:1: unknown section \"stroe\"; did you mean \"store\"?"});
  CHECK(problems_of("quota = 1\n") == lines{"cistern.toml:1: unknown key \"quota\"; did you mean \"store.quota\"?"});
  CHECK(problems_of("[store]\nzzzzzz = 1\n") == lines{"cistern.toml:2: unknown key \"store.zzzzzz\""});
  CHECK(problems_of("store = 1\n") ==
        lines{"cistern.toml:1: \"store\" is a section: write [store] on a line of its own"});
}

TEST_CASE("a value of the wrong type or out of range is told with its line and what is wanted", "[tools]") {
  CHECK(problems_of("[server]\nthreads = \"two\"\n") == lines{"cistern.toml:2: server.threads wants a whole number"});
  CHECK(problems_of("[server]\nthreads = 1000\n") == lines{"cistern.toml:2: server.threads must be between 0 and 256"});
  CHECK(problems_of("[server]\nidle_timeout = 5\n") ==
        lines{"cistern.toml:2: server.idle_timeout wants a duration such as \"15m\""});
  CHECK(problems_of("[store]\nquota = \"1 MB\"\n") == lines{"cistern.toml:2: store.quota must be at least 16 MiB"});
  CHECK(problems_of("[store]\nquota = -1\n") == lines{"cistern.toml:2: store.quota wants a size such as \"2 GiB\""});
  CHECK(problems_of("[log]\nlevel = \"loud\"\n").at(0).starts_with("cistern.toml:2: log.level wants one of trace, "));
  CHECK(problems_of("[proxy]\nshared = \"yes\"\n") == lines{"cistern.toml:2: proxy.shared wants true or false"});
  CHECK(problems_of("[proxy]\nconnect_ports = [443, 70000]\n") ==
        lines{"cistern.toml:2: proxy.connect_ports must be between 1 and 65535"});
  CHECK(problems_of("[proxy]\nconnect_ports = [443, \"x\"]\n").size() == 1);
  CHECK(problems_of("[server]\nlisten = \"everywhere\"\n").at(0).starts_with("cistern.toml:2: server.listen is not "));
}

TEST_CASE("all mistakes of a file are told at once, in the order of its lines", "[tools]") {
  auto const found = problems_of("[store]\nquota = 1\nmap_reserve = 1\n[log]\nformat = 1\n[link]\nmode = \"x\"\n");
  REQUIRE(found.size() == 4);
  CHECK(found[0].starts_with("cistern.toml:2: store.quota"));
  CHECK(found[3].starts_with("cistern.toml:7: link.mode"));
}

TEST_CASE("a file that is not TOML is told with the line where it stops being it", "[tools]") {
  auto const found = problems_of("[server]\nlisten = \n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("cistern.toml:2: "));
}

TEST_CASE("a configuration file that was asked for must be there", "[tools]") {
  CHECK_THROWS_AS(load_config({.file = "/nonexistent/cistern.toml", .settings = {}}, {}), config_error);
  CHECK_THROWS_AS(load_config({.file = "/", .settings = {}}, {}), config_error);
}

TEST_CASE("the environment overrides the file and the command line overrides both", "[tools]") {
  auto const* const file = "[store]\nquota = \"1 GiB\"\n";
  environment const env{{"CISTERN_STORE_QUOTA", "2 GiB"}, {"CISTERN_PROXY_CONNECT_PORTS", "443, 563"}};
  CHECK(load(file).store.quota == gib(1));
  CHECK(load(file, env).store.quota == gib(2));
  CHECK(load(file, env).proxy.connect_ports == numbers{443, 563});
  CHECK(load(file, env, {.file = {}, .settings = {{"store.quota", "3 GiB"}}}).store.quota == gib(3));
}

TEST_CASE("a misspelt variable or setting is an error, another program's variable is not", "[tools]") {
  CHECK(problems_of("", {{"CISTERN_STORE_QOUTA", "1"}}) ==
        lines{"environment: unknown variable \"CISTERN_STORE_QOUTA\"; did you mean \"CISTERN_STORE_QUOTA\"?"});
  CHECK(problems_of("", {{"CISTERN_SERVER_THREADS", "many"}}) ==
        lines{"environment: CISTERN_SERVER_THREADS wants a whole number, not \"many\""});
  CHECK(problems_of("", {{"CISTERN_THEME", "dark"}}).empty());
  CHECK(problems_of("", {}, {.file = {}, .settings = {{"store.qouta", "1"}}}) ==
        lines{"--set: unknown key \"store.qouta\"; did you mean \"quota\"?"});
}

TEST_CASE("the repository is in the data directory unless it is put elsewhere", "[tools]") {
  CHECK(data_directory({{"HOME", "/home/ada"}}) == "/home/ada/.local/share/cistern");
  CHECK(data_directory({{"HOME", "/home/ada"}, {"XDG_DATA_HOME", "/data"}}) == "/data/cistern");
  CHECK(data_directory({{"HOME", "/home/ada"}, {"XDG_DATA_HOME", "not/absolute"}}) == "/home/ada/.local/share/cistern");
  CHECK(data_directory({{"HOME", "/root"}, {"STATE_DIRECTORY", "/var/lib/cistern:/var/lib/b"}}) == "/var/lib/cistern");
  CHECK(data_directory({}) == "/var/lib/cistern");
  CHECK(load("", {{"HOME", "/home/ada"}}).store.path == "/home/ada/.local/share/cistern");
  CHECK(load("[store]\npath = \"~/pages\"\n", {{"HOME", "/home/ada"}}).store.path == "/home/ada/pages");
}

TEST_CASE("a relative path in a file is meant from the file's folder", "[tools]") {
  temp_dir const folder;
  auto const file = folder.write("etc/cistern.toml", "[store]\npath = \"../data\"\n");
  CHECK(load_config({.file = file.string(), .settings = {}}, {}).settings.store.path == folder / "data");
}

TEST_CASE("a person's own file is found before the system's", "[tools]") {
  temp_dir const home;
  home.write(".config/cistern/cistern.toml", "[server]\nthreads = 7\n");
  environment env{{"HOME", home.path().string()}};
  CHECK(load_config({}, env).settings.server.threads == 7);
  home.write("xdg/cistern/cistern.toml", "[server]\nthreads = 8\n");
  env["XDG_CONFIG_HOME"] = (home / "xdg").string();
  CHECK(load_config({}, env).settings.server.threads == 8);
  CHECK(config_places(env).back() == "/etc/cistern/cistern.toml");
}

TEST_CASE("a dump reads back as the same configuration, but for passwords", "[tools]") {
  config settings;
  settings.store.path = "/srv/a \"quoted\" place";
  settings.proxy.connect_ports = {443, 80};
  settings.server.idle_timeout = 1500ms;
  auto const again = load(dump_config(settings));
  CHECK(dump_config(again) == dump_config(settings));

  settings.fetch.parent_proxy = "http://ada:secret@proxy.test:3128";
  CHECK(dump_config(settings).find("secret") == std::string::npos);
  CHECK(dump_config(settings).find("http://ada:***@proxy.test:3128") != std::string::npos);
}

TEST_CASE("a reload knows what it can take over and what needs a restart", "[tools]") {
  config before, after;
  after.log.level = "debug";
  after.server.threads = 4;
  auto const changed = compare(before, after);
  CHECK(changed.live == lines{"log.level"});
  CHECK(changed.restart == lines{"server.threads"});
  CHECK(compare(before, before).live.empty());
}

TEST_CASE("every default satisfies its own limits", "[tools]") {
  config const defaults;
  for (auto const& key : config_keys()) {
    INFO(full_name(key));
    CHECK(check_value(key, defaults).empty());
  }
}

TEST_CASE("docs/configuration.md is what the program prints", "[tools]") {
  INFO("write it again with: cistern config reference > docs/configuration.md");
  CHECK(read_file(CISTERN_SOURCE "/docs/configuration.md") == config_reference());
}
