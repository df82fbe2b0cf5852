#pragma once

#include "sync/http/limited_stream.hpp"
#include "sync/http/origin.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <map>
#include <memory>
#include <string>

namespace cistern::sync {

using tls_stream = boost::asio::ssl::stream<limited_stream>;

/// How we speak TLS: 1.2 or newer, certificates always checked against the system's store and `ca_file` (PEM, may be
/// empty), the host's name or address always compared, ALPN http/1.1, sessions resumed. One per client; one thread.
/// Throws when `ca_file` cannot be read: that is configuration.
class tls_context {
public:
  explicit tls_context(std::string const& ca_file);
  ~tls_context();
  tls_context(tls_context const&) = delete;
  tls_context& operator=(tls_context const&) = delete;

  /// What a stream needs beside its socket, kept as long as the stream.
  struct peer {
    tls_context* context;
    std::string key;
  };

  [[nodiscard]] boost::asio::ssl::context& native() { return context_; }
  /// SNI, name check, ALPN and a session to resume, before the handshake. `who` must outlive the stream.
  void prepare(tls_stream& stream, origin const& to, peer& who);
  /// Called by OpenSSL; takes ownership of the session.
  void keep(std::string const& key, SSL_SESSION* session);

private:
  struct free_session {
    void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
  };
  static constexpr std::size_t max_sessions = 256;

  boost::asio::ssl::context context_;
  std::map<std::string, std::unique_ptr<SSL_SESSION, free_session>> sessions_;
};

}  // namespace cistern::sync
