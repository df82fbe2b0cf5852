// cistern demo: everything that Cistern does, with a newspaper of our own behind a bad link, for somebody who has no
// network or no feeds at hand. Nothing leaves the machine and nothing stays on it.

#include "tools/cistern/demo_command.hpp"

#include "proxy/listen_address.hpp"
#include "tools/chaos/chaos_link.hpp"
#include "tools/cistern/daemon_call.hpp"
#include "tools/cistern/serve.hpp"
#include "tools/demo/publisher.hpp"

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

namespace cistern::tools {
namespace {

using namespace std::chrono_literals;

struct demo_arguments {
  std::string listen{"127.0.0.1:8910"};
  unsigned post_every = 6;  // seconds
  std::string windows{"up 30s, down 12s"};
  bool newspaper_only = false;
  std::string name{"The Brook Courier"};
  unsigned stories = 8, first = 1;
};

/// Names that are reserved for such use (RFC 2606): nothing of the kind exists outside.
struct paper {
  char const* host;
  char const* name;
  char const* folder;
  std::uint32_t first;
};
constexpr std::array<paper, 3> papers{{{"brook-courier.example", "The Brook Courier", "News", 1},
                                       {"hill-gazette.example", "Hill Gazette", "News", 40},
                                       {"notes-from-the-ford.example", "Notes from the Ford", "Letters", 80}}};

std::chrono::sys_seconds now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

/// A folder of its own, gone with everything in it when the demo ends.
class temporary_folder {
public:
  temporary_folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "cistern-demo-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error{"no folder can be made in " + pattern};
    path_ = pattern;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// What a person would do meanwhile: subscribe, then look for news now and then; and what the papers do: post.
class busy_hands {
public:
  busy_hands(demo::publisher& press, demo_arguments const& given, std::string data)
      : press_{press}, address_{given.listen}, every_{given.post_every}, data_{std::move(data)}, thread_{[this] {
          work();
        }} {}
  ~busy_hands() {
    {
      std::scoped_lock const lock{mutex_};
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  busy_hands(busy_hands const&) = delete;
  busy_hands& operator=(busy_hands const&) = delete;

private:
  /// False when the demo is over.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock{mutex_};
    return !wake_.wait_for(lock, time, [this] { return over_; });
  }

  /// Until the daemon answers, and it is the demo's: somebody else's may have the port.
  bool wait_for_daemon() {
    while (wait(100ms)) {
      auto const status = call_daemon(address_, "GET", "/api/v1/status");
      if (status && status->body.find(data_) != std::string::npos) return true;
    }
    return false;
  }

  bool subscribe(paper const& one) {
    auto const wish = std::string{R"({"url": "http://)"} + one.host + R"(/", "folders": [")" + one.folder +
                      R"("], "carry": {"enclosures": true}})";
    for (int tries = 0; tries < 200; ++tries) {
      auto const done = call_daemon(address_, "POST", "/api/v1/subscriptions", wish);
      if (done && done->status == 200) return true;
      if (!wait(300ms)) return false;
    }
    return false;
  }

  void work() {
    if (!wait_for_daemon()) return;
    for (auto const& one : papers)
      if (!subscribe(one)) return;
    for (unsigned round = 0; wait(std::chrono::seconds{every_}); ++round) {
      auto const& one = papers[round % papers.size()];
      press_.change(one.host, [&](demo::newspaper& paper) {
        paper.post(now());
        if (round % 12 == 1) paper.add_recording();
      });
      static_cast<void>(call_daemon(address_, "POST", "/api/v1/sync", "{}"));  // a person looks for news
    }
  }

