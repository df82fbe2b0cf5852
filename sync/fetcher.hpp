#pragma once

#include "sync/backoff.hpp"
#include "sync/watched_fetch.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace cistern::sync {

struct fetcher_settings {
  backoff_settings waits{};
  store::header_block fields{};         // sent with every request
  std::optional<std::uint64_t> most{};  // bytes of a file
  std::size_t at_once = 64;             // wanted at a time; more are refused
};

/// Fetches what somebody wants now and does not give up before it is there: attempt after attempt, each going on where
/// the last one broke, with the waits of `backoff` between them, ended early when the link comes back. It ends without
/// the file only when the origin says that there is none, or when it may not be had. Has a thread of its own; any
/// thread may call. What it has learned is forgotten with it; the bytes are in the repository.
class fetcher {
public:
  fetcher(downloads& from, network_link& link, resolver& names, client_options options, fetcher_settings settings);
  /// Breaks off what is under way; what was stored of it stays.
  ~fetcher();
  fetcher(fetcher const&) = delete;
  fetcher& operator=(fetcher const&) = delete;

  enum class phase : std::uint8_t { fetching, waiting, complete, failed };
  struct state {
    phase now = phase::fetching;
    std::uint64_t have = 0;
    std::optional<std::uint64_t> total{};
    std::string why{};                     // of the last trouble
    std::chrono::milliseconds next_try{};  // while waiting
    std::string final_url{};               // where it is stored, once complete
    unsigned attempts = 0;
  };

  /// Wants a file; one that failed is tried again, one that is under way goes on. False when too much is wanted.
  bool want(std::string const& url);
  [[nodiscard]] std::optional<state> look(std::string const& url);
  /// No longer wanted.
  void leave(std::string const& url);

private:
  struct task {
    explicit task(boost::asio::io_context& io, std::string wanted) : url{std::move(wanted)}, nap{io} {}
    std::string const url;
    boost::asio::steady_timer nap;
    boost::asio::cancellation_signal stop;
    std::string last_host{};
    state shown{};                                 // under the lock
    std::chrono::steady_clock::time_point next{};  // under the lock
    std::shared_ptr<transfer> running{};           // under the lock
  };

  boost::asio::awaitable<void> run(std::shared_ptr<task> t);
  boost::asio::awaitable<void> pause(std::shared_ptr<task> t, std::chrono::steady_clock::time_point until);
  [[nodiscard]] wish wish_for(std::string const& url);
  /// Takes note; when to try again, or nothing when that would not help.
  std::optional<std::chrono::steady_clock::time_point> after(task& t, fetch_outcome const& out);
  [[nodiscard]] std::chrono::steady_clock::time_point ready_at(task const& t) const;
  void set(task& t, phase now, std::string why = {});

  downloads& from_;
  network_link& link_;
  fetcher_settings settings_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::unique_ptr<http_client> client_;
  backoff waits_;
  network_link::subscription on_link_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<task>> tasks_;
  std::thread thread_;
};

}  // namespace cistern::sync
