#pragma once

#include "proxy/request_handler.hpp"

#include <boost/asio/awaitable.hpp>

namespace cistern::proxy {

/// Reads one request head after another from `peer` and has each answered; ends when the peer does, on the first error,
/// when the handler says so, or when the listener stops. Heads that are malformed, too large, too slow, or that two
/// HTTP parsers could read differently are refused here, before any handler sees them. `idle` is true while nothing of
/// a request has arrived: such a session can be cut without anybody losing an answer. All references outlive the
/// coroutine.
boost::asio::awaitable<void> run_session(connection& peer, request_handler& handler, bool& idle);

}  // namespace cistern::proxy
