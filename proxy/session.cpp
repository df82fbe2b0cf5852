#include "proxy/session.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using sync::framing_fault;

constexpr std::size_t most_drained = 256 << 10;
constexpr std::size_t longest_kept_head = 1 << 10;  // by a connection that waits for its next request

std::string_view status_of(framing_fault fault) {
  return fault == framing_fault::unsupported_version ? "505 HTTP Version Not Supported" : "400 Bad Request";
}

net::awaitable<void> refuse(connection& peer, std::string_view status, std::string_view why) {
  std::string answer{"HTTP/1.1 "};
  answer.append(status).append("\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: ");
  answer.append(std::to_string(why.size() + 1)).append("\r\n\r\n").append(why).append("\n");
  co_await peer.write(answer);
}

/// Closes so that the last answer arrives: a socket closed with unread bytes in it resets the connection, and the
/// peer may lose what it has not read yet (RFC 9112 §9.6).
net::awaitable<void> finish(connection& peer) {
  peer.end_sending();
  peer.expire_in(1s);
  for (std::size_t drained = 0; drained < most_drained;) {
    peer.consume(peer.pending().size());
    auto const more = co_await peer.fill();
    if (!more) break;
    drained += peer.pending().size();
  }
  peer.close();
}

/// Reads until a whole head is pending and fits; what is wrong with it, or `incomplete` when the peer went away.
net::awaitable<framing_fault> read_head(connection& peer, sync::head_view& head, bool& idle, bool first) {
  std::size_t looked_at = 0;
  peer.expire_in(first ? peer.limits.header_timeout : peer.limits.idle_timeout);
  for (;;) {
    auto const received = peer.pending();
    if (!received.empty()) {
      idle = false;
      bool const worth_parsing =
          looked_at == 0 || sync::find_head_end(received, looked_at > 4 ? looked_at - 4 : 0) != 0;
      if (worth_parsing) {
        auto const fault = sync::parse_request_head(received, head);
        if (fault != framing_fault::incomplete) co_return fault;
      }
      if (looked_at == 0) peer.expire_in(peer.limits.header_timeout);
      looked_at = received.size();
      if (looked_at > peer.limits.header_limit) co_return framing_fault::none;  // the caller sees that there is no head
    }
    auto const more = co_await peer.fill();
    if (!more) co_return framing_fault::incomplete;
  }
}

/// What the socket did not take at once, in a place of its own.
std::string left_over(outgoing const& all, std::size_t sent) {
  auto const of_head = std::min(sent, all.head.size());
  return all.head.substr(of_head) + all.body.substr(sent - of_head);
}

}  // namespace

net::awaitable<void> run_session(connection& peer, request_handler& handler, bool& idle) {
  for (bool first = true; !peer.stopping; first = false) {
    idle = true;
    if (peer.head.capacity() > longest_kept_head) std::string{}.swap(peer.head);
    sync::head_view head;
    auto const fault = co_await read_head(peer, head, idle, first);
    if (fault == framing_fault::incomplete) break;
    if (fault == framing_fault::none && (head.size == 0 || head.size > peer.limits.header_limit)) {
      co_await refuse(peer, "431 Request Header Fields Too Large", "The request's head is too large.");
      break;
    }
    if (fault != framing_fault::none) {
      co_await refuse(peer, status_of(fault), sync::describe(fault));
      break;
    }
    if (head.content_length.value_or(0) > peer.limits.request_body_limit) {
      co_await refuse(peer, "413 Content Too Large", "The request's body is too large.");
      break;
    }

    // The head is moved out of the way of what follows it and read again where it stays put.
    peer.head.assign(peer.pending().substr(0, head.size));
    bool const in_tunnel = !peer.inside.empty() && head.target.starts_with('/');
    if (in_tunnel) peer.head.insert(peer.head.find(head.target, head.method.size()), peer.inside);
    peer.consume(head.size);
    static_cast<void>(sync::parse_request_head(peer.head, head));
    if (!in_tunnel && !peer.inside.empty()) {
      co_await refuse(peer, "421 Misdirected Request", "This is not a proxy.");
      break;
    }

    // One for all connections of this thread: ten thousand idle ones must not each keep a page in memory.
    thread_local outgoing now;
    now.keep = head.persistent() && !peer.stopping;
    if (handler.answer_now(head, peer, now)) {
      bool const keep = now.keep;
      bool broken = false;
      peer.expire_in(peer.limits.body_timeout);
      auto const sent = peer.write_now(now.head, now.body, broken);
      if (!broken && sent < now.head.size() + now.body.size()) {
        auto const rest = left_over(now, sent);
        broken = !co_await peer.write(rest);
      }
      if (broken || !keep) break;
      continue;
    }
    auto const next = co_await handler.answer(head, peer);
    if (next == after::close) break;
  }
  if (peer.is_open()) co_await finish(peer);
}

}  // namespace cistern::proxy
