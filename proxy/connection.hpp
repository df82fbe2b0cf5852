#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proxy/tls_layer.hpp"
#include "sync/framing.hpp"

namespace cistern::proxy {

struct session_limits {
  std::uint32_t header_limit = 64 << 10;
  std::uint64_t request_body_limit = 16 << 20;
  std::chrono::milliseconds header_timeout = std::chrono::seconds{20};
  std::chrono::milliseconds idle_timeout = std::chrono::minutes{2};
  std::chrono::milliseconds body_timeout = std::chrono::seconds{60};
};

/// An answer that is ready to be sent: written together, in one system call where the socket takes it.
struct outgoing {
  std::string head{};
  std::string body{};
  std::shared_ptr<std::string const> shared{};  // the body instead, when others send it too
  bool keep = true;
};

/// One browser's connection. Lives as long as its session, and so longer than any one answer; belongs to its thread.
/// Time-outs cost nothing per operation: `expire_in` writes down a moment, and the listener, which looks once in a
/// while, closes what has passed it.
class connection {
public:
  connection(boost::asio::ip::tcp::socket socket, boost::asio::ip::tcp::endpoint peer, session_limits given,
             std::atomic<bool> const& listener_stops)
      : limits{given}, from{std::move(peer)}, stopping{listener_stops}, socket_{std::move(socket)} {}

  void expire_in(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  [[nodiscard]] bool expired(std::chrono::steady_clock::time_point now) const { return now >= deadline_; }
  /// Closes; whoever is in the middle of a request that was not answered yet is told that it was too slow.
  void expire();
  bool hears_request = false;  // waiting for more of a request that has begun

  /// What arrived and was not consumed: the body, the next request, or a tunnel's first bytes. Valid until `fill`.
  [[nodiscard]] std::string_view pending() const { return std::string_view{input_}.substr(consumed_); }
  void consume(std::size_t count);
  /// Moves that many pending bytes to `head`; true when they lie elsewhere then.
  bool take_head(std::size_t count);
  /// The answer is out; its memory serves the next head.
  void forget_head();
  /// Waits for more; false when the peer has ended or broke.
  boost::asio::awaitable<bool> fill();
  /// What is pending first, else from the socket; 0 at the peer's end.
  boost::asio::awaitable<std::size_t> read_some(std::span<char> into);

  /// Where an answer's bytes go instead of to the peer: a door that changes them on their way.
  class outlet {
  public:
    virtual ~outlet() = default;
    virtual boost::asio::awaitable<bool> write(std::string_view first, std::string_view second) = 0;
  };
  outlet* via = nullptr;                // belongs to whoever set it, for one answer
  boost::system::error_code trouble{};  // why the last answer is a page of ours in a site's place

  /// All of it, through the outlet when there is one; false when the peer is gone.
  boost::asio::awaitable<bool> write(std::string_view first, std::string_view second = {});
  /// All of it, to the peer. The first try is made at once and without a coroutine's round.
  boost::asio::awaitable<bool> write_directly(std::string_view first, std::string_view second = {});
  /// As much as the socket takes now; how much that was. For the hot path.
  std::size_t write_now(std::string_view first, std::string_view second, bool& broken);
  /// The same of many pieces, `most_pieces` at most, where no TLS is spoken.
  std::size_t write_now(std::span<std::string_view const> pieces, bool& broken);
  static constexpr std::size_t most_pieces = 32;
  /// Waits until the socket takes more; false when the peer is gone.
  boost::asio::awaitable<bool> writable();

  /// Speaks TLS from here on, as the server. What is pending was the client's first bytes of it. False when that
  /// failed.
  boost::asio::awaitable<bool> start_tls(std::shared_ptr<SSL_CTX> context);
  [[nodiscard]] tls_layer const* tls() const { return tls_.get(); }
  std::string inside;  // "https://example.org", when requests come through a tunnel that ends here

  void end_sending();
  void close();
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  /// The client is on this machine.
  [[nodiscard]] bool is_local() const { return from.address().is_loopback(); }
  [[nodiscard]] boost::asio::any_io_executor executor() { return socket_.get_executor(); }

  session_limits const limits;
  boost::asio::ip::tcp::endpoint const from;
  std::atomic<bool> const& stopping;  // no further request will be read: an answer should say `Connection: close`
  std::string head;                   // the bytes of the request that is being answered
  bool nothing_stored = false;        // of this request's URL: who looked first need not look again

private:
  boost::asio::awaitable<bool> flush();  // what TLS has to say
  boost::asio::awaitable<std::size_t> read_plain(std::span<char> into);

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<tls_layer> tls_;
  std::string input_;
  std::size_t consumed_ = 0;
  bool answered_ = false;  // the answer to this request has begun
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace cistern::proxy