  demo::publisher& press_;
  std::string address_;
  unsigned every_;
  std::string data_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

/// The newspaper alone, for the browser tests: it prints where it is and every request, and does what it is told on
/// standard input ("post", "post TITLE", "recording", "cut", "mend"), until that ends.
void print_newspaper(demo_arguments const& given) {
  std::mutex printing;
  auto const say = [&](std::string const& line) {
    std::scoped_lock const lock{printing};
    std::cout << line << std::endl;
  };
  demo::publisher press{400'000, say};
  press.add("", demo::newspaper{given.name, now(), given.stories, given.first});
  say("The newspaper is at http://localhost:" + std::to_string(press.port()) + "/");
  for (std::string line; std::getline(std::cin, line);) {
    auto const space = line.find(' ');
    auto const what = line.substr(0, space);
    std::string const rest = space == line.npos ? std::string{} : line.substr(space + 1);
    if (what == "post") press.change("", [&](demo::newspaper& paper) { paper.post(now(), rest); });
    if (what == "recording") press.change("", [](demo::newspaper& paper) { paper.add_recording(); });
    if (what == "cut" || what == "mend") press.set_reachable(what == "mend");
    say("done " + line);
  }
}

/// The bad link plays the modem, and says what the kernel's routes say of a real one: whether there is a way out.
void follow_modem(chaos::chaos_link& modem, sync::network_link* to) {
  if (!to) return modem.when_changed({});
  modem.when_changed([to](bool up) {
    to->observed(up ? sync::link_state::up : sync::link_state::down,
                 up ? "the modem has a signal" : "the modem lost its signal");
  });
}

void demonstrate(demo_arguments given) {
  auto const windows = chaos::parse_windows(given.windows);
  if (!windows) throw std::runtime_error{"write the link's times as \"up 30s, down 12s\""};
  auto const where = proxy::parse_listen_address(given.listen);
  if (!where || !where->address().is_loopback())
    throw std::runtime_error{"the demo listens on loopback only; say --listen 127.0.0.1:PORT"};
  demo::publisher press;
  for (auto const& one : papers) press.add(one.host, demo::newspaper{one.name, now(), 6, one.first});
  chaos::profile const weather{.rate = 500'000, .delay = 60ms, .cut_every = 700'000, .windows = *windows};
  chaos::chaos_link link{weather, {.host = "127.0.0.1", .port = press.port(), .proxy = true}};
  temporary_folder const folder;
  config_sources sources;
  sources.settings = {{"server.listen", given.listen},
                      {"store.path", (folder.path() / "data").string()},
                      {"store.quota", "512 MiB"},
                      {"fetch.parent_proxy", "http://127.0.0.1:" + std::to_string(link.port())},
                      {"sync.floor", "0s"},
                      {"sync.floor_without_validators", "0s"},
                      {"sync.host_pause", "0s"},
                      {"sync.feed_pause", "0s"},
                      {"sync.backoff_base", "300ms"},
                      {"sync.backoff_cap", "2s"},
                      {"log.level", "warning"}};
  auto const port = std::to_string(where->port());
  std::cout << "A made-up newspaper on a bad link (" << given.windows
            << "). Nothing leaves this machine; stop with Ctrl-C.\n"
            << "Its homepage, kept up to date by its feed: http://" << papers[0].host << ".localhost:" << port << "/\n"
            << "What goes on: http://localhost:" << port << "/sync" << std::endl;
  busy_hands const hands{press, given, folder.path().string()};
  serve(sources, [&link](sync::network_link* to) { follow_modem(link, to); });
}

}  // namespace

void add_demo_command(CLI::App& program) {
  auto* const command =
      program.add_subcommand("demo", "everything at work, with a made-up newspaper on a bad link of its own");
  auto const given = std::make_shared<demo_arguments>();
  command->add_option("--listen", given->listen, "address to listen on")->type_name("127.0.0.1:PORT");
  command->add_option("--post-every", given->post_every, "seconds between two stories")->check(CLI::Range(1, 3600));
  command->add_option("--link", given->windows, "when the link is up and down")->type_name("WINDOWS");
  command->add_flag("--newspaper-only", given->newspaper_only, "only the newspaper, told what to do on standard input");
  command->add_option("--name", given->name, "of that newspaper");
  command->add_option("--stories", given->stories, "that it begins with")->check(CLI::Range(1, 1000));
  command->add_option("--first", given->first, "the number of its first story")->check(CLI::Range(1, 1'000'000));
  command->callback([given] { given->newspaper_only ? print_newspaper(*given) : demonstrate(*given); });
}

}  // namespace cistern::tools
