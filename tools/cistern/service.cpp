#include "tools/cistern/service.hpp"

#include "proxy/api/api.hpp"
#include "sync/engine/engine.hpp"
#include "sync/ledger.hpp"
#include "tools/cistern/address_note.hpp"
#include "tools/cistern/budget_settings.hpp"
#include "tools/cistern/log.hpp"
#include "tools/cistern/repository_settings.hpp"
#include "tools/cistern/serve_settings.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace cistern::tools {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto between_looks = 250ms;

json::object parsed(daemon_answer const& answer) {
  json::error_code error;
  auto value = json::parse(answer.body, error);
  if (error || !value.is_object()) throw std::runtime_error{"the daemon's answer cannot be understood: " + answer.body};
  auto& object = value.as_object();
  if (answer.status >= 400) {
    auto const* const why = object.if_contains("error");
    throw std::runtime_error{why && why->is_string() ? std::string{why->as_string()} : answer.body};
  }
  return object;
}

/// A daemon answers there, and it is this repository's: another may run for another folder.
bool serves_here(std::string const& address, std::filesystem::path const& data) {
  auto const answer = call_daemon(address, "GET", "/api/v1/status");
  if (!answer || answer->status != 200) return false;
  auto const status = parsed(*answer);
  std::error_code ignored;
  return std::filesystem::equivalent(std::string{status.at("data").as_string()}, data, ignored);
}

sync::download_settings with_budget(sync::download_settings settings, sync::budget& spending) {
  settings.spending = &spending;
  return settings;
}

sync::client_options with_pace(sync::client_options options, budget_config const& settings) {
  options.rate = pace_from(settings);
  return options;
}

bool is_passing(json::object const& status) { return status.at("sync").at("passing").as_bool(); }

std::uint64_t passes(json::object const& status) { return status.at("sync").at("passes").to_number<std::uint64_t>(); }

}  // namespace

class local_parts {
public:
  explicit local_parts(config const& settings)
      : kept_{repository_options_from(settings)},
        link_{wall_},
        spending_{budget_rules_from(settings.budget), wall_, [this] { return link_.metered(); },
                  [this](sync::budget_period const& now) { return sync::read_ledger(kept_, now); }},
        fetching_{kept_, link_, wall_, with_budget(download_settings_from(settings), spending_)},
        engine_{{.kept = kept_,
                 .fetching = fetching_,
                 .link = link_,
                 .wall = wall_,
                 .names = names_,
                 .client = with_pace(client_options_from(settings.fetch), settings.budget),
                 .spending = &spending_},
                engine_settings_from(settings)},
        search_{kept_, {.enabled = settings.search.enabled}},
        api_{{.engine = engine_,
              .kept = kept_,
              .link = link_,
              .wall = wall_,
              .version = CISTERN_VERSION,
              .search = &search_}} {
    link_.force(link_mode_from(settings.link));
  }

  proxy::api_answer answer(proxy::api_request asked) { return run(api_.answer(std::move(asked))); }

  template <class T>
  auto start(boost::asio::awaitable<T> work) {
    return boost::asio::co_spawn(engine_.executor(), std::move(work), boost::asio::use_future);
  }
  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return start(std::move(work)).get();
  }
  sync::engine& engine() { return engine_; }
  sync::search& finding() { return search_; }

private:
  store::repository kept_;
  sync::system_clock wall_;
  sync::network_link link_;
  sync::resolver names_;
  sync::budget spending_;
  sync::downloads fetching_;
  sync::engine engine_;
  sync::search search_;  // works only once it is asked for, or during a pass
  proxy::api api_;
};

service::service(config_sources const& sources) : settings_{load_config(sources, process_environment()).settings} {
  address_ = noted_address(settings_.store.path).value_or(settings_.server.listen);
  if (serves_here(address_, settings_.store.path)) return;
  settings_.log.level = settings_.log.level == "info" ? "warning" : settings_.log.level;  // the command itself speaks
  set_up_log(settings_.log);
  std::signal(SIGPIPE, SIG_IGN);
  local_ = std::make_unique<local_parts>(settings_);
}

service::~service() = default;

daemon_answer service::call_raw(std::string_view method, std::string_view target, std::string_view body) {
  if (local_) {
    auto answer = local_->answer({std::string{method}, std::string{target}, std::string{body}});
    return {static_cast<int>(answer.status), std::move(answer.body)};
  }
  auto answer = call_daemon(address_, method, target, body);
  if (!answer) throw std::runtime_error{"the daemon at " + address_ + " went away; is it still running?"};
  return std::move(*answer);
}

json::object service::call(std::string_view method, std::string_view target, std::string_view body) {
  return parsed(call_raw(method, target, body));
}

json::object service::pass(std::function<void(json::object const&)> const& tell) {
  if (local_) {
    local_->finding().start_when_needed();
    auto ending = local_->start(local_->engine().pass({.why = "asked for", .asked = true}));
    while (ending.wait_for(between_looks) != std::future_status::ready) tell(call("GET", "/api/v1/sync"));
    ending.get();
    return call("GET", "/api/v1/sync");
  }
  auto const before = call("POST", "/api/v1/sync").at("passes").to_number<std::uint64_t>();
  for (;;) {
    std::this_thread::sleep_for(between_looks);
    auto const now = call("GET", "/api/v1/sync");
    if (passes(now) > before && !is_passing(now)) return now;
    tell(now);
  }
}

bool service::finish_index(std::chrono::seconds at_most) { return !local_ || local_->finding().finish(at_most); }

}  // namespace cistern::tools
