#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/rate_policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace cistern::sync {

/// Bytes that crossed a TCP socket in our name: headers, chunk lines, TLS records and handshakes included, and also
/// those of exchanges that failed. Any thread may read it while a transfer goes on.
struct traffic {
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> sent{0};
};

/// Counts below TLS, where Beast asks a stream's rate policy after each transfer.
class traffic_policy {
public:
  std::shared_ptr<traffic> total;     // of the whole client
  std::shared_ptr<traffic> exchange;  // of whoever uses the connection now

private:
  friend class boost::beast::rate_policy_access;
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] std::size_t available_read_bytes() const noexcept { return all; }
  [[nodiscard]] std::size_t available_write_bytes() const noexcept { return all; }
  void transfer_read_bytes(std::size_t n) const noexcept {
    if (total) total->received.fetch_add(n, std::memory_order_relaxed);
    if (exchange) exchange->received.fetch_add(n, std::memory_order_relaxed);
  }
  void transfer_write_bytes(std::size_t n) const noexcept {
    if (total) total->sent.fetch_add(n, std::memory_order_relaxed);
    if (exchange) exchange->sent.fetch_add(n, std::memory_order_relaxed);
  }
  void on_timer() const noexcept {}
};

/// A TCP stream with time-outs (a time-out closes it) that counts.
using counted_stream = boost::beast::basic_stream<boost::asio::ip::tcp, boost::asio::any_io_executor, traffic_policy>;

}  // namespace cistern::sync
