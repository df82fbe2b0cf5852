#include "tools/cistern/serve.hpp"

#include "proxy/dashboard/dashboard.hpp"
#include "proxy/intercept.hpp"
#include "proxy/listen_address.hpp"
#include "proxy/listener.hpp"
#include "proxy/web_proxy.hpp"
#include "sync/downloads.hpp"
#include "sync/ledger.hpp"
#include "sync/log_url.hpp"
#include "sync/queue_runner.hpp"
#include "tools/cistern/address_note.hpp"
#include "tools/cistern/budget_settings.hpp"
#include "tools/cistern/carried_hosts.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/config_text.hpp"
#include "tools/cistern/fetch_settings.hpp"
#include "tools/cistern/log.hpp"
#include "tools/cistern/repository_settings.hpp"
#include "tools/cistern/serve_settings.hpp"
#include "tools/cistern/service_manager.hpp"
#include "tools/cistern/webroot.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/resource.h>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <thread>

namespace cistern::tools {
namespace {

namespace net = boost::asio;
using std::chrono::steady_clock;

proxy::listener_options options_from(config const& settings) {
  auto const& server = settings.server;
  auto const cores = std::max(1U, std::thread::hardware_concurrency());
  return {
      .endpoint = proxy::parse_listen_address(server.listen).value(),  // its key was checked with the same function
      .threads = server.threads == 0 ? cores : static_cast<unsigned>(server.threads),
      .max_connections = static_cast<std::size_t>(server.max_connections),
      .max_connections_per_client = static_cast<std::size_t>(server.max_connections_per_client),
      .session = {.header_limit = static_cast<std::uint32_t>(server.header_limit.count),
                  .request_body_limit = server.request_body_limit.count,
                  .header_timeout = server.header_timeout,
                  .idle_timeout = server.idle_timeout,
                  .body_timeout = server.body_timeout},
      .shutdown_grace = server.shutdown_grace,
  };
}

/// A connection is a descriptor, and the default of 1024 is soon used up; the hard limit is ours to take.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The running daemon, as far as signals and the service manager are concerned. Everything here is on the main thread.
class daemon {
public:
  daemon(config_sources sources, loaded_config loaded, proxy::listener& listener)
      : sources_{std::move(sources)}, loaded_{std::move(loaded)}, listener_{listener} {}

  /// Returns when a stop was asked for.
  void run() {
    wait_for_signal();
    if (auto const interval = watchdog_interval()) watch(*interval);
    control_.run();
  }

private:
  void wait_for_signal() {
    signals_.async_wait([this](boost::system::error_code error, int number) {
      if (error) return;
      if (number == SIGHUP) {
        reload();
        return wait_for_signal();
      }
      spdlog::info("serve.stop signal={}", number == SIGINT ? "INT" : "TERM");
      // From here on a second signal ends the process the hard way, should the grace be too long for somebody.
      signals_.clear();
      control_.stop();
    });
  }

  void reload() {
    tell_reloading();
    try {
      auto next = load_config(sources_, process_environment());
      auto const changed = compare(loaded_.settings, next.settings);
      set_up_log(next.settings.log);
      loaded_.settings.log = next.settings.log;
      for (auto const& key : changed.live) spdlog::info("serve.reload key={}", key);
      for (auto const& key : changed.restart) spdlog::warn("serve.reload key={} needs=restart", key);
      spdlog::info("serve.reloaded changed={}", changed.live.size());
    } catch (config_error const& error) {
      for (auto const& problem : error.problems())
        spdlog::error("serve.reload_failed problem={}", sync::log_value(problem));
    }
    tell_ready("serving");
  }

  /// A thread that hangs keeps the message from being sent, and systemd starts us anew.
  void watch(std::chrono::microseconds interval) {
    watchdog_.expires_after(interval);
    watchdog_.async_wait([this, interval](boost::system::error_code error) {
      if (error) return;
      if (listener_.responsive()) tell_alive();
      watch(interval);
    });
  }

