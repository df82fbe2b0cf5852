#include "proxy/stored_body.hpp"

#include "store/lending.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::size_t fair_turn = 1 << 20;  // to a client that reads as fast as we write; then it is others' turn

std::size_t next_step(std::uint64_t at, store::byte_range const& range, std::size_t most) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(most, range.last - at + 1));
}

/// What the socket takes at once of `head`, which gets shorter, and of the pieces behind it, in bytes of these.
std::size_t offer(connection& peer, std::string& head, store::body_lender::pieces body, bool& broken) {
  static_assert(store::body_lender::most_pieces < connection::most_pieces);
  if (head.empty()) return peer.write_now(body, broken);
  std::array<std::string_view, connection::most_pieces> all{head};
  std::copy(body.begin(), body.end(), all.begin() + 1);
  auto const sent = peer.write_now(std::span{all}.first(body.size() + 1), broken);
  auto const of_head = std::min(sent, head.size());
  head.erase(0, of_head);
  return sent - of_head;
}

/// What the socket does not take at once stays where it is until the socket takes more.
net::awaitable<bool> lend_body(connection& peer, std::string head, store::body_reader const& body,
                               store::byte_range range) {
  store::body_lender lender{body};
  for (auto at = range.first; at <= range.last;) {
    bool broken = false;
    auto const step = next_step(at, range, fair_turn);
    auto const take = [&](store::body_lender::pieces given) { return offer(peer, head, given, broken); };
    auto const taken = lender.lend(at, step, take);
    if (!taken || broken) co_return false;
    at += *taken;
    if (*taken > 0) peer.expire_in(peer.limits.body_timeout);
    if (at > range.last) break;
    if (*taken == step) {
      co_await net::post(peer.executor(), net::use_awaitable);
    } else {
      auto const waited = co_await peer.writable();
      if (!waited) co_return false;
    }
  }
  co_return true;
}

}  // namespace

net::awaitable<bool> copy_stored_body(connection& peer, std::string head, store::body_reader const& body,
                                      store::byte_range range) {
  std::string piece;
  for (auto at = range.first; at <= range.last;) {
    piece.resize(next_step(at, range, stored_block));
    auto const got = body.read(at, piece);
    if (!got || *got == 0) co_return false;
    auto const sent = co_await peer.write(head, std::string_view{piece}.substr(0, *got));
    if (!sent) co_return false;
    head.clear();
    at += *got;
  }
  co_return true;
}

net::awaitable<bool> send_stored_body(connection& peer, std::string head, store::body_reader const& body,
                                      store::byte_range range) {
  peer.expire_in(peer.limits.body_timeout);
  bool const plain = !peer.via && !peer.tls();
  return plain ? lend_body(peer, std::move(head), body, range) : copy_stored_body(peer, std::move(head), body, range);
}

}  // namespace cistern::proxy
