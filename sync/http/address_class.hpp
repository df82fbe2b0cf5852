#pragma once

#include <boost/asio/ip/address.hpp>

namespace cistern::sync {

/// An address out on the internet: not this machine, not a private network, not link-local, multicast or reserved, nor
/// one of those wrapped into IPv6 (mapped, NAT64, 6to4). For address policies: what a stranger may ask us to reach.
[[nodiscard]] bool is_public(boost::asio::ip::address const& address);

}  // namespace cistern::sync
