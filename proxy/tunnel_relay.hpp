#pragma once

#include <boost/asio/awaitable.hpp>

#include "proxy/connection.hpp"
#include "sync/http/tunnel.hpp"

namespace cistern::proxy {

/// Carries bytes both ways until both sides have ended, one broke, or nothing moved for `idle`. One side's end is
/// passed on and the other may go on (half-close).
boost::asio::awaitable<void> relay_tunnel(connection& peer, sync::tunnel far, std::chrono::milliseconds idle);

}  // namespace cistern::proxy
