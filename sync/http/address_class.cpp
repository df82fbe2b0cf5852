#include "sync/http/address_class.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include <array>
#include <cstdint>

namespace cistern::sync {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

struct block {
  std::uint32_t network;
  unsigned bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b = 0, unsigned c = 0) { return a << 24 | b << 16 | c << 8; }

/// The IANA special-purpose registry (RFC 6890), IPv4 part.
constexpr std::array not_public = {
    block{v4(0), 8},
    block{v4(10), 8},
    block{v4(100, 64), 10},
    block{v4(127), 8},
    block{v4(169, 254), 16},
    block{v4(172, 16), 12},
    block{v4(192, 0, 0), 24},
    block{v4(192, 0, 2), 24},
    block{v4(192, 88, 99), 24},
    block{v4(192, 168), 16},
    block{v4(198, 18), 15},
    block{v4(198, 51, 100), 24},
    block{v4(203, 0, 113), 24},
    block{v4(224), 4},
    block{v4(240), 4},
};

bool is_public_v4(address_v4 const& address) {
  auto const bits = address.to_uint();
  for (auto const& b : not_public)
    if ((bits ^ b.network) >> (32 - b.bits) == 0) return false;
  return true;
}

address_v4 embedded(address_v6::bytes_type const& bytes, std::size_t at) {
  return address_v4{address_v4::bytes_type{{bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]}}};
}

bool is_public_v6(address_v6 const& address) {
  auto const b = address.to_bytes();
  if (address.is_v4_mapped()) return is_public_v4(embedded(b, 12));
  if (b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b) return is_public_v4(embedded(b, 12));  // NAT64
  if (b[0] == 0x20 && b[1] == 0x02) return is_public_v4(embedded(b, 2));                                   // 6to4
  if (b[0] == 0x20 && b[1] == 0x01 && b[2] < 0x02) return false;                                           // 2001::/23
  if (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8) return false;  // documentation
  return (b[0] & 0xe0) == 0x20;  // 2000::/3 is all there is of the global internet
}

}  // namespace

bool is_public(boost::asio::ip::address const& address) {
  return address.is_v4() ? is_public_v4(address.to_v4()) : is_public_v6(address.to_v6());
}

bool is_this_machine(boost::asio::ip::address const& address) {
  using boost::asio::ip::udp;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return is_this_machine(make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()));
  if (address.is_loopback() || address.is_unspecified()) return true;
  boost::asio::io_context unused;
  udp::endpoint const here{address, 0};
  boost::system::error_code error;
  udp::socket socket{unused};
  socket.open(here.protocol(), error);
  if (!error) socket.bind(here, error);  // only an address of ours can be bound to
  return !error;
}

bool is_private_name(std::string_view host) {
  boost::system::error_code not_literal;
  auto const address = boost::asio::ip::make_address(host, not_literal);
  return not_literal ? host == "localhost" || host.ends_with(".localhost") : !is_public(address);
}

}  // namespace cistern::sync
