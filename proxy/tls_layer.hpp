#pragma once

/// TLS as a pair of byte queues: what came from the socket goes in, what is to be sent comes out. No I/O of its own, so
/// that the connection's one way of waiting serves both.

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cistern::proxy {

class tls_layer {
public:
  explicit tls_layer(std::shared_ptr<SSL_CTX> context);
  ~tls_layer();
  tls_layer(tls_layer const&) = delete;
  tls_layer& operator=(tls_layer const&) = delete;

  enum class progress { wants_more, done, failed };
  /// As far as what was fed allows.
  [[nodiscard]] progress handshake();
  /// The client sent an alert about our certificate.
  [[nodiscard]] bool refused() const { return refused_; }

  void feed(std::string_view encrypted);
  /// Plain bytes into `into`; 0 and `wants_more`, or 0 and `done` at the end, `failed` on nonsense.
  std::size_t read(std::span<char> into, progress& how);
  /// Encrypts all of it. False when the connection is no more.
  bool write(std::string_view plain);
  void say_goodbye();

  /// What is to be sent, and how much of it was.
  [[nodiscard]] std::string_view outgoing() const;
  void sent(std::size_t count);

private:
  std::shared_ptr<SSL_CTX> context_;
  SSL* ssl_;
  BIO* in_;   // owned by ssl_
  BIO* out_;  // owned by ssl_
  std::size_t sent_ = 0;
  bool refused_ = false;
};

}  // namespace cistern::proxy
