#pragma once

#include "sync/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cistern::sync {

/// Host names to addresses. One for the whole program; any thread may use it.
/// getaddrinfo cannot be interrupted and may hang for a minute on a dead link, so it runs in threads of its own, at
/// most `max_lookups` of them, which nobody ever waits for: a caller leaves when its time is up or when it is
/// cancelled, and the resolver can be destroyed with look-ups still under way. Equal names asked at once share one
/// look-up.
class resolver {
public:
  using addresses = std::vector<boost::asio::ip::address>;
  /// Blocking. Errors: errc::name_not_found, errc::dns_unreachable.
  using lookup = std::function<result<addresses>(std::string const& host)>;

  struct options {
    std::size_t max_lookups = 8;    // running at once
    std::size_t max_waiting = 256;  // different names waiting for one of those
    std::size_t max_kept = 1024;    // answers remembered
    std::chrono::seconds keep{60};
    std::chrono::seconds keep_missing{10};  // "no such name"
  };

  resolver();
  explicit resolver(options limits, lookup look = {});  // without `look`: getaddrinfo
  ~resolver();
  resolver(resolver const&) = delete;
  resolver& operator=(resolver const&) = delete;

  /// IP literals and localhost are answered at once. Addresses in the system's order of preference.
  [[nodiscard]] boost::asio::awaitable<result<addresses>> resolve(std::string host, std::chrono::milliseconds limit);

  /// The link came up or changed: names that failed may exist now.
  void forget_failures();
  void forget_all();

private:
  struct state;
  std::shared_ptr<state> state_;  // shared with the look-up threads, which may outlive the resolver
};

}  // namespace cistern::sync
