#pragma once

/// What can be set, with every default beside its field; each suits one person on localhost.
/// Read and checked once at the start (config_load.hpp); parts receive the few values they need, never the whole.
/// A new setting is a field here and a line in config_keys.cpp: the file, the environment, `--set`, the dump, the
/// checks and docs/configuration.md all follow from that line.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cistern::tools {

/// A number of bytes, apart from plain numbers because it is written "2 GiB".
struct byte_size {
  std::uint64_t count{};
  auto operator<=>(byte_size const&) const = default;
};

constexpr byte_size kib(std::uint64_t n) { return {n << 10}; }
constexpr byte_size mib(std::uint64_t n) { return {n << 20}; }
constexpr byte_size gib(std::uint64_t n) { return {n << 30}; }

using duration = std::chrono::milliseconds;
using number = std::int64_t;
using numbers = std::vector<number>;
using texts = std::vector<std::string>;

struct server_config {
  std::string listen = "127.0.0.1:8910";
  number threads = 0;  // 0: one a core
  number max_connections = 16384;
  number max_connections_per_client = 16384;
  byte_size header_limit = kib(64);
  duration header_timeout = std::chrono::seconds{20};
  duration idle_timeout = std::chrono::minutes{2};
  duration body_timeout = std::chrono::seconds{60};
  byte_size request_body_limit = mib(16);
  duration shutdown_grace = std::chrono::seconds{5};
  std::filesystem::path webroot;  // empty: the one that came with the program
};

struct store_config {
  std::filesystem::path path;  // empty until loaded: then the data directory (config_load.hpp)
  byte_size quota = gib(4);
  byte_size map_reserve = gib(64);
  byte_size resident_limit = mib(32);
  number homepage_versions = 8;
};

struct log_config {
  std::string level = "info";
  std::string format = "text";
  bool scrub_queries = true;
};

struct proxy_config {
  numbers connect_ports = {443};
  bool serve_stale_offline = true;
  duration patience = std::chrono::seconds{2};
  bool shared = true;
  bool allow_private = false;
};

struct fetch_config {
  std::string parent_proxy;
  std::filesystem::path ca_file;
  duration connect_timeout = std::chrono::seconds{15};
  duration dns_timeout = std::chrono::seconds{10};
  duration first_byte_timeout = std::chrono::seconds{30};
  duration idle_timeout = std::chrono::seconds{45};
  std::string user_agent;  // empty: the program's own name and version
  byte_size max_body = gib(8);
  duration commit_interval = std::chrono::seconds{1};
};

struct gateway_config {
  bool enabled = true;
  std::string domain = "localhost";
  bool allow_private = false;
};

struct intercept_config {
  bool enabled = true;
  texts hosts;
};

struct link_config {
  std::string mode = "auto";
  std::string probe_url;  // empty: no probe
  std::string probe_body;
  std::string captive_api;
  texts metered_interfaces = {"wwan*", "ppp*"};
};

struct budget_config {
  byte_size per_day{};  // 0: no limit, here and below
  byte_size per_month{};
  number month_starts = 1;
  texts limits{};  // "enclosures 20MB/day"
  texts hours{};   // "enclosures 01-05"
  std::string rate{"0"};
  bool rate_spares_people = true;
  texts metered_wait = {"enclosures"};
};

struct sync_config {
  duration interval = std::chrono::hours{2};
  duration floor = std::chrono::hours{1};
  duration floor_without_validators = std::chrono::hours{24};
  duration whole_read_every = std::chrono::hours{24 * 7};
  number feeds_at_once = 16;
  number jobs_at_once = 6;
  number connections_per_host = 2;
  duration host_pause = std::chrono::milliseconds{250};
  duration feed_pause = std::chrono::seconds{1};
  number first_items = 10;
  byte_size feed_limit = mib(16);
  byte_size part_limit = mib(16);
  number next_pages = 3;
  number image_width = 1280;
  number archive_pages = 4;
  bool allow_private = false;
  duration backoff_base = std::chrono::seconds{1};
  duration backoff_cap = std::chrono::minutes{15};
};

struct dashboard_config {
  texts hosts{};
  std::string password;
};

struct search_config {
  bool enabled = true;
};

struct config {
  server_config server;
  store_config store;
  log_config log;
  proxy_config proxy;
  fetch_config fetch;
  gateway_config gateway;
  intercept_config intercept;
  link_config link;
  sync_config sync;
  budget_config budget;
  dashboard_config dashboard;
  search_config search;
};

}  // namespace cistern::tools
