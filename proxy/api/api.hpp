#pragma once

/// The small JSON interface under /api/v1, documented in docs/api.md. The dashboard uses it over HTTP, the commands use
/// it over HTTP when a daemon runs and call it directly when none does, so both always say the same.

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/api/known_setting.hpp"
#include "sync/budget.hpp"
#include "sync/engine/engine.hpp"
#include "sync/queue_runner.hpp"
#include "sync/search/search.hpp"

namespace cistern::proxy {

struct api_request {
  std::string method{};
  std::string target{};  // with its query
  std::string body{};
  std::string type{};  // of the body, where it matters
};

struct api_answer {
  unsigned status = 200;
  std::string type{"application/json"};
  std::string body{};
};

class api {
public:
  struct parts {
    sync::engine& engine;
    store::repository& kept;
    sync::network_link& link;
    sync::clock const& wall;
    std::string version{};
    sync::budget* spending = nullptr;
    sync::search* search = nullptr;  // none: nothing is found
    std::vector<known_setting> settings{};  // without secrets
    std::function<void()> queue_changed{};  // for who fetches what people wait for
  };
  explicit api(parts given) : parts_{std::move(given)} {}

  /// Any executor. Changes are made only when the caller has checked that the request may make them.
  boost::asio::awaitable<api_answer> answer(api_request asked);
  /// What changes while one looks, as one line of JSON: the link and what is being fetched. Cheap; any thread.
  [[nodiscard]] std::string pulse();
  [[nodiscard]] static bool is_change(std::string_view method) { return method != "GET" && method != "HEAD"; }

private:
  boost::asio::awaitable<api_answer> subscriptions(api_request asked, std::string rest);
  boost::asio::awaitable<api_answer> list_subscriptions();
  boost::asio::awaitable<api_answer> add(std::string body);
  boost::asio::awaitable<api_answer> change(std::uint64_t id, std::string body);
  boost::asio::awaitable<api_answer> start_sync(std::string body);
  boost::asio::awaitable<api_answer> pause_sync(std::string body);
  boost::asio::awaitable<api_answer> import_opml(std::string body);
  boost::asio::awaitable<api_answer> queue(api_request asked, std::string rest);
  api_answer list_queue(std::string_view query);
  boost::asio::awaitable<api_answer> items(api_request asked, std::string rest);
  boost::asio::awaitable<api_answer> mark(std::string key, std::string body);
  boost::asio::awaitable<api_answer> mark_read(std::string body);
  boost::asio::awaitable<api_answer> here(api_request asked);
  boost::asio::awaitable<api_answer> find(api_request asked, std::string rest);
  boost::asio::awaitable<api_answer> find_words(std::string query);
  boost::asio::awaitable<api_answer> lab(api_request asked, std::string rest);
  api_answer list(std::string_view query);
  api_answer item(std::string const& key);
  api_answer savings(std::string_view query);
  boost::asio::awaitable<api_answer> rhythm(std::uint64_t id);
  api_answer settings();
  api_answer diagnostics();
  api_answer status();
  api_answer journal(std::string_view query);

  struct site_totals {
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
    std::uint64_t unread = 0;
    std::uint64_t starred = 0;
  };
  [[nodiscard]] std::map<std::uint64_t, site_totals> totals();
  [[nodiscard]] static boost::json::object counts_of(std::map<std::uint64_t, site_totals> const& counted,
                                                     std::optional<std::set<std::uint64_t>> const& wanted);
  void count_anew();
  void add_totals(boost::json::object& site, store::subscription const& feed,
                  std::map<std::uint64_t, site_totals> const& all);

  parts parts_;
  std::mutex totals_mutex_;
  std::map<std::uint64_t, site_totals> totals_;
  std::chrono::steady_clock::time_point totals_until_{};
};

}  // namespace cistern::proxy
