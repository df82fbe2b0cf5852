#include "proxy/session.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using sync::framing_fault;

constexpr std::size_t most_drained = 256 << 10;

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
    peer.hears_request = !received.empty();
    auto const more = co_await peer.fill();
    peer.hears_request = false;
    if (!more) co_return framing_fault::incomplete;
  }
}

/// What the socket did not take at once, in a place of its own.
struct left_over {
  std::string own{};
  std::shared_ptr<std::string const> shared{};
  std::size_t from = 0;  // of what is shared
};

left_over rest_of(outgoing const& all, std::size_t sent) {
  auto const of_head = std::min(sent, all.head.size());
  left_over out{all.head.substr(of_head), all.shared, sent - of_head};
  if (!out.shared) out.own.append(all.body, out.from);
  return out;
}

net::awaitable<bool> send_rest(connection& peer, left_over rest) {
  auto const shared = rest.shared ? std::string_view{*rest.shared}.substr(rest.from) : std::string_view{};
  co_return co_await peer.write(rest.own, shared);
}

}  // namespace

net::awaitable<void> run_session(connection& peer, request_handler& handler, bool& idle) {
  for (bool first = true; !peer.stopping; first = false) {
    idle = true;
    peer.forget_head();
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

    // The head is moved out of the way of what follows it, and read again where it then lies elsewhere.
    bool const in_tunnel = !peer.inside.empty() && head.target.starts_with('/');
    bool moved = peer.take_head(head.size);
    if (in_tunnel) {
      peer.head.insert(peer.head.find(' ') + 1, peer.inside);
      moved = true;
    }
    if (moved) static_cast<void>(sync::parse_request_head(peer.head, head));
    if (!in_tunnel && !peer.inside.empty()) {
      co_await refuse(peer, "421 Misdirected Request", "This is not a proxy.");
      break;
    }

    // One for all connections of this thread: ten thousand idle ones must not each keep a page in memory.
    thread_local outgoing now;
    now.keep = head.persistent() && !peer.stopping;
    now.shared.reset();
    if (handler.answer_now(head, peer, now)) {
      bool const keep = now.keep;
      bool broken = false;
      peer.expire_in(peer.limits.body_timeout);
      std::string_view const body = now.shared ? *now.shared : now.body;
      auto const sent = peer.write_now(now.head, body, broken);
      if (!broken && sent < now.head.size() + body.size()) {
        auto rest = rest_of(now, sent);
        now.shared.reset();
        broken = !co_await send_rest(peer, std::move(rest));
      } else {
        now.shared.reset();
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
