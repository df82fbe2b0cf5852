#pragma once

#include "sync/http/parent_proxy.hpp"
#include "sync/http/pool.hpp"
#include "sync/http/request.hpp"
#include "sync/http/resolver.hpp"
#include "sync/http/response.hpp"
#include "sync/http/tunnel.hpp"

namespace cistern::sync {

struct client_options {
  pool_limits pool{};
  proxy_rules parents{};  // see proxy_rules_from for the environment's
  std::string ca_file{};  // PEM, beside the system's store
  std::size_t max_head = 64 * 1024;
  std::shared_ptr<pace> rate{};  // kept by all that share it; empty: as fast as it goes
};

/// The HTTP/1.1 client of everything here; outlives its calls (not its responses). Throws when `ca_file` is bad. Bound
/// to one executor and its one thread: no locks; make one per io_context. Redirects, cookies, caching, compression and
/// priorities are the callers' business. Nothing is ever logged. A call is cancelled by its cancellation slot (`||`, a
/// cancelled co_spawn): the socket is closed at once.
class http_client {
public:
  /// `names` is shared by all clients and outlives them.
  http_client(boost::asio::any_io_executor const& executor, resolver& names, client_options options);
  ~http_client();
  http_client(http_client const&) = delete;
  http_client& operator=(http_client const&) = delete;

  /// Sends the request with its body and returns when the final head is there (1xx are told to `options.interim`). A
  /// pooled connection that turns out to be dead costs one silent retry, for idempotent methods without a body only.
  [[nodiscard]] boost::asio::awaitable<result<response>> open(request what);

  /// A raw stream to `to` (with TLS on it when `to.tls`), through the parent proxy when one is set. Not pooled, not
  /// counted against the pool's limits.
  [[nodiscard]] boost::asio::awaitable<result<tunnel>> connect_tunnel(origin to, request_options options);

  /// The network changed: open connections may be dead without knowing it.
  void drop_idle() { pool_->drop_idle(); }
  /// All bytes of this client since it was made.
  [[nodiscard]] traffic const& total() const { return *total_; }

private:
  struct attempt;
  boost::asio::awaitable<result<response>> try_once(attempt& now);
  boost::asio::awaitable<result<std::unique_ptr<connection>>> connect(attempt& now, bool tunnel);
  boost::asio::awaitable<result<void>> connect_through(connection& link, attempt& now);
  std::shared_ptr<tls_context> tls();
  [[nodiscard]] exchange_terms terms_of(attempt const& now) const;

  resolver& names_;
  client_options options_;
  std::shared_ptr<connection_pool> pool_;
  std::shared_ptr<tls_context> tls_;  // made at the first https: loading certificates takes a while
  std::shared_ptr<traffic> total_;
};

}  // namespace cistern::sync
