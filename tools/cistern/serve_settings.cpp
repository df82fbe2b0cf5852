#include "tools/cistern/serve_settings.hpp"

#include "store/http_date.hpp"
#include "sync/http/origin.hpp"
#include "sync/http/parent_proxy.hpp"

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

std::string describe(sync::network_link const& link) {
  if (link.mode() == sync::link_mode::offline) return "offline, by command";
  std::string out = link.state() == sync::link_state::up       ? "up"
                    : link.state() == sync::link_state::portal ? "behind a login page"
                                                               : "down";
  if (link.state() != sync::link_state::up && link.since().time_since_epoch().count() > 0)
    out += " since " + store::format_http_date(link.since());
  if (link.mode() == sync::link_mode::online) out += ", by command";
  return out;
}

std::vector<std::string> carried_hosts(store::repository& repository) {
  std::set<std::string> hosts;
  static_cast<void>(repository.scan<store::subscription>({}, [&](store::subscription const& s) {
    for (auto const& url : {s.homepage_url, s.feed_url})
      if (auto const parsed = sync::parse_url(url)) hosts.insert(parsed->to.host);
    return true;
  }));
  return {hosts.begin(), hosts.end()};
}

}  // namespace cistern::tools
