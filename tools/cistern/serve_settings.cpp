#include "tools/cistern/serve_settings.hpp"

#include "stitch/site.hpp"
#include "store/http_date.hpp"
#include "sync/http/address_class.hpp"
#include "sync/http/origin.hpp"
#include "sync/http/parent_proxy.hpp"
#include "tools/cistern/fetch_settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

namespace cistern::tools {

sync::client_options client_options_from(fetch_config const& settings) {
  sync::client_options out;
  out.ca_file = settings.ca_file.string();
  if (settings.parent_proxy.empty()) {
    auto rules = sync::proxy_rules_from([](char const* name) { return std::getenv(name); });
    if (!rules)
      throw std::runtime_error{
          "http_proxy, https_proxy or all_proxy in the environment is no proxy address; unset or correct it"};
    out.parents = std::move(*rules);
  } else {
    auto const parent = sync::parse_parent_proxy(settings.parent_proxy);
    if (!parent) throw std::runtime_error{"fetch.parent_proxy is no proxy address; write it as http://host:port"};
    out.parents = {.for_http = *parent, .for_https = *parent, .except = {}};
  }
  return out;
}

sync::download_settings download_settings_from(config const& settings) {
  sync::download_settings out;
  out.caching.shared = settings.proxy.shared;
  out.caching.offline_serves_everything = settings.proxy.serve_stale_offline;
  out.limits.dns = settings.fetch.dns_timeout;
  out.limits.connect = settings.fetch.connect_timeout;
  out.limits.first_byte = settings.fetch.first_byte_timeout;
  out.limits.between_bytes = settings.fetch.idle_timeout;
  out.longest_unsaved = settings.fetch.commit_interval;
  return out;
}

sync::engine_settings engine_settings_from(config const& settings) {
  auto const& from = settings.sync;
  auto const seconds = [](duration span) { return std::chrono::duration_cast<std::chrono::seconds>(span); };
  sync::engine_settings out;
  out.feeds.user_agent = user_agent_from(settings.fetch);
  out.feeds.floors.with_validators = seconds(from.floor);
  out.feeds.floors.without_validators = seconds(from.floor_without_validators);
  out.feeds.whole_read_every = seconds(from.whole_read_every);
  out.feeds.largest = from.feed_limit.count;
  out.feeds.archive_pages = static_cast<std::size_t>(from.archive_pages);
  out.feeds.limits.dns = settings.fetch.dns_timeout;
  out.feeds.limits.connect = settings.fetch.connect_timeout;
  out.feeds.limits.first_byte = settings.fetch.first_byte_timeout;
  out.feeds.limits.between_bytes = settings.fetch.idle_timeout;
  if (!from.allow_private) out.feeds.allow_address = sync::is_public;
  out.news.first_items = static_cast<std::size_t>(from.first_items);
  out.hosts.connections_per_host = static_cast<std::size_t>(from.connections_per_host);
  out.hosts.pause = from.host_pause;
  out.hosts.feed_pause = from.feed_pause;
  out.feeds_at_once = static_cast<std::size_t>(from.feeds_at_once);
  out.jobs_at_once = static_cast<std::size_t>(from.jobs_at_once);
  out.retries.base = from.backoff_base;
  out.retries.cap = from.backoff_cap;
  out.articles.largest_part = from.part_limit.count;
  out.articles.next_pages = static_cast<std::uint32_t>(from.next_pages);
  out.articles.choose.image_width = static_cast<double>(from.image_width);
  out.homepages.versions = static_cast<std::uint32_t>(settings.store.homepage_versions);
  out.plan.start = sync::system_clock{}.now();
  out.plan.average_interval = seconds(from.interval);
  out.plan.shortest_gap = std::max(seconds(from.floor), std::chrono::seconds{60});
  return out;
}

sync::watch_settings watch_settings_from(link_config const& settings, store::repository& repository) {
  sync::watch_settings out;
  out.probe = {.url = settings.probe_url, .body = settings.probe_body, .captive_api = settings.captive_api};
  out.metered_interfaces = settings.metered_interfaces;
  static_cast<void>(repository.scan<store::subscription>({}, [&](store::subscription const& s) {
    out.newest = std::max({out.newest, s.added, s.last_visit});
    return true;
  }));
  return out;
}

sync::link_mode link_mode_from(link_config const& settings) {
  if (settings.mode == "online") return sync::link_mode::online;
  if (settings.mode == "offline") return sync::link_mode::offline;
  return sync::link_mode::automatic;
}

proxy::web_proxy_settings web_settings_from(config const& all, std::uint16_t own_port, std::string dashboard) {
  auto const& settings = all.proxy;
  proxy::web_proxy_settings out;
  out.own_port = own_port;
  out.connect_ports.clear();
  for (auto const port : settings.connect_ports) out.connect_ports.insert(static_cast<std::uint16_t>(port));
  out.patience = settings.patience;
  out.allow_private = settings.allow_private;
  out.dashboard = std::move(dashboard);
  out.gateway.enabled = all.gateway.enabled;
  out.gateway.domain = all.gateway.domain;
  out.gateway.allow_private = all.gateway.allow_private;
  return out;
}

std::filesystem::path authority_folder(config const& settings) { return settings.store.path / "ca"; }

std::function<std::string(std::string_view, std::string_view)> door_from(gateway_config const& settings) {
  if (!settings.enabled) return {};
  return [settings](std::string_view url, std::string_view host) -> std::string {
    boost::system::error_code not_literal;
    auto const literal = boost::asio::ip::make_address(std::string{stitch::host_of(url)}, not_literal);
    if (!not_literal && !settings.allow_private && !sync::is_public(literal)) return {};  // refused there
    return proxy::gateway_address(settings.domain, url, host);
  };
}

std::string describe(proxy::interception::standing standing) {
  using enum proxy::interception::standing;
  switch (standing) {
    case off:
      return "off";
    case not_carried:
    case not_covered:
      return "not_covered";
    case refused:
      return "refused";
    case wants_certificate:
      return "wants_certificate";
    case read_here:
      return "read_here";
  }
  return "off";
}

std::string describe(sync::network_link const& link) {
  if (link.mode() == sync::link_mode::offline) return "offline, by command";
  std::string out = link.state() == sync::link_state::up       ? "up"
                    : link.state() == sync::link_state::portal ? "behind a login page"
                                                               : "down";
  if (link.state() != sync::link_state::up && link.since().time_since_epoch().count() > 0)
    out += " since " + store::format_http_date(link.since());
  if (link.mode() == sync::link_mode::online) {
    out += ", by command";
  } else if (link.state() != sync::link_state::up && !link.reason().empty()) {
    out += ": " + link.reason();
  }
  if (link.metered()) out += ", metered";
  if (link.clock_wrong()) out += ". " + link.clock_trouble();
  return out;
}

}  // namespace cistern::tools
