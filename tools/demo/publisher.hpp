#pragma once

/// A web server for newspapers of ours, on loopback only.

#include "tools/demo/newspaper.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace cistern::demo {

/// Works in a thread of its own until destroyed; any thread may call it.
class publisher {
public:
  /// Told of each request, on the publisher's thread: "GET /story/3 bytes=100-".
  using listener = std::function<void(std::string const& line)>;
  /// `pace` is bytes a second of a recording, 0 for as fast as it goes. Throws when it cannot listen.
  explicit publisher(std::uint64_t pace = 0, listener told = {}, std::uint16_t port = 0);
  ~publisher();
  publisher(publisher const&) = delete;
  publisher& operator=(publisher const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Under that name (the Host without its port); "" answers for all others.
  void add(std::string host, newspaper paper);
  void change(std::string const& host, std::function<void(newspaper&)> const& how);
  /// Cannot be reached, in the middle of whatever was going on; or can again.
  void set_reachable(bool reachable);

private:
  struct request;
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> serve(boost::asio::ip::tcp::socket socket);
  boost::asio::awaitable<bool> answer(boost::asio::ip::tcp::socket& socket, request asked);
  [[nodiscard]] std::optional<document> look_up(request const& asked);

  std::uint64_t pace_;
  listener told_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  bool reachable_ = true;                         // on its own thread
  std::set<boost::asio::ip::tcp::socket*> open_;  // likewise
  std::mutex mutex_;
  std::map<std::string, newspaper, std::less<>> papers_;
  std::thread thread_;
};

}  // namespace cistern::demo
