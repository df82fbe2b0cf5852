#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "store/repository.hpp"
#include "sync/clock.hpp"
#include "sync/downloads.hpp"
#include "sync/link.hpp"

namespace cistern::sync {

/// Fetches what people asked for while the link was down, by class and age, as soon as it is back. The queue itself is
/// in the repository and survives everything the repository survives. Has a thread of its own.
class queue_runner {
public:
  queue_runner(store::repository& kept, downloads& fetching, network_link& link, clock const& wall, resolver& names,
               client_options options);
  ~queue_runner();
  queue_runner(queue_runner const&) = delete;
  queue_runner& operator=(queue_runner const&) = delete;

  /// Wants a page; `owner` is who. Durable when it returns. Any thread, any executor.
  boost::asio::awaitable<bool> enqueue(std::string url, std::string owner);

  /// The queue was changed: looks at it now. Any thread.
  void wake();

  enum class progress { none, queued, fetching };
  [[nodiscard]] progress state_of(std::string const& url);
  [[nodiscard]] std::size_t length();

private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> run_job(store::job wanted);
  boost::asio::awaitable<std::optional<bool>> probe();
  std::vector<store::job> waiting_jobs();

  store::repository& kept_;
  downloads& fetching_;
  network_link& link_;
  clock const& wall_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer nap_{io_};
  std::unique_ptr<http_client> client_;
  std::size_t probes_ = 0;
  network_link::subscription on_link_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::set<std::string> running_;
  std::thread thread_;
};

}  // namespace cistern::sync
