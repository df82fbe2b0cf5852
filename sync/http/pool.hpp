#pragma once

#include "sync/http/connection.hpp"

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>

namespace cistern::sync {

struct pool_limits {
  std::size_t active_per_origin = 16;
  std::size_t active = 256;
  std::size_t idle_per_origin = 8;
  std::size_t idle = 64;
  std::chrono::seconds idle_time{55};  // below the common 60 s of servers and NATs
  /// For a request that cannot be sent twice: many servers close what rested for 5 s, and the end may be on its way.
  std::chrono::seconds idle_time_once{1};
};

/// What makes connections interchangeable.
struct pool_key {
  origin to;
  std::string parent;  // of the parent proxy, with its credentials; empty for a direct connection
  auto operator<=>(pool_key const&) const = default;
};

/// Connections in use and connections at rest. Belongs to one thread. Always in a shared_ptr, because what is handed
/// out may outlive the client.
class connection_pool : public std::enable_shared_from_this<connection_pool> {
public:
  connection_pool(boost::asio::any_io_executor const& executor, pool_limits limits);

  /// The right to use one connection; gives it back when destroyed.
  class slot {
  public:
    slot(std::shared_ptr<connection_pool> pool, pool_key key) : pool_{std::move(pool)}, key_{std::move(key)} {}
    slot(slot&&) = default;
    slot& operator=(slot&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~slot() {
      if (pool_) pool_->give_back(key_);
    }
    [[nodiscard]] pool_key const& key() const { return key_; }
    [[nodiscard]] connection_pool& pool() const { return *pool_; }

  private:
    std::shared_ptr<connection_pool> pool_;
    pool_key key_;
  };

  /// Waits in line, at most until `until`.
  boost::asio::awaitable<result<slot>> acquire(pool_key key, deadline until);
  /// A connection at rest that still works and whose peer `allow` permits (empty: all), the most recent one first.
  /// Without `twice` the request cannot be repeated: only one that has hardly rested.
  std::unique_ptr<connection> take_idle(pool_key const& key,
                                        std::function<bool(boost::asio::ip::address const&)> const& allow, bool twice);
  void put_idle(pool_key const& key, std::unique_ptr<connection> rested);
  void drop_idle();

private:
  struct waiter {
    explicit waiter(boost::asio::any_io_executor const& executor, pool_key k) : timer{executor}, key{std::move(k)} {}
    boost::asio::steady_timer timer;
    pool_key key;
    bool granted{};
  };
  struct rested {
    std::unique_ptr<connection> link;
    std::chrono::steady_clock::time_point since;
  };

  [[nodiscard]] bool has_room(pool_key const& key) const;
  void give_back(pool_key const& key);
  void drop_oldest();
  void drop_expired();
  void watch_idle();

  boost::asio::any_io_executor executor_;
  pool_limits limits_;
  std::map<pool_key, std::size_t> active_;
  std::size_t active_total_{};
  std::map<pool_key, std::deque<rested>> idle_;
  std::size_t idle_total_{};
  std::list<std::shared_ptr<waiter>> waiting_;
  boost::asio::steady_timer sweep_;
  bool sweeping_{};
};

}  // namespace cistern::sync
