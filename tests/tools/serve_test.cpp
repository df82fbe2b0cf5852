#include "tests/support/child_process.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/temp_dir.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <csignal>

using namespace cistern::tests;

namespace {

/// A daemon on a port of its own with a repository of its own.
struct served {
  temp_dir folder;
  child_process daemon;
  std::uint16_t port;

  explicit served(std::vector<std::string> const& more = {}, std::map<std::string, std::string> env = {})
      : daemon{arguments(folder, more), std::move(env)}, port{port_in(daemon.wait_for("Cistern is at "))} {}

  static std::vector<std::string> arguments(temp_dir const& folder, std::vector<std::string> const& more) {
    std::vector<std::string> all{CISTERN_PROGRAM, "serve",  "--listen",
                                 "127.0.0.1:0",   "--data", (folder / "data").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static std::uint16_t port_in(std::string const& line) {
    return static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
  }
};

/// The receiving end of systemd's notification socket.
class notify_socket {
public:
  explicit notify_socket(std::string const& path) : socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error{"bind"};
    timeval const patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~notify_socket() { ::close(socket_); }
  notify_socket(notify_socket const&) = delete;
  notify_socket& operator=(notify_socket const&) = delete;

  [[nodiscard]] std::string receive() const {
    char buffer[512];
    auto const count = ::recv(socket_, buffer, sizeof buffer, 0);
    return count < 0 ? "nothing" : std::string{buffer, static_cast<std::size_t>(count)};
  }

private:
  int socket_;
};

}  // namespace

TEST_CASE("serve prints the address to open and answers there", "[tools]") {
  served s;
  CHECK(http_get(s.port, "/healthz").body == "ok\n");
  auto const page = http_get(s.port);
  CHECK(page.status == 200);
  CHECK(page.body.find("Add your first site") != std::string::npos);
  CHECK(http_get(s.port, "/setup").body.find((s.folder / "data").string()) != std::string::npos);
}

TEST_CASE("serve stops cleanly when told to", "[tools]") {
  auto const signal = GENERATE(SIGTERM, SIGINT);
  served s;
  raw_connection const idle{s.port};
  idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  idle.read_until("ok\n");
  s.daemon.signal(signal);
  auto const end = s.daemon.wait();
  CHECK(end.exit_code == 0);
  CHECK(end.err.find("serve.stopped") != std::string::npos);
  CHECK_THROWS(http_get(s.port));
}

TEST_CASE("a reload takes over what it can and says what needs a restart", "[tools]") {
  temp_dir const folder;
  auto const file = folder.write("cistern.toml", "[log]\nlevel = \"info\"\n").string();
  served s{{"--config", file}};
  folder.write("cistern.toml", "[log]\nlevel = \"info\"\nformat = \"json\"\n[server]\nidle_timeout = \"3m\"\n");
  s.daemon.signal(SIGHUP);
  CHECK(s.daemon.wait_for("server.idle_timeout").find(R"("needs":"restart")") != std::string::npos);
  CHECK(s.daemon.wait_for("serve.reloaded").starts_with("{\"time\":\""));

  SECTION("a mistake in the file changes nothing and is reported") {
    folder.write("cistern.toml", "[log]\nlevle = \"debug\"\n");
    s.daemon.signal(SIGHUP);
    CHECK(s.daemon.wait_for("serve.reload_failed").find("did you mean") != std::string::npos);
    CHECK(http_get(s.port, "/healthz").status == 200);
  }
}

TEST_CASE("a second daemon on the same port fails with one line that says so", "[tools]") {
  served s;
  temp_dir const other;
  auto const second = run({CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:" + std::to_string(s.port), "--data",
                           (other / "data").string()});
  CHECK(second.exit_code == 1);
  CHECK(second.out.empty());
  CHECK(second.err ==
        "cistern: 127.0.0.1:" + std::to_string(s.port) +
            " is in use, perhaps by another cistern; stop that one or choose another port with --listen\n");
  CHECK(http_get(s.port, "/healthz").status == 200);
}

TEST_CASE("a second daemon on the same repository fails with one line that names the first", "[tools]") {
  served s;
  auto const second =
      run({CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", (s.folder / "data").string()});
  CHECK(second.exit_code == 1);
  CHECK(second.err.starts_with("cistern: "));
  CHECK(second.err.find('\n') == second.err.size() - 1);
  CHECK(second.err.find(std::to_string(s.daemon.pid())) != std::string::npos);
}

TEST_CASE("an address that is none fails with one line and exit code 1", "[tools]") {
  auto const result = run({CISTERN_PROGRAM, "serve", "--listen", "nowhere"});
  CHECK(result.exit_code == 1);
  CHECK(result.err.starts_with("cistern: command line: server.listen is not understood"));
  CHECK(run({CISTERN_PROGRAM, "serve", "--listen"}).exit_code == 2);
  CHECK(run({CISTERN_PROGRAM, "serve", "--webroot", "x"}).exit_code == 2);
}

TEST_CASE("a webroot that is not there is told at the start", "[tools]") {
  temp_dir const folder;
  auto const result = run({CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", (folder / "data").string(),
                           "--set", "server.webroot=/nonexistent"});
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("/nonexistent/status.html cannot be read") != std::string::npos);
}

TEST_CASE("systemd is told when the daemon is ready, alive and stopping", "[tools]") {
  temp_dir const folder;
  auto const path = (folder / "notify").string();
  notify_socket const systemd{path};
  served s{{}, {{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "100000"}}};
  CHECK(systemd.receive().starts_with("READY=1"));
  CHECK(systemd.receive() == "WATCHDOG=1");
  s.daemon.signal(SIGTERM);
  std::string message = "WATCHDOG=1";
  while (message == "WATCHDOG=1") message = systemd.receive();
  CHECK(message == "STOPPING=1");
  CHECK(s.daemon.wait().exit_code == 0);
}
