#include "sync/http/dial.hpp"

#include "sync/errc.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

errc translate(error_code error) {
  if (error == net::error::connection_refused || error == net::error::connection_reset) return errc::refused;
  if (error == net::error::timed_out) return errc::connect_timeout;
  if (error == net::error::network_unreachable || error == net::error::host_unreachable ||
      error == net::error::network_down)
    return errc::unreachable;
  // Our own limits must never look like a dead link.
  if (error == net::error::no_descriptors || error == net::error::no_memory || error == net::error::no_buffer_space)
    return errc::too_busy;
  return errc::unusable_address;
}

/// The attempts of one dial. Shared with their handlers, which run once more after the dial has ended.
struct race : std::enable_shared_from_this<race> {
  race(net::any_io_executor const& executor, std::function<void(tcp::socket&)> p)
      : wake{executor}, prepare{std::move(p)} {}

  net::steady_timer wake;  // stagger, and cut short by every attempt that ends
  std::function<void(tcp::socket&)> prepare;
  std::deque<tcp::socket> attempts;
  std::optional<tcp::socket> winner;
  std::optional<errc> failure;
  std::size_t under_way{};
  bool over{};

  void attempt(tcp::endpoint const& to) {
    auto& socket = attempts.emplace_back(wake.get_executor());
    ++under_way;
    error_code told_by_connect;
    socket.open(to.protocol(), told_by_connect);
    if (!told_by_connect && prepare) prepare(socket);
    socket.async_connect(to, [self = shared_from_this(), &socket](error_code error) {
      --self->under_way;
      if (self->over) return;
      if (!error && !self->winner) {
        self->winner = std::move(socket);
      } else if (error && (!self->failure || *self->failure == errc::unreachable)) {
        self->failure = translate(error);  // "refused" says more than "no route"
      }
      self->wake.cancel();
    });
  }

  void close() {
    over = true;
    for (auto& socket : attempts) {
      error_code ignored;
      socket.close(ignored);
    }
  }
};

struct close_on_exit {
  std::shared_ptr<race> attempts;
  ~close_on_exit() { attempts->close(); }
};

}  // namespace

std::vector<net::ip::address> interleave(std::vector<net::ip::address> addresses) {
  if (addresses.empty()) return addresses;
  auto const first_is_v6 = addresses.front().is_v6();
  auto const other = std::stable_partition(addresses.begin(), addresses.end(),
                                           [&](auto const& a) { return a.is_v6() == first_is_v6; });
  std::vector<net::ip::address> out;
  for (auto a = addresses.begin(), b = other; a != other || b != addresses.end();) {
    if (a != other) out.push_back(*a++);
    if (b != addresses.end()) out.push_back(*b++);
  }
  return out;
}

net::awaitable<result<tcp::socket>> dial(std::vector<net::ip::address> addresses, std::uint16_t port,
                                         std::chrono::milliseconds limit, std::chrono::milliseconds stagger,
                                         std::function<void(tcp::socket&)> prepare) {
  using steady = std::chrono::steady_clock;
  addresses = interleave(std::move(addresses));
  auto const attempts = std::make_shared<race>(co_await net::this_coro::executor, std::move(prepare));
  close_on_exit const closer{attempts};
  auto const deadline = steady::now() + limit;
  auto cancelled = (co_await net::this_coro::cancellation_state).cancelled();

  std::size_t next = 0;
  while (!attempts->winner && cancelled == net::cancellation_type::none) {
    auto const more = next < addresses.size();
    if (!more && attempts->under_way == 0) break;
    if (steady::now() >= deadline) co_return errc::connect_timeout;
    // A handler that ends before the wait begins cannot happen: handlers run only while this coroutine is suspended.
    if (more) attempts->attempt({addresses[next++], port});
    attempts->wake.expires_at(next < addresses.size() ? std::min(deadline, steady::now() + stagger) : deadline);
    co_await attempts->wake.async_wait(net::as_tuple(net::use_awaitable));
    cancelled = (co_await net::this_coro::cancellation_state).cancelled();
  }
  if (attempts->winner) {
    error_code ignored;
    attempts->winner->set_option(tcp::no_delay{true}, ignored);
    co_return std::move(*attempts->winner);
  }
  co_return cancelled == net::cancellation_type::none ? attempts->failure.value_or(errc::unreachable) : errc::cancelled;
}

}  // namespace cistern::sync
