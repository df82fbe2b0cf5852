#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <span>
#include <string>

#include "proxy/connection.hpp"
#include "sync/chunk_decoder.hpp"
#include "sync/result.hpp"

namespace cistern::proxy {

/// The body of the request that is being answered, read as it is wanted, whatever its framing.
class request_body {
public:
  request_body(connection& peer, sync::head_view const& head);

  [[nodiscard]] bool exists() const { return chunked_ || left_ > 0; }
  [[nodiscard]] std::optional<std::uint64_t> length() const { return length_; }
  /// 0 is the end. Too long, badly framed or cut short is an error, after which the connection must be closed.
  boost::asio::awaitable<sync::result<std::size_t>> read_some(std::span<char> into);
  /// Reads and forgets the rest, if it is not too much; whether the next request may follow.
  boost::asio::awaitable<bool> skip();
  /// How to answer a client whose body could not be read: 413 when it is too long, else 400; 0 while all is well.
  [[nodiscard]] unsigned refusal() const { return refusal_; }
  /// All of it when it is at most that long.
  boost::asio::awaitable<sync::result<std::string>> read_all(std::size_t most);

private:
  boost::asio::awaitable<sync::result<std::size_t>> read_chunked(std::span<char> into);
  connection& peer_;
  bool chunked_;
  std::optional<std::uint64_t> length_;
  std::uint64_t left_;
  std::uint64_t seen_ = 0;
  unsigned refusal_ = 0;
  sync::chunk_decoder chunks_;
};

}  // namespace cistern::proxy
