#pragma once

#include "tests/support/test_ca.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// A request as an origin saw it.
struct seen_request {
  int connection{};  // counted from 1
  std::string method;
  std::string target;
  std::string head;  // raw, without the empty line
  std::string body;  // as sent, chunked coding included
  bool resumed{};    // the TLS session was

  /// The first field of that name, or "".
  [[nodiscard]] std::string field(std::string_view name) const;
};

/// One request being answered, in a thread of its own that may block. What the script does is what the client gets.
class fake_exchange {
public:
  /// `ahead`: what was read behind the request.
  fake_exchange(int socket, SSL* tls, seen_request seen, std::string& ahead)
      : request{std::move(seen)}, socket_{socket}, tls_{tls}, ahead_{ahead} {}
  seen_request const request;

  /// These bytes and no other; false when the client is gone.
  bool send(std::string_view raw);
  /// A whole answer with Content-Length; `fields` are lines with their ends.
  void answer(int status, std::string_view fields, std::string_view body);
  /// Byte by byte.
  void drip(std::string_view raw);
  /// Nothing more until the client hangs up (or the origin is destroyed).
  void stall();
  /// Hangs up, for TLS with close_notify.
  void end();
  /// Hangs up rudely: TLS without close_notify.
  void cut();
  /// Breaks the connection (RST).
  void reset();
  /// Bytes that the client's machine has taken so far on this connection, read by the client or not.
  [[nodiscard]] std::uint64_t delivered() const;
  /// At least a byte; "" at the client's end. For tunnels and echoes.
  std::string receive();
  /// Begins TLS on this connection (behind a CONNECT) and answers the requests inside it, until the client hangs up.
  void serve_tls(SSL_CTX* context, std::function<void(fake_exchange&)> const& script);

private:
  friend class fake_origin;
  int socket_;
  SSL* tls_;
  std::string& ahead_;
  bool ended_{};
};

/// A real server on 127.0.0.1 with a port of its own. It records; the test asserts, because Catch2's macros are not
/// thread safe. Each connection has a thread that reads requests and lets the script answer, until one of the two hangs
/// up.
class fake_origin {
public:
  using script = std::function<void(fake_exchange&)>;

  explicit fake_origin(script answer, std::shared_ptr<SSL_CTX> tls = nullptr);
  ~fake_origin();
  fake_origin(fake_origin const&) = delete;
  fake_origin& operator=(fake_origin const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// With "localhost" as the host.
  [[nodiscard]] std::string url(std::string_view target = "/") const;
  [[nodiscard]] std::vector<seen_request> requests() const;
  [[nodiscard]] int connections() const { return connections_; }
  /// No longer accepts and breaks what is open: the origin is down.
  void stop();
  /// Once true, new connections are not spoken to: accepted by the kernel, never answered.
  std::atomic<bool> deaf{false};

private:
  void accept_all();
  void serve(int socket, int number);

  script answer_;
  std::shared_ptr<SSL_CTX> tls_;
  int listener_{-1};
  std::uint16_t port_{};
  std::atomic<int> connections_{0};
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<seen_request> requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};
