#include "tools/cistern/config_keys.hpp"

#include "proxy/dashboard/password.hpp"
#include "proxy/listen_address.hpp"
#include "tools/cistern/budget_settings.hpp"

#include <algorithm>
#include <cctype>

namespace cistern::tools {
namespace {

template <auto Section, auto Member>
setting in(config& settings) {
  return &(settings.*Section.*Member);
}

using c = config;
constexpr number ms = 1, second = 1000 * ms, hour = 3600 * second;
constexpr number kibibyte = 1024, mebibyte = 1024 * kibibyte;
constexpr limits timeout{100 * ms, 24 * hour};
constexpr number most = std::numeric_limits<number>::max();

bool is_listen_address(std::string_view text) { return proxy::parse_listen_address(text).has_value(); }

bool is_https_url(std::string_view text) { return text.empty() || text.starts_with("https://"); }

bool is_domain(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' && std::ranges::all_of(text, [](unsigned char ch) {
    return std::islower(ch) || std::isdigit(ch) || ch == '-' || ch == '.';
  });
}

bool is_proxy_url(std::string_view text) { return text.empty() || text.starts_with("http://"); }

bool is_dashboard_password(std::string_view text) { return text.empty() || proxy::is_password_hash(text); }

// clang-format off
config_key const table[] = {
  {"server", "listen", in<&c::server, &server_config::listen>, "address and port to listen on, as ADDRESS:PORT, [IPV6]:PORT or *:PORT for every address", {}, {}, false, is_listen_address},
  {"server", "threads", in<&c::server, &server_config::threads>, "network threads; 0 is one a core", {0, 256}},
  {"server", "max_connections", in<&c::server, &server_config::max_connections>, "connections open at once; more are told to come back", {1, 1'000'000}},
  {"server", "max_connections_per_client", in<&c::server, &server_config::max_connections_per_client>, "of these, from one address", {1, 1'000'000}},
  {"server", "header_limit", in<&c::server, &server_config::header_limit>, "largest request head", {kibibyte, mebibyte}},
  {"server", "header_timeout", in<&c::server, &server_config::header_timeout>, "how long a request head may take to arrive", timeout},
  {"server", "idle_timeout", in<&c::server, &server_config::idle_timeout>, "how long a connection may wait between requests", timeout},
  {"server", "body_timeout", in<&c::server, &server_config::body_timeout>, "how long a body may stand still in either direction", timeout},
  {"server", "request_body_limit", in<&c::server, &server_config::request_body_limit>, "largest request body", {0, most}},
  {"server", "shutdown_grace", in<&c::server, &server_config::shutdown_grace>, "how long answers under way may go on after a stop was asked for", {0, hour}},
  {"server", "webroot", in<&c::server, &server_config::webroot>, "folder of the program's own pages; empty is the one that came with it"},

  {"store", "path", in<&c::store, &store_config::path>, "folder of the repository"},
  {"store", "quota", in<&c::store, &store_config::quota>, "space the repository may use before it evicts", {16 * mebibyte, most}},
  {"store", "map_reserve", in<&c::store, &store_config::map_reserve>, "address space to ask for; tried smaller until it fits", {16 * mebibyte, most}},
  {"store", "resident_limit", in<&c::store, &store_config::resident_limit>, "how much of the repository's map stays in memory", {mebibyte, most}},
  {"store", "homepage_versions", in<&c::store, &store_config::homepage_versions>, "dated versions of a homepage to keep for learning", {2, 1000}},

  {"log", "level", in<&c::log, &log_config::level>, "least severe event to write", {}, "trace|debug|info|warning|error|off", true},
  {"log", "format", in<&c::log, &log_config::format>, "one event a line, as text or as a JSON object", {}, "text|json", true},
  {"log", "scrub_queries", in<&c::log, &log_config::scrub_queries>, "leave query strings out of logged URLs; passwords always are", {}, {}, true},

  {"proxy", "connect_ports", in<&c::proxy, &proxy_config::connect_ports>, "ports that CONNECT may reach", {1, 65535}},
  {"proxy", "serve_stale_offline", in<&c::proxy, &proxy_config::serve_stale_offline>, "offline, serve stored copies even when the origin wanted to be asked again"},
  {"proxy", "patience", in<&c::proxy, &proxy_config::patience>, "how long a stored but stale page waits for the network before it is served as it is", {0, hour}},
  {"proxy", "shared", in<&c::proxy, &proxy_config::shared>, "several people use this: what is private to one is not kept"},
  {"proxy", "allow_private", in<&c::proxy, &proxy_config::allow_private>, "let requests reach private and loopback addresses"},

  {"fetch", "parent_proxy", in<&c::fetch, &fetch_config::parent_proxy>, "proxy that everything is fetched through, as http://[USER:PASSWORD@]HOST:PORT; empty is none", {}, {}, false, is_proxy_url},
  {"fetch", "ca_file", in<&c::fetch, &fetch_config::ca_file>, "certificates that origins are verified against; empty is the system's"},
  {"fetch", "connect_timeout", in<&c::fetch, &fetch_config::connect_timeout>, "how long a connection may take to be made", timeout},
  {"fetch", "dns_timeout", in<&c::fetch, &fetch_config::dns_timeout>, "how long a name look-up is waited for", timeout},
  {"fetch", "first_byte_timeout", in<&c::fetch, &fetch_config::first_byte_timeout>, "how long an origin may think before it answers", timeout},
  {"fetch", "idle_timeout", in<&c::fetch, &fetch_config::idle_timeout>, "how long a download may stand still", timeout},
  {"fetch", "user_agent", in<&c::fetch, &fetch_config::user_agent>, "what origins are told; empty is the program's name and version"},
  {"fetch", "max_body", in<&c::fetch, &fetch_config::max_body>, "largest file to download", {mebibyte, most}},
  {"fetch", "commit_interval", in<&c::fetch, &fetch_config::commit_interval>, "how long what arrives may wait before it is on the disk: what a power cut costs", {1, 60'000}},

  {"sync", "interval", in<&c::sync, &sync_config::interval>, "how often a feed is visited on average; the policy gives the visits to those that gain most", {60 * second, 30 * 24 * hour}},
  {"sync", "floor", in<&c::sync, &sync_config::floor>, "never visit a feed again sooner, whatever it posts", {0, 30 * 24 * hour}},
  {"sync", "floor_without_validators", in<&c::sync, &sync_config::floor_without_validators>, "the same for a feed that gives neither ETag nor Last-Modified", {0, 30 * 24 * hour}},
  {"sync", "whole_read_every", in<&c::sync, &sync_config::whole_read_every>, "how often a feed is read to its end, for edits further down", {0, 365 * 24 * hour}},
  {"sync", "feeds_at_once", in<&c::sync, &sync_config::feeds_at_once>, "feeds visited at the same time", {1, 256}},
  {"sync", "jobs_at_once", in<&c::sync, &sync_config::jobs_at_once>, "pages and files fetched at the same time", {1, 64}},
  {"sync", "connections_per_host", in<&c::sync, &sync_config::connections_per_host>, "connections to one host", {1, 16}},
  {"sync", "host_pause", in<&c::sync, &sync_config::host_pause>, "pause between two requests to a host", {0, hour}},
  {"sync", "feed_pause", in<&c::sync, &sync_config::feed_pause>, "pause between two feeds of a host", {0, hour}},
  {"sync", "first_items", in<&c::sync, &sync_config::first_items>, "articles fetched when a feed is new", {0, 100'000}},
  {"sync", "feed_limit", in<&c::sync, &sync_config::feed_limit>, "bytes of a feed that are read at most", {kibibyte, most}},
  {"sync", "part_limit", in<&c::sync, &sync_config::part_limit>, "largest page, picture or style that is fetched for an article", {kibibyte, most}},
  {"sync", "next_pages", in<&c::sync, &sync_config::next_pages>, "following pages of an article that goes on elsewhere", {0, 100}},
  {"sync", "image_width", in<&c::sync, &sync_config::image_width>, "width in pixels that is enough for any picture", {16, 100'000}},
  {"sync", "archive_pages", in<&c::sync, &sync_config::archive_pages>, "pages of a feed's archive that are walked back when items were missed", {0, 1000}},
  {"sync", "allow_private", in<&c::sync, &sync_config::allow_private>, "let feeds and pages lead to private and loopback addresses"},
  {"sync", "backoff_base", in<&c::sync, &sync_config::backoff_base>, "longest wait after a host's first failure; it doubles with each further one", timeout},
  {"sync", "backoff_cap", in<&c::sync, &sync_config::backoff_cap>, "longest wait between two attempts at a host", timeout},

  {"gateway", "enabled", in<&c::gateway, &gateway_config::enabled>, "carry sites under names like www.example.org.localhost, for browsers that are not set up"},
  {"gateway", "domain", in<&c::gateway, &gateway_config::domain>, "what follows a site's name there; another than localhost needs a wildcard in your own DNS", {}, {}, false, is_domain},
  {"gateway", "allow_private", in<&c::gateway, &gateway_config::allow_private>, "carry sites on private and loopback addresses there; a page from outside could then reach the neighbours"},

  {"intercept", "enabled", in<&c::intercept, &intercept_config::enabled>, "with a certificate authority (cistern ca init), end TLS here for carried sites"},
  {"intercept", "hosts", in<&c::intercept, &intercept_config::hosts>, "hosts to carry for browsers that use the proxy, beside those of the subscriptions"},

  {"dashboard", "hosts", in<&c::dashboard, &dashboard_config::hosts>, "names besides localhost under which the dashboard may be opened"},
  {"dashboard", "password", in<&c::dashboard, &dashboard_config::password>, "what `cistern password` prints; without it only this machine may open the dashboard", {}, {}, false, is_dashboard_password},

  {"search", "enabled", in<&c::search, &search_config::enabled>, "keep an index of all that is stored, for the dashboard's search and `cistern search`; about 2 bytes on the disk for each byte of text"},

  {"link", "mode", in<&c::link, &link_config::mode>, "watch the link, or take it as up or as down", {}, "auto|online|offline"},
  {"link", "probe_url", in<&c::link, &link_config::probe_url>, "page that is asked when it is doubtful whether this is the internet, as http://HOST/PATH; empty asks nobody", {}, {}, false, is_proxy_url},
  {"link", "probe_body", in<&c::link, &link_config::probe_body>, "exactly what is at link.probe_url; anything else is a login page"},
  {"link", "captive_api", in<&c::link, &link_config::captive_api>, "the network's captive portal API (RFC 8908), as https://HOST/PATH; empty is the one in the DHCP lease, if any", {}, {}, false, is_https_url},
  {"link", "metered_interfaces", in<&c::link, &link_config::metered_interfaces>, "interfaces whose bytes cost money, with a * at the end for all that begin so; NetworkManager's word counts more"},

  {"budget", "per_day", in<&c::budget, &budget_config::per_day>, "bytes that may cross the link in a day, both ways; 0 is no limit", {0, most}},
  {"budget", "per_month", in<&c::budget, &budget_config::per_month>, "bytes that may cross the link in a month; 0 is no limit", {0, most}},
  {"budget", "month_starts", in<&c::budget, &budget_config::month_starts>, "day on which the month's bytes are new", {1, 28}},
  {"budget", "limits", in<&c::budget, &budget_config::limits>, "limits by class, as CLASS SIZE/day or CLASS SIZE/month; the classes are people, feeds, pages, requisites, homepages and enclosures", {}, {}, false, is_class_limit},
  {"budget", "hours", in<&c::budget, &budget_config::hours>, "hours of the day by class in the box's own time, as CLASS HH[:MM]-HH[:MM]; a class without any is fetched at all hours", {}, {}, false, is_class_hours},
  {"budget", "rate", in<&c::budget, &budget_config::rate>, "rate of all downloads together, as SIZE/s; 0 is as fast as it goes", {}, {}, false, is_rate},
  {"budget", "rate_spares_people", in<&c::budget, &budget_config::rate_spares_people>, "what a person waits for is not slowed by the rate"},
  {"budget", "metered_wait", in<&c::budget, &budget_config::metered_wait>, "what waits while the link is metered, as classes or images", {}, {}, false, is_metered_word},
};
// clang-format on

}  // namespace

std::span<config_key const> config_keys() { return table; }

std::string full_name(config_key const& key) { return std::string{key.section} + '.' + std::string{key.name}; }

std::string variable_name(config_key const& key) {
  auto name = "CISTERN_" + std::string{key.section} + '_' + std::string{key.name};
  std::ranges::transform(name, name.begin(), [](unsigned char ch) { return static_cast<char>(std::toupper(ch)); });
  return name;
}

config_key const* find_key(std::string_view section, std::string_view name) {
  auto const found =
      std::ranges::find_if(table, [&](auto const& key) { return key.section == section && key.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

setting setting_of(config_key const& key, config const& settings) { return key.in(const_cast<config&>(settings)); }

}  // namespace cistern::tools
