#pragma once

#include "store/header_block.hpp"
#include "sync/chunk_decoder.hpp"
#include "sync/http/pool.hpp"
#include "sync/http/request.hpp"

namespace cistern::sync {

enum class completeness {
  partial,   // more must come, or it broke
  by_close,  // the peer closed a body without a length: perhaps all of it, nobody can know (RFC 9112 §8)
  whole,     // the length was reached, the last chunk seen, or TLS vouches for the end
};

/// An answer whose body is still on the wire: read it by pieces, as fast as it can be used; what is not read is not
/// taken from the network. Destroyed before the end it closes the connection, at the end it lets the next request have
/// it. Move-only; belongs to the client's thread, may outlive the client.
class response {
public:
  unsigned status{};
  unsigned minor{};  // HTTP/1.minor
  std::string reason;
  store::header_block fields;                   // order and bytes as they came
  std::optional<std::uint64_t> content_length;  // of a body that follows
  bool has_body{};                              // false for HEAD, 204, 304 and an empty body

  /// 0 is the end: then `complete()` is `whole` or `by_close`. After an error it is `partial` for good.
  [[nodiscard]] boost::asio::awaitable<result<std::size_t>> read_some(std::span<char> into);
  /// Whether more of it, or its end, is there before that moment.
  [[nodiscard]] boost::asio::awaitable<bool> ready_before(std::chrono::steady_clock::time_point limit) {
    if (link_) co_return co_await link_->ready_before(limit);
    co_return true;
  }
  /// The way to the peer is gone: what has arrived can still be read, then comes errc::cancelled.
  void abandon() {
    if (link_) link_->abandon();
  }
  [[nodiscard]] completeness complete() const { return complete_; }
  /// What this exchange has cost so far.
  [[nodiscard]] traffic const& wire() const { return *meter_; }
  [[nodiscard]] boost::asio::ip::address const& remote() const { return remote_; }
  /// Not through a parent proxy: `remote` is the origin.
  [[nodiscard]] bool direct() const { return rest_.parent.empty(); }

private:
  friend class http_client;
  enum class framing : std::uint8_t { none, length, chunked, until_close };

  response() = default;
  [[nodiscard]] deadline next_byte() const;
  boost::asio::awaitable<result<std::size_t>> read_length(std::span<char> into);
  boost::asio::awaitable<result<std::size_t>> read_chunked(std::span<char> into);
  boost::asio::awaitable<result<std::size_t>> read_until_close(std::span<char> into);
  std::size_t finish(completeness how);
  boost::system::error_code fail(boost::system::error_code error);

  // The connection goes before its slot does.
  std::optional<connection_pool::slot> slot_;
  std::unique_ptr<connection> link_;
  pool_key rest_;  // where the connection goes when it may be used again
  framing framing_{};
  completeness complete_{};
  bool reusable_{};
  std::uint64_t left_{};
  chunk_decoder chunks_;
  std::chrono::milliseconds between_bytes_{};
  std::chrono::steady_clock::time_point whole_until_;
  std::shared_ptr<traffic> meter_;
  boost::asio::ip::address remote_;
};

}  // namespace cistern::sync
