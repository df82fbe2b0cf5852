#pragma once

/// What the listener asks of whoever answers requests. The listener owns connections, limits, time-outs and the reading
/// of request heads; a handler is given a head that is well-formed and the stream behind it.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cistern::proxy {

struct session_limits {
  std::uint32_t header_limit = 64 << 10;
  std::uint64_t request_body_limit = 16 << 20;
  std::chrono::milliseconds header_timeout = std::chrono::seconds{20};
  std::chrono::milliseconds idle_timeout = std::chrono::minutes{2};
  std::chrono::milliseconds body_timeout = std::chrono::seconds{60};
};

/// One browser's connection. Lives as long as its session, and so longer than any one answer.
struct connection {
  boost::beast::tcp_stream stream;
  boost::beast::flat_buffer
      buffer;  // what arrived behind the head: the body, the next request, or a tunnel's first bytes
  boost::asio::ip::tcp::endpoint peer;
  session_limits limits;
  std::atomic<bool> const& stopping;  // no further request will be read: an answer should say `Connection: close`
};

/// A request head as it was read; its body was not. To read one, move this into a parser of another body type.
/// It is certain that: it parsed within the header limit; HTTP/1.1 has one Host; there is no Transfer-Encoding but
/// "chunked" and none beside a Content-Length; a longer body than the limit will not be read.
using request_head = boost::beast::http::request_parser<boost::beast::http::empty_body>;

enum class after {
  keep,  // the answer is out and the request's body was read to its end: the next request may follow
  close  // this was the last
};

class request_handler {
public:
  virtual ~request_handler() = default;
  /// Writes the whole answer. Called on any of the listener's threads, for many connections at once; both references
  /// outlive the coroutine. Must set `stream.expires_after` before each operation. Is cancelled when the listener stops
  /// and the grace is over. An exception ends the connection and is logged.
  virtual boost::asio::awaitable<after> answer(request_head& head, connection& peer) = 0;
};

}  // namespace cistern::proxy
