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

}  // namespace

void connection::consume(std::size_t count) {
  consumed_ += count;
  if (consumed_ < input_.size()) return;
  input_.clear();
  consumed_ = 0;
}

net::awaitable<bool> connection::fill() {
  if (consumed_ > 0) {
    input_.erase(0, consumed_);
    consumed_ = 0;
  }
  auto const before = input_.size();
  input_.resize(before + read_ahead);
  auto const room = net::buffer(input_.data() + before, read_ahead);
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
  auto const room = net::buffer(into.data(), into.size());
  auto const [error, count] = co_await socket_.async_read_some(room, quiet);
  co_return error ? 0 : count;
}

std::size_t connection::write_now(std::string_view first, std::string_view second, bool& broken) {
  std::array const both{net::const_buffer{first.data(), first.size()}, net::const_buffer{second.data(), second.size()}};
  boost::system::error_code error;
  auto const sent = socket_.write_some(both, error);
  broken = error && error != net::error::would_block && error != net::error::try_again;
  return sent;
}

net::awaitable<bool> connection::write(std::string_view first, std::string_view second) {
  expire_in(limits.body_timeout);
  bool broken = false;
  auto sent = write_now(first, second, broken);
  while (!broken && sent < first.size() + second.size()) {
    auto const [error] = co_await socket_.async_wait(tcp::socket::wait_write, quiet);
    if (error) co_return false;
    auto const rest_first = sent < first.size() ? first.substr(sent) : std::string_view{};
    auto const rest_second = sent < first.size() ? second : second.substr(sent - first.size());
    auto const more = write_now(rest_first, rest_second, broken);
    if (more > 0) expire_in(limits.body_timeout);
    sent += more;
  }
  co_return !broken;
}

void connection::end_sending() {
  boost::system::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void connection::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace cistern::proxy
