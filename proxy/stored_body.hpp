#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

#include "proxy/connection.hpp"
#include "store/ranges.hpp"
#include "store/repository.hpp"

namespace cistern::proxy {

inline constexpr std::size_t stored_block = 256 << 10;  // read at a time: stays in the processor's cache

/// Sends `head` and, in the same packets, `range` of a stored body; false when the peer is gone or the body is damaged,
/// and then the connection cannot be kept. `body` outlives the coroutine.
///
/// A plain connection is offered the bytes where they lie, inside one read transaction that ends before anything is
/// waited for: what the socket takes without waiting goes, the head with the first of it (two small packets would wait
/// for each other: Nagle, delayed ACK). Where bytes change on their way (TLS, a gateway) all of them are copied.
boost::asio::awaitable<bool> send_stored_body(connection& peer, std::string head, store::body_reader const& body,
                                              store::byte_range range);

/// The same, always copied.
boost::asio::awaitable<bool> copy_stored_body(connection& peer, std::string head, store::body_reader const& body,
                                              store::byte_range range);

}  // namespace cistern::proxy
