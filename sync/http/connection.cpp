#include "sync/http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using boost::system::error_code;

constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t read_ahead = 16 * 1024;

error_code translate(error_code error, deadline const& until) {
  if (error.category() == sync_category()) return error;
  if (error == boost::beast::error::timeout) return until.error;
  if (error == net::error::operation_aborted) return errc::cancelled;
  if (error == net::ssl::error::stream_truncated) return errc::truncated;
  return errc::reset;
}

/// The same for a handshake, where an error of OpenSSL's has a reason worth telling.
error_code translate_handshake(error_code error, deadline const& until, SSL* handle) {
  if (auto const reason = SSL_get_verify_result(handle); reason != X509_V_OK) return make_verify_error(reason);
  auto const kind = kind_of(translate(error, until));
  return kind == errc::reset || kind == errc::truncated ? errc::tls_failed : kind;
}

}  // namespace

connection::connection(net::ip::tcp::socket socket, std::shared_ptr<traffic> total, exchange_terms terms) {
  error_code unknown;
  remote_ = socket.remote_endpoint(unknown).address();
  plain_.emplace(std::move(socket), std::move(total));
  plain_->set_terms(std::move(terms));
}

connection::~connection() {
  // Without this OpenSSL takes the session for damaged and never resumes it.
  if (tls_) SSL_set_shutdown(tls_->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

net::awaitable<result<void>> connection::start_tls(std::shared_ptr<tls_context> context, origin to, deadline until) {
  context_ = std::move(context);
  tls_.emplace(std::move(*plain_), context_->native());
  plain_.reset();
  context_->prepare(*tls_, to, peer_);
  lowest().expires_at(until.at);
  auto const [error] = co_await tls_->async_handshake(net::ssl::stream_base::client, quiet);
  if (error) co_return translate_handshake(error, until, tls_->native_handle());
  co_return result<void>{};
}

net::awaitable<result<std::size_t>> connection::receive(std::span<char> into, deadline until) {
  lowest().expires_at(until.at);
  auto const buffer = net::buffer(into.data(), into.size());
  error_code error;
  std::size_t got = 0;
  if (tls_) {
    std::tie(error, got) = co_await tls_->async_read_some(buffer, quiet);
  } else {
    std::tie(error, got) = co_await plain_->async_read_some(buffer, quiet);
  }
  if (got != 0) co_return got;
  if (abandoned_) co_return errc::cancelled;
  if (!error || error == net::error::eof) co_return std::size_t{0};
  co_return translate(error, until);
}

net::awaitable<result<std::size_t>> connection::fill(deadline until) {
  buffer_.erase(0, std::exchange(consumed_, 0));
  auto const had = buffer_.size();
  buffer_.resize(had + read_ahead);
  std::span<char> const free{buffer_.data() + had, read_ahead};
  auto const got = co_await receive(free, until);
  buffer_.resize(had + (got ? *got : 0));
  co_return got;
}

net::awaitable<result<std::size_t>> connection::read_some(std::span<char> into, deadline until) {
  if (auto const ready = pending(); !ready.empty()) {
    auto const n = std::min(ready.size(), into.size());
    std::memcpy(into.data(), ready.data(), n);
    consume(n);
    co_return n;
  }
  co_return co_await receive(into, until);
}

net::awaitable<bool> connection::ready_before(std::chrono::steady_clock::time_point limit) {
  using namespace net::experimental::awaitable_operators;
  if (!pending().empty() || (tls_ && SSL_pending(tls_->native_handle()) > 0)) co_return true;
  auto& socket = lowest().socket();
  char byte{};
  if (::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) co_return true;
  net::steady_timer timer{socket.get_executor(), limit};
  auto const first = co_await (socket.async_wait(net::socket_base::wait_read, quiet) || timer.async_wait(quiet));
  co_return first.index() == 0;
}

net::awaitable<result<void>> connection::write(std::string_view bytes, deadline until) {
  lowest().expires_at(until.at);
  auto const buffer = net::buffer(bytes.data(), bytes.size());
  error_code error;
  std::size_t sent = 0;
  if (tls_) {
    std::tie(error, sent) = co_await net::async_write(*tls_, buffer, quiet);
  } else {
    std::tie(error, sent) = co_await net::async_write(*plain_, buffer, quiet);
  }
  if (error) co_return translate(error, until);
  co_return result<void>{};
}

void connection::end_sending() {
  if (tls_) return;
  error_code ignored;
  plain_->socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
}

void connection::close() {
  error_code ignored;
  lowest().socket().close(ignored);
}

void connection::abandon() {
  abandoned_ = true;
  // A closed socket forgets what it has received; one that is shut down gives it out first.
  static_cast<void>(::shutdown(lowest().socket().native_handle(), SHUT_RDWR));
}

bool connection::still_usable() {
  char byte{};
  auto const got = ::recv(lowest().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && pending().empty();
}

void connection::release_buffer() {
  buffer_ = {};
  consumed_ = 0;
}

}  // namespace cistern::sync
