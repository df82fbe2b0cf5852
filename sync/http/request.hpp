#pragma once

#include "store/header_block.hpp"
#include "sync/http/allowance.hpp"
#include "sync/http/origin.hpp"
#include "sync/http/traffic.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cistern::sync {

/// How long each phase may take; 0 is for ever.
struct phase_limits {
  std::chrono::milliseconds queue{30'000};  // for a free connection
  std::chrono::milliseconds dns{5'000};
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds tls{10'000};
  std::chrono::milliseconds first_byte{30'000};     // from the request's last byte to the head's last
  std::chrono::milliseconds between_bytes{30'000};  // of a body, in either direction
  std::chrono::milliseconds whole{0};               // from `open` to the last byte
};

/// A request's body, asked for as the network takes it.
struct body_source {
  /// Fills a part of the span; 0 is the end. An error ends the exchange and is what `open` returns.
  std::function<boost::asio::awaitable<result<std::size_t>>(std::span<char>)> read;
  std::optional<std::uint64_t> length;  // without it the body is sent in chunks

  explicit operator bool() const { return static_cast<bool>(read); }
};

/// Told of each interim answer on the way (1xx but 100, which is between neighbours, and 101); it may wait.
using interim_listener = std::function<boost::asio::awaitable<void>(unsigned status, store::header_block fields)>;

struct request_options {
  phase_limits limits{};
  /// Asked for each address after name resolution, right before it is connected to (and before an open connection to it
  /// is used again), so that no second look-up can give another answer. Empty: everything. A parent proxy resolves
  /// names by itself: then only literal addresses are asked about.
  std::function<bool(boost::asio::ip::address const&)> allow_address{};
  /// Counts this exchange, failed or not; made when empty.
  std::shared_ptr<traffic> meter{};
  /// Every byte of this exchange, in both directions and below TLS, is taken from it first; errc::budget_spent when
  /// there are none left. Empty: no limit.
  std::shared_ptr<allowance> spends{};
  bool in_a_hurry{};        // exempt from the client's `rate`
  bool fresh_connection{};  // do not use a pooled one
  interim_listener interim{};
};

struct request {
  std::string method{"GET"};
  origin to{};
  std::string target{"/"};
  /// Sent in this order. What frames or routes the message is the client's to write and is left out here: Host,
  /// Connection and what belongs to it, Content-Length, Transfer-Encoding, Expect, Proxy-Authorization.
  store::header_block fields{};
  body_source body{};
  request_options options{};
};

}  // namespace cistern::sync
