#pragma once

#include "sync/http/connection.hpp"

namespace cistern::sync {

/// A two-way stream of bytes to a host, for CONNECT and Upgrade. One read and one write may be under way at a time,
/// from two coroutines of the client's thread.
class tunnel {
public:
  tunnel(std::unique_ptr<connection> link, std::shared_ptr<traffic> meter)
      : link_{std::move(link)}, meter_{std::move(meter)} {}

  /// 0 is the peer's orderly end; the other direction may go on.
  [[nodiscard]] boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into) {
    return link_->read_some(into, {});
  }
  [[nodiscard]] boost::asio::awaitable<result<void>> write(std::string_view bytes) { return link_->write(bytes, {}); }
  /// Passes the other side's end on (half-close).
  void end_sending() { link_->end_sending(); }
  /// Ends both directions; what is under way returns errc::cancelled. For idle time-outs, which only the relay can
  /// judge.
  void close() { link_->close(); }
  [[nodiscard]] traffic const& wire() const { return *meter_; }
  [[nodiscard]] boost::asio::ip::address const& remote() const { return link_->remote(); }

private:
  std::unique_ptr<connection> link_;
  std::shared_ptr<traffic> meter_;
};

}  // namespace cistern::sync
