#include "proxy/listen_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>
#include <cstdint>

namespace cistern::proxy {
namespace {

namespace ip = boost::asio::ip;

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return port;
}

std::optional<ip::address> parse_host(std::string_view text) {
  if (text.empty() || text == "*") return ip::address_v6::any();
  if (text == "localhost") return ip::address_v4::loopback();
  boost::system::error_code error;
  if (text.front() == '[' && text.back() == ']') {
    auto const address = ip::make_address_v6(text.substr(1, text.size() - 2), error);
    if (error) return {};
    return address;
  }
  auto const address = ip::make_address_v4(text, error);
  if (error) return {};
  return address;
}

}  // namespace

std::optional<ip::tcp::endpoint> parse_listen_address(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == text.npos) return {};
  auto const host = parse_host(text.substr(0, colon));
  auto const port = parse_port(text.substr(colon + 1));
  if (!host || !port) return {};
  return ip::tcp::endpoint{*host, *port};
}

std::string to_text(ip::tcp::endpoint const& endpoint) {
  auto const host = endpoint.address().to_string();
  auto const port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? '[' + host + "]:" + port : host + ':' + port;
}

std::string browser_address(ip::tcp::endpoint const& endpoint) {
  auto const& address = endpoint.address();
  if (address.is_unspecified() || address == ip::address_v4::loopback())
    return "http://localhost:" + std::to_string(endpoint.port()) + '/';
  return "http://" + to_text(endpoint) + '/';
}

}  // namespace cistern::proxy
