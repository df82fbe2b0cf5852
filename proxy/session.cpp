#include "proxy/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>

#include <string>
#include <string_view>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using namespace std::chrono_literals;

constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t read_ahead = 8 << 10;
constexpr std::size_t most_drained = 256 << 10;

/// What makes a head ambiguous or unacceptable; `ok` when nothing does.
http::status verdict(request_head const& head) {
  auto const& request = head.get();
  auto const codings = request.count(http::field::transfer_encoding);
  // RFC 9112 §6.1: both, or a coding we would not undo, is how requests are smuggled past one of two parsers.
  if (codings > 0 && request.count(http::field::content_length) > 0) return http::status::bad_request;
  if (codings > 1 || (codings == 1 && !beast::iequals(request[http::field::transfer_encoding], "chunked")))
    return http::status::bad_request;
  if (codings > 0 && request.version() < 11) return http::status::bad_request;
  // RFC 9112 §3.2.
  auto const hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && request.version() >= 11)) return http::status::bad_request;
  return http::status::ok;
}

http::status verdict(beast::error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return http::status::request_header_fields_too_large;
  if (error == http::error::body_limit) return http::status::payload_too_large;
  if (error == http::error::bad_version) return http::status::http_version_not_supported;
  if (error.category() == make_error_code(http::error::bad_method).category() && error != http::error::end_of_stream &&
      error != http::error::partial_message)
    return http::status::bad_request;
  return http::status::ok;  // nobody to tell: the peer is gone, or was too slow and Beast has closed the socket
}

net::awaitable<void> refuse(connection& peer, http::status status) {
  auto const reason = std::string{http::obsolete_reason(status)};
  auto const code = std::to_string(static_cast<unsigned>(status));
  auto const answer =
      "HTTP/1.1 " + code + ' ' + reason +
      "\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " + std::to_string(reason.size() + 1) +
      "\r\n\r\n" + reason + '\n';
  peer.stream.expires_after(peer.limits.body_timeout);
  co_await net::async_write(peer.stream, net::buffer(answer), quiet);
}

/// Closes so that the last answer arrives: a socket closed with unread bytes in it resets the connection, and the
/// peer may lose what it has not read yet (RFC 9112 §9.6).
net::awaitable<void> finish(connection& peer) {
  beast::error_code ignored;
  peer.stream.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
  peer.stream.expires_after(1s);
  for (std::size_t drained = 0; drained < most_drained;) {
    peer.buffer.clear();
    auto const room = peer.buffer.prepare(read_ahead);
    auto const [error, count] = co_await peer.stream.async_read_some(room, quiet);
    if (error) break;
    drained += count;
  }
  peer.stream.close();
}

/// True when something of the next request is there.
net::awaitable<bool> wait_for_request(connection& peer, bool first) {
  if (peer.buffer.size() > 0) co_return true;
  peer.stream.expires_after(first ? peer.limits.header_timeout : peer.limits.idle_timeout);
  auto const room = peer.buffer.prepare(read_ahead);
  auto const [error, count] = co_await peer.stream.async_read_some(room, quiet);
  peer.buffer.commit(count);
  co_return !error;
}

}  // namespace

net::awaitable<void> run_session(connection& peer, request_handler& handler, bool& idle) {
  for (bool first = true; !peer.stopping; first = false) {
    idle = true;
    auto const came = co_await wait_for_request(peer, first);
    if (!came) break;
    idle = false;

    request_head head;
    head.header_limit(peer.limits.header_limit);
    head.body_limit(peer.limits.request_body_limit);
    peer.stream.expires_after(peer.limits.header_timeout);
    auto const [error, count] = co_await http::async_read_header(peer.stream, peer.buffer, head, quiet);
    auto const judged = error ? verdict(error) : verdict(head);
    if (judged != http::status::ok) co_await refuse(peer, judged);
    if (error || judged != http::status::ok) break;

    auto const next = co_await handler.answer(head, peer);
    if (next == after::close) break;
  }
  if (peer.stream.socket().is_open()) co_await finish(peer);
}

}  // namespace cistern::proxy
