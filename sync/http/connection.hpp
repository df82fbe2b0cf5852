#pragma once

#include "sync/errc.hpp"
#include "sync/http/limited_stream.hpp"
#include "sync/http/tls.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cistern::sync {

/// Until when, and what it is called when that passes.
struct deadline {
  std::chrono::steady_clock::time_point at{std::chrono::steady_clock::time_point::max()};
  errc error{errc::stalled};
};

/// One connected socket, plain or TLS, with a buffer for what was read ahead. All errors are errc's; a time-out or a
/// cancellation closes the socket. One read and one write may be under way at a time. Belongs to one thread.
class connection {
public:
  connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<traffic> total, exchange_terms terms);
  ~connection();
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  /// Puts TLS on top; `context` lives as long as the connection.
  boost::asio::awaitable<result<void>> start_tls(std::shared_ptr<tls_context> context, origin to, deadline until);

  /// What was read and not consumed yet; valid until the next call.
  [[nodiscard]] std::string_view pending() const { return std::string_view{buffer_}.substr(consumed_); }
  void consume(std::size_t n) { consumed_ += n; }
  /// Reads more behind `pending`. 0 at the peer's orderly end.
  boost::asio::awaitable<result<std::size_t>> fill(deadline until);
  /// What is pending first, else straight from the socket. 0 at the peer's orderly end (for TLS: close_notify; an end
  /// without it is errc::truncated).
  boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into, deadline until);
  /// Whether there is something to read, or the end, before that moment. Takes nothing.
  boost::asio::awaitable<bool> ready_before(std::chrono::steady_clock::time_point limit);
  boost::asio::awaitable<result<void>> write(std::string_view bytes, deadline until);
  /// No more will be sent (FIN). Nothing for TLS, where many peers take a half-closed stream for a closed one.
  void end_sending();
  void close();
  /// Nothing more is taken from the network. What has arrived can be read; the end behind it is errc::cancelled, for it
  /// is not the peer's.
  void abandon();

  /// Nothing arrived while it lay idle, not even an end: it may be used again.
  [[nodiscard]] bool still_usable();
  [[nodiscard]] bool secure() const { return tls_.has_value(); }
  [[nodiscard]] boost::asio::ip::address const& remote() const { return remote_; }
  /// Later bytes are counted and limited by these.
  void set_terms(exchange_terms terms) { lowest().set_terms(std::move(terms)); }
  void release_buffer();

private:
  limited_stream& lowest() { return tls_ ? tls_->next_layer() : *plain_; }
  boost::asio::awaitable<result<std::size_t>> receive(std::span<char> into, deadline until);

  std::shared_ptr<tls_context> context_;
  tls_context::peer peer_{};
  std::optional<limited_stream> plain_;
  std::optional<tls_stream> tls_;  // takes over the plain stream
  boost::asio::ip::address remote_;
  std::string buffer_;
  std::size_t consumed_{};
  bool abandoned_{};
};

}  // namespace cistern::sync