  config_sources sources_;
  loaded_config loaded_;
  proxy::listener& listener_;
  net::io_context control_{1};
  net::signal_set signals_{control_, SIGINT, SIGTERM, SIGHUP};
  net::steady_timer watchdog_{control_};
};

/// What the status page shows and the health check answers.
proxy::status_facts look_at(store::repository& repository) {
  proxy::status_facts facts;
  auto const usage = repository.measure();
  if (!usage) {
    facts.healthy = false;
    facts.state = "The repository cannot be read: " + usage.error().message();
    return facts;
  }
  facts.repository = proxy::repository_facts{.path = repository.path().string(),
                                             .objects = usage->objects,
                                             .bytes = usage->body_bytes,
                                             .used_bytes = usage->used_bytes,
                                             .quota = usage->quota};
  if (usage->read_only) facts.state = "Serving what is stored; the repository is read-only";
  if (usage->failure) {
    facts.healthy = false;
    facts.state = "Serving, but nothing new can be stored: " + usage->failure.message();
  }
  return facts;
}

/// From here to the end of the block.
class plugged {
public:
  plugged(link_plug const& plug, sync::network_link& link) : plug_{plug} {
    if (plug_) plug_(&link);
  }
  ~plugged() {
    if (plug_) plug_(nullptr);
  }
  plugged(plugged const&) = delete;
  plugged& operator=(plugged const&) = delete;

private:
  link_plug const& plug_;
};

}  // namespace

void serve(config_sources const& sources, link_plug const& plug) {
  auto const started = steady_clock::now();
  auto const loaded = load_config(sources, process_environment());
  set_up_log(loaded.settings.log);
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  raise_descriptor_limit();

  auto const& settings = loaded.settings;
  auto const webroot = find_webroot(settings.server.webroot);
  store::repository repository{repository_options_from(settings)};
  sync::system_clock const wall;
  sync::network_link link{wall, {.doubts = true}};
  link.force(link_mode_from(settings.link));
  sync::resolver names;
  auto client = client_options_from(settings.fetch);
  auto background = client;
  background.rate = pace_from(settings.budget);
  if (!settings.budget.rate_spares_people) client.rate = background.rate;
  sync::budget spending{budget_rules_from(settings.budget), wall, [&link] { return link.metered(); },
                        [&repository](sync::budget_period const& now) { return sync::read_ledger(repository, now); }};
  auto download_settings = download_settings_from(settings);
  download_settings.spending = &spending;
  sync::downloads fetching{repository, link, wall, std::move(download_settings)};
  sync::queue_runner queue{repository, fetching, link, wall, names, background};
  sync::engine engine{{.kept = repository,
                       .fetching = fetching,
                       .link = link,
                       .wall = wall,
                       .names = names,
                       .client = background,
                       .spending = &spending},
                      engine_settings_from(settings)};
  sync::search finding{repository, {.enabled = settings.search.enabled}};
  proxy::api interface {
    {
      .engine = engine, .kept = repository, .link = link, .wall = wall, .version = CISTERN_VERSION,
      .spending = &spending, .search = &finding, .settings = list_settings(settings),
      .queue_changed = [&queue] { queue.wake(); }
    }
  };
  sync::link_watcher const watcher{link, wall, names, client, watch_settings_from(settings.link, repository)};
  plugged const modem{plug, link};
  sync::fetcher fetcher{fetching, link, names, client, fetcher_settings_from(settings)};
  proxy::listener listener{options_from(settings)};
  auto const address = proxy::browser_address(listener.endpoint());
  auto const facts = [&repository, &listener, &link, &queue, started] {
    auto now = look_at(repository);
    now.version = CISTERN_VERSION;
    now.address = proxy::to_text(listener.endpoint());
    now.uptime = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - started);
    now.connections = listener.connections();
    now.link = describe(link);
    now.queued = queue.length();
    return now;
  };
  auto const carried = [&repository, &wall, hosts = settings.intercept.hosts] {
    auto out = carried_hosts(repository, std::chrono::floor<std::chrono::days>(wall.now()));
    out.insert(out.end(), hosts.begin(), hosts.end());
    return out;
  };
  proxy::interception tls{settings.intercept.enabled ? authority_folder(settings) : std::filesystem::path{}, carried};
  proxy::own_pages const own{{.webroot = webroot,
                              .facts = facts,
                              .link = &link,
                              .carried_hosts = carried,
                              .address = "localhost:" + std::to_string(listener.endpoint().port()),
                              .gateway_domain = settings.gateway.enabled ? settings.gateway.domain : std::string{},
                              .authority = tls.known(),
                              .fetching = &fetcher}};
  proxy::dashboard board{
      {.interface = interface,
       .own = own,
       .kept = repository,
       .wall = wall,
       .webroot = webroot,
       .access = {.hosts = settings.dashboard.hosts, .password = settings.dashboard.password},
       .version = CISTERN_VERSION,
       .door = door_from(settings.gateway),
       .gateway_domain = settings.gateway.enabled ? settings.gateway.domain : std::string{},
       .through_proxy = [&tls](std::string const& host) { return describe(tls.standing_of(host)); }}};
  proxy::web_proxy pages{{.kept = repository,
                          .fetching = fetching,
                          .queue = queue,
                          .wall = wall,
                          .own = own,
                          .names = names,
                          .client = client,
                          .webroot = webroot,
                          .board = &board,
                          .tls = &tls},
                         web_settings_from(settings, listener.endpoint().port(), address)};
  daemon running{sources, loaded, listener};

  listener.start(pages);
  address_note const note{repository.path(), proxy::to_text(listener.endpoint())};
  engine.watch();
  finding.start();
  std::cout << "Cistern is at " << address << std::endl;
  spdlog::info("serve.ready address={} data={} config={}", address, sync::log_value(repository.path().string()),
               loaded.file.empty() ? "none" : sync::log_value(loaded.file.string()));
  tell_ready("serving");
  running.run();
  tell_stopping();
  finding.close();  // its last answers go to the listener's threads
  listener.stop();
  spdlog::info("serve.stopped");
}

void add_serve_command(CLI::App& program) {
  auto* const command = program.add_subcommand("serve", "run the daemon until it is told to stop");
  auto const sources = std::make_shared<config_sources>();
  auto const set = [sources](char const* key) {
    return [sources, key](std::string const& value) { sources->settings.emplace_back(key, value); };
  };
  add_config_options(*command, *sources);
  command->add_option_function<std::string>("--listen", set("server.listen"), "address to listen on")
      ->type_name("ADDR:PORT")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->add_option_function<std::string>("--data", set("store.path"), "folder of the repository")
      ->type_name("DIR")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->callback([sources] { serve(*sources); });
}

}  // namespace cistern::tools
