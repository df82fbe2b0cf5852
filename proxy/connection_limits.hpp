#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace cistern::proxy {

/// How many connections there are, in all and from each client. Any thread; a lock is held for a map access, once when
/// a connection comes and once when it goes.
class connection_limits {
public:
  /// Counts for one connection until it is destroyed. Must not outlive the limits.
  class ticket {
  public:
    ticket(ticket&& other) noexcept;
    ticket& operator=(ticket&&) = delete;
    ~ticket();

  private:
    friend connection_limits;
    ticket(connection_limits& owner, boost::asio::ip::address client);
    connection_limits* owner_;
    boost::asio::ip::address client_;
  };

  connection_limits(std::size_t all, std::size_t per_client) : most_{all}, most_per_client_{per_client} {}

  /// Nothing when the connection would be one too many.
  [[nodiscard]] std::optional<ticket> admit(boost::asio::ip::address const& client);
  [[nodiscard]] std::size_t count() const;

private:
  void leave(boost::asio::ip::address const& client);

  std::size_t const most_;
  std::size_t const most_per_client_;
  mutable std::mutex mutex_;
  std::size_t count_ = 0;
  std::map<boost::asio::ip::address, std::size_t> clients_;
};

}  // namespace cistern::proxy
