#include "proxy/tunnel_relay.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <string>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
constexpr std::size_t block = 32 << 10;

struct relay_state {
  connection& peer;
  sync::tunnel& far;
  std::chrono::milliseconds idle;
};

net::awaitable<void> outwards(relay_state s) {
  std::string piece(block, '\0');
  for (;;) {
    s.peer.expire_in(s.idle);
    auto const got = co_await s.peer.read_some(piece);
    if (got == 0) break;
    auto const sent = co_await s.far.write(std::string_view{piece}.substr(0, got));
    if (!sent) co_return s.peer.close();
  }
  if (s.peer.is_open()) {
    s.far.end_sending();
  } else {
    s.far.close();  // cut by the time-out
  }
}

net::awaitable<void> inwards(relay_state s) {
  std::string piece(block, '\0');
  for (;;) {
    auto const got = co_await s.far.read_some(piece);
    if (!got) co_return s.peer.close();
    if (*got == 0) break;
    auto const sent = co_await s.peer.write(std::string_view{piece}.substr(0, *got));
    if (!sent) co_return s.far.close();
    s.peer.expire_in(s.idle);
  }
  s.peer.end_sending();
}

}  // namespace

net::awaitable<void> relay_tunnel(connection& peer, sync::tunnel far, std::chrono::milliseconds idle) {
  using namespace net::experimental::awaitable_operators;
  auto out = outwards({peer, far, idle});
  auto in = inwards({peer, far, idle});
  co_await (std::move(out) && std::move(in));
}

}  // namespace cistern::proxy
