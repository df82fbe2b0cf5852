#include "proxy/stored_body.hpp"

#include "store/lending.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <string_view>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::size_t awaited_piece = 32 << 10;
constexpr std::size_t fair_turn = 1 << 20;  // to a client that reads as fast as we write; then it is others' turn

std::size_t next_step(std::uint64_t at, store::byte_range const& range, std::size_t most) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(most, range.last - at + 1));
}

/// What the socket takes at once of `head`, which gets shorter, and of the two pieces behind it, in bytes of these.
std::size_t offer(connection& peer, std::string& head, std::string_view first, std::string_view second, bool& broken) {
  if (head.empty()) return peer.write_now(first, second, broken);
  auto const sent = peer.write_now(head, first, broken);
  auto const of_head = std::min(sent, head.size());
  head.erase(0, of_head);
  auto const taken = sent - of_head;
  return broken || taken < first.size() ? taken : taken + peer.write_now(second, {}, broken);
}

}  // namespace

net::awaitable<bool> send_stored_body(connection& peer, std::string head, store::body_reader const& body,
                                      store::byte_range range) {
  bool const plain = !peer.via && !peer.tls();
  store::body_lender lender{body};
  std::string piece;
  peer.expire_in(peer.limits.body_timeout);
  for (auto at = range.first; at <= range.last;) {
    // The head goes with the first bytes: two small packets would wait for each other (Nagle, delayed ACK).
    bool broken = false;
    auto const step = next_step(at, range, plain ? fair_turn : 0);
    auto const take = [&](std::string_view first, std::string_view second) {
      return offer(peer, head, first, second, broken);
    };
    auto const taken = lender.lend(at, step, take);
    if (!taken || broken) co_return false;
    at += *taken;
    if (*taken > 0) peer.expire_in(peer.limits.body_timeout);
    if (plain && *taken == step) {
      if (at <= range.last) co_await net::post(peer.executor(), net::use_awaitable);
      continue;
    }
    piece.resize(next_step(at, range, plain ? awaited_piece : stored_block));
    auto const got = body.read(at, piece);
    if (!got || *got == 0) co_return false;
    auto const sent = co_await peer.write(head, std::string_view{piece}.substr(0, *got));
    if (!sent) co_return false;
    head.clear();
    at += *got;
  }
  co_return true;
}

}  // namespace cistern::proxy
