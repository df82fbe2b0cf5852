#include "proxy/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using net::ip::tcp;
constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t read_ahead = 8 << 10;
constexpr std::size_t first_read = 512;  // most requests fit, and ten thousand idle connections cost 5 MB, not 80

}  // namespace

void connection::consume(std::size_t count) {
  consumed_ += count;
  if (consumed_ < input_.size()) return;
  input_.clear();
  consumed_ = 0;
  if (input_.capacity() > 2 * first_read) std::string{}.swap(input_);  // one long head must not cost for hours
}

bool connection::take_head(std::size_t count) {
  auto const before = input_.data();
  if (consumed_ == 0 && input_.size() == count) {
    head.swap(input_);
    input_.clear();
    return head.data() != before;
  }
  head.assign(pending().substr(0, count));
  consume(count);
  return true;
}

void connection::forget_head() {
  answered_ = false;
  head.clear();
  if (head.capacity() > 2 * first_read) std::string{}.swap(head);
  if (input_.empty()) input_.swap(head);
  if (input_.empty()) std::string{}.swap(head);  // an idle connection has one buffer, not two
}

net::awaitable<bool> connection::fill() {
  if (consumed_ > 0) {
    input_.erase(0, consumed_);
    consumed_ = 0;
  }
  auto const before = input_.size();
  auto const size = before == 0 ? first_read : read_ahead;
  input_.resize(before + size);
  if (tls_) {
    auto const got = co_await read_plain(std::span{input_}.subspan(before));
    input_.resize(before + got);
    co_return got > 0;
  }
  auto const room = net::buffer(input_.data() + before, size);
  auto const [error, count] = co_await socket_.async_read_some(room, quiet);
  input_.resize(before + count);
  if (before + count == 0) input_.shrink_to_fit();  // an idle connection should cost little
  co_return !error;
}

net::awaitable<std::size_t> connection::read_some(std::span<char> into) {
  if (auto const ready = pending(); !ready.empty()) {
    auto const count = std::min(into.size(), ready.size());
    std::memcpy(into.data(), ready.data(), count);
    consume(count);
    co_return count;
  }
  if (tls_) co_return co_await read_plain(into);
  auto const room = net::buffer(into.data(), into.size());
  auto const [error, count] = co_await socket_.async_read_some(room, quiet);
  co_return error ? 0 : count;
}

net::awaitable<bool> connection::flush() {
  while (!tls_->outgoing().empty()) {
    boost::system::error_code error;
    auto const sent = socket_.write_some(net::buffer(tls_->outgoing().data(), tls_->outgoing().size()), error);
    tls_->sent(sent);
    if (error && error != net::error::would_block && error != net::error::try_again) co_return false;
    if (tls_->outgoing().empty()) break;
    auto const waited = co_await writable();
    if (!waited) co_return false;
  }
  co_return true;
}

net::awaitable<std::size_t> connection::read_plain(std::span<char> into) {
  std::string piece;
  for (;;) {
    auto how = tls_layer::progress::done;
    auto const got = tls_->read(into, how);
    auto const said = co_await flush();  // tickets, key updates, and answers that the socket did not take at once
    if (got > 0 || !said || how != tls_layer::progress::wants_more) co_return got;
    piece.resize(read_ahead);
    auto const room = net::buffer(piece.data(), piece.size());
    auto const [error, count] = co_await socket_.async_read_some(room, quiet);
    if (error) co_return 0;
    tls_->feed(std::string_view{piece}.substr(0, count));
  }
}

net::awaitable<bool> connection::start_tls(std::shared_ptr<SSL_CTX> context) {
  tls_ = std::make_unique<tls_layer>(std::move(context));
  tls_->feed(pending());
  consume(pending().size());
  std::string piece(read_ahead, '\0');
  for (;;) {
    auto const how = tls_->handshake();
    auto const said = co_await flush();
    if (how == tls_layer::progress::done) co_return said;
    if (how == tls_layer::progress::failed || !said) co_return false;
    auto const room = net::buffer(piece.data(), piece.size());
    auto const [error, count] = co_await socket_.async_read_some(room, quiet);
    if (error) co_return false;
    tls_->feed(std::string_view{piece}.substr(0, count));
  }
}

std::size_t connection::write_now(std::string_view first, std::string_view second, bool& broken) {
  answered_ = true;
  if (tls_) {  // all or nothing: what TLS took is on its way, and `flush` or the next read sends what is left of it
    broken = false;
    if (!tls_->outgoing().empty()) return 0;
    broken = !tls_->write(first) || !tls_->write(second);
    if (broken) return 0;
    boost::system::error_code error;
    tls_->sent(socket_.write_some(net::buffer(tls_->outgoing().data(), tls_->outgoing().size()), error));
    broken = error && error != net::error::would_block && error != net::error::try_again;
    return first.size() + second.size();
  }
  std::array const both{first, second};
  return write_now(both, broken);
}

std::size_t connection::write_now(std::span<std::string_view const> pieces, bool& broken) {
  answered_ = true;
  std::array<net::const_buffer, most_pieces> buffers;
  auto const count = std::min(pieces.size(), buffers.size());
  for (std::size_t i = 0; i < count; ++i) buffers[i] = net::buffer(pieces[i].data(), pieces[i].size());
  boost::system::error_code error;
  auto const sent = socket_.write_some(std::span<net::const_buffer const>{buffers}.first(count), error);
  broken = error && error != net::error::would_block && error != net::error::try_again;
  return sent;
}

net::awaitable<bool> connection::writable() {
  auto const [error] = co_await socket_.async_wait(tcp::socket::wait_write, quiet);
  co_return !error;
}

net::awaitable<bool> connection::write(std::string_view first, std::string_view second) {
  return via ? via->write(first, second) : write_directly(first, second);
}

net::awaitable<bool> connection::write_directly(std::string_view first, std::string_view second) {
  expire_in(limits.body_timeout);
  bool broken = false;
  if (tls_) {
    auto const before = co_await flush();
    if (!before) co_return false;
    write_now(first, second, broken);
    auto const after = co_await flush();
    co_return !broken && after;
  }
  auto sent = write_now(first, second, broken);
  while (!broken && sent < first.size() + second.size()) {
    auto const waited = co_await writable();
    if (!waited) co_return false;
    auto const rest_first = sent < first.size() ? first.substr(sent) : std::string_view{};
    auto const rest_second = sent < first.size() ? second : second.substr(sent - first.size());
    auto const more = write_now(rest_first, rest_second, broken);
    if (more > 0) expire_in(limits.body_timeout);
    sent += more;
  }
  co_return !broken;
}

void connection::expire() {
  if (hears_request && !answered_) {
    bool ignored = false;
    write_now(
        "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 26\r\n\r\n",
        "The request was too slow.\n", ignored);
    end_sending();
  }
  close();
}

void connection::end_sending() {
  boost::system::error_code ignored;
  if (tls_) {
    tls_->say_goodbye();
    socket_.write_some(net::buffer(tls_->outgoing().data(), tls_->outgoing().size()), ignored);
  }
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void connection::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace cistern::proxy
