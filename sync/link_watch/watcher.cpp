#include "sync/link_watch/watcher.hpp"

#include "sync/link_watch/clock_check.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using steady = std::chrono::steady_clock;

constexpr auto quiet = net::as_tuple(net::use_awaitable);

void report(std::exception_ptr const& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (std::exception const& e) {
    spdlog::warn("link.watch_failed error={}", log_value(e.what()));
  }
}

std::string_view word_of(link_state state) {
  return state == link_state::up ? "up" : state == link_state::portal ? "portal" : "down";
}

}  // namespace

bool matches_interface(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

link_watcher::link_watcher(network_link& link, clock const& wall, resolver& names, client_options options,
                           watch_settings settings)
    : link_{link},
      wall_{wall},
      settings_{std::move(settings)},
      client_{std::make_unique<http_client>(io_.get_executor(), names, std::move(options))},
      way_{default_route()} {
  on_link_ = link_.subscribe(io_.get_executor(), [this, &names](link_state state) {
    spdlog::info("link state={} reason={} metered={}", word_of(state), log_value(link_.reason()), link_.metered());
    if (state == link_state::up) {
      names.forget_failures();
      client_->drop_idle();
    }
    nap_.cancel();
  });
  if (way_) link_.set_name(way_->interface);
  settle_metered();
  if (can_ask()) {
    link_.doubt();
    ask_now_ = true;
  }
  auto const told = [this](manager_facts facts) { manager_says(facts); };
  net::co_spawn(io_, watch_routes(), report);
  net::co_spawn(io_, keep_asking(), report);
  net::co_spawn(io_, watch_clock(), report);
  net::co_spawn(io_, follow_network_manager(settings_.bus, told), report);
  thread_ = std::thread{[this] { io_.run(); }};
}

link_watcher::~link_watcher() {
  io_.stop();
  thread_.join();
  on_link_ = {};
}

net::awaitable<void> link_watcher::watch_routes() {
  route_events events{io_.get_executor()};
  way_changed(default_route());  // since we looked
  for (;;) {
    co_await events.changed();
    way_changed(default_route());
  }
}

void link_watcher::way_changed(std::optional<way_out> now) {
  if (now == way_) return;
  auto const before = std::exchange(way_, std::move(now));
  if (!way_) {
    coming_.reset();
    return link_.observed(link_state::down, "the default route is gone");
  }
  link_.set_name(way_->interface);
  settle_metered();
  auto reason = "there is a default route by " + way_->interface;
  // Connections over the old way are dead without knowing it.
  if (before && link_.state() == link_state::up)
    link_.observed(link_state::down, "the way out changed to " + way_->interface);
  if (!can_ask()) return link_.came_back(std::move(reason));
  coming_ = std::move(reason);
  ask_now_ = true;
  nap_.cancel();
}

/// Probes while there is doubt or no link, at growing intervals, and at once when a way came.
net::awaitable<void> link_watcher::keep_asking() {
  auto pause = link_.options().first_probe;
  for (;;) {
    auto const wanted = can_ask() && way_ && link_.mode() == link_mode::automatic &&
                        (ask_now_ || link_.state() != link_state::up || link_.in_doubt());
    if (!wanted || ask_now_) pause = link_.options().first_probe;
    if (!std::exchange(ask_now_, false) || !wanted) {
      nap_.expires_at(wanted ? steady::now() + pause : steady::time_point::max());
      auto const [woken] = co_await nap_.async_wait(quiet);
      if (woken) continue;
      pause = std::min(pause * 2, link_.options().slowest_probe);
    }
    auto const asked_about = way_;
    auto const found = co_await ask();
    if (way_ != asked_about || !way_) continue;  // that was another link
    if (found == probe_finding::internet) link_.observed(link_state::up, "the probe was answered");
    if (found == probe_finding::portal)
      link_.observed(link_state::portal, "somebody else answered the probe: a login page");
    // No answer: requests shall find out, and nothing is believed over plain http until then.
    if (found == probe_finding::nothing && coming_) link_.came_back(*coming_);
    coming_.reset();
  }
}

/// The network's own word first: it costs least and knows best.
net::awaitable<probe_finding> link_watcher::ask() {
  auto settings = settings_.probe;
  settings.captive_api = captive_api();
  auto const told = co_await probe_captive_api(*client_, settings);
  if (told != probe_finding::nothing) co_return told;
  co_return co_await probe_page(*client_, settings);
}

std::string link_watcher::captive_api() const {
  if (!settings_.probe.captive_api.empty() || !way_) return settings_.probe.captive_api;
  return captive_api_in_lease(settings_.leases / std::to_string(way_->index));
}

void link_watcher::manager_says(manager_facts facts) {
  using reach = manager_facts::connectivity;
  manager_ = facts;
  settle_metered();
  if (facts.reach == reach::portal) link_.observed(link_state::portal, "NetworkManager sees a login page");
  if (facts.reach == reach::full) link_.observed(link_state::up, "NetworkManager reaches the internet");
  // It knows only of connections that are its own: another's default route counts more than its "none".
  if (facts.reach == reach::none && !way_) link_.observed(link_state::down, "NetworkManager has no connection");
  if (facts.reach == reach::limited) link_.doubt();
}

void link_watcher::settle_metered() {
  auto const& patterns = settings_.metered_interfaces;
  auto const by_name =
      way_ && std::ranges::any_of(patterns, [&](auto const& p) { return matches_interface(p, way_->interface); });
  link_.set_metered(manager_.metered.value_or(by_name));
}

net::awaitable<void> link_watcher::watch_clock() {
  net::steady_timer timer{io_};
  for (;;) {
    auto const trouble =
        clock_is_kept_right() ? std::nullopt : clock_trouble(wall_.now(), build_day(), settings_.newest);
    if (trouble.has_value() != link_.clock_wrong()) spdlog::warn("link.clock wrong={}", trouble.has_value());
    link_.set_clock_trouble(trouble.value_or(std::string{}));
    timer.expires_after(settings_.clock_interval);
    co_await timer.async_wait(net::use_awaitable);
  }
}

}  // namespace cistern::sync
