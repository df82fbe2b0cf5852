#pragma once

/// What the listener asks of whoever answers requests. The listener owns connections, limits and time-outs, the session
/// reads request heads; a handler is given a head that is well-formed and the connection behind it.

#include "proxy/connection.hpp"

#include <boost/asio/awaitable.hpp>

namespace cistern::proxy {

enum class after {
  keep,  // the answer is out and the request's body was read to its end: the next request may follow
  close  // this was the last
};

class request_handler {
public:
  virtual ~request_handler() = default;

  /// Called on each of the listener's threads before its first session and after its last, while its io_context lives.
  virtual void enter_thread(boost::asio::any_io_executor const&) {}
  virtual void leave_thread() {}
  /// The listener stops: whatever only waits for later on this thread should not be waited for.
  virtual void rest_thread() {}

  /// Answers at once where that needs no waiting (the hot path: no coroutine, no timer), by filling `out` with the
  /// whole answer; false leaves it to `answer`. Called on any of the listener's threads.
  virtual bool answer_now(sync::head_view const& head, connection& peer, outgoing& out) = 0;
  /// Writes the whole answer. Called on any of the listener's threads, for many connections at once; both references
  /// outlive the coroutine. Is cancelled when the listener stops and the grace is over. An exception ends the
  /// connection and is logged.
  virtual boost::asio::awaitable<after> answer(sync::head_view const& head, connection& peer) = 0;
};

}  // namespace cistern::proxy
