#pragma once

#include <boost/asio/ip/address.hpp>

#include <string_view>

namespace cistern::sync {

/// An address out on the internet: not this machine, not a private network, not link-local, multicast or reserved, nor
/// one of those wrapped into IPv6 (mapped, NAT64, 6to4). For address policies: what a stranger may ask us to reach.
[[nodiscard]] bool is_public(boost::asio::ip::address const& address);

/// An address of this machine itself: the loopback's, or one of an interface.
[[nodiscard]] bool is_this_machine(boost::asio::ip::address const& address);

/// A host that says by its name alone that it is not: "localhost", or an address that is not public.
[[nodiscard]] bool is_private_name(std::string_view host);

}  // namespace cistern::sync
