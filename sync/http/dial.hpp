#pragma once

#include "sync/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <functional>
#include <vector>

namespace cistern::sync {

/// RFC 8305 §4: the families in turn, the first address's family first; the order inside a family stays.
[[nodiscard]] std::vector<boost::asio::ip::address> interleave(std::vector<boost::asio::ip::address> addresses);

/// Connects to the first of `addresses` that answers: a new attempt is begun every `stagger`, or at once when one
/// fails, so that a dead IPv6 route costs a quarter of a second and not thirty. The losers are closed. `prepare` is
/// called with each socket before it connects. Errors: errc::refused, unreachable, connect_timeout, cancelled.
[[nodiscard]] boost::asio::awaitable<result<boost::asio::ip::tcp::socket>> dial(
    std::vector<boost::asio::ip::address> addresses, std::uint16_t port, std::chrono::milliseconds limit,
    std::chrono::milliseconds stagger = std::chrono::milliseconds{250},
    std::function<void(boost::asio::ip::tcp::socket&)> prepare = {});

}  // namespace cistern::sync
