#include "tools/demo/publisher.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace cistern::demo {
namespace {

namespace net = boost::asio;
using net::ip::tcp;

constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t longest_head = 16u << 10;
constexpr std::size_t piece = 16u << 10;

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return (x | 32) == (y | 32); });
}

std::string_view field(std::string_view head, std::string_view name) {
  for (auto at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    auto const line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    auto const colon = line.find(':');
    if (colon == line.npos || !same(line.substr(0, colon), name)) continue;
    auto const value = line.find_first_not_of(' ', colon + 1);
    return value == line.npos ? std::string_view{} : line.substr(value);
  }
  return {};
}

}  // namespace

struct publisher::request {
  std::string method, target, host, range, if_range, if_none_match;
  bool last = false;

  explicit request(std::string_view head) {
    auto const space = head.find(' '), second = head.find(' ', space + 1);
    method = head.substr(0, space);
    target = second == head.npos ? "" : head.substr(space + 1, second - space - 1);
    host = field(head, "Host");
    range = field(head, "Range");
    if_range = field(head, "If-Range");
    if_none_match = field(head, "If-None-Match");
    last = same(field(head, "Connection"), "close");
  }
  /// Where a resumed download goes on; 0 for all of it.
  [[nodiscard]] std::size_t from(document const& found) const {
    if (!range.starts_with("bytes=") || (!if_range.empty() && if_range != found.etag)) return 0;
    std::size_t begin = 0;
    std::from_chars(range.data() + 6, range.data() + range.size(), begin);
    return begin < found.body.size() ? begin : 0;
  }
};

publisher::publisher(std::uint64_t pace, listener told, std::uint16_t port)
    : pace_{pace},
      told_{std::move(told)},
      acceptor_{io_, tcp::endpoint{net::ip::address_v4::loopback(), port}},
      port_{acceptor_.local_endpoint().port()} {
  net::co_spawn(io_, accept_all(), net::detached);
  thread_ = std::thread{[this] { io_.run(); }};
}

publisher::~publisher() {
  io_.stop();
  thread_.join();
}

void publisher::add(std::string host, newspaper paper) {
  std::scoped_lock const lock{mutex_};
  papers_.insert_or_assign(std::move(host), std::move(paper));
}

void publisher::change(std::string const& host, std::function<void(newspaper&)> const& how) {
  std::scoped_lock const lock{mutex_};
  if (auto const at = papers_.find(host); at != papers_.end()) how(at->second);
}

void publisher::set_reachable(bool reachable) {
  net::post(io_, net::use_future([this, reachable] {
              reachable_ = reachable;
              boost::system::error_code ignored;
              if (!reachable)
                for (auto* const socket : open_) socket->close(ignored);
            }))
      .wait();
}

net::awaitable<void> publisher::accept_all() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(quiet);
    if (error) co_return;
    if (reachable_) net::co_spawn(io_, serve(std::move(socket)), net::detached);
  }
}

net::awaitable<void> publisher::serve(tcp::socket socket) {
  open_.insert(&socket);
  std::string buffer;
  for (bool more = true; more;) {
    auto const [error, size] =
        co_await net::async_read_until(socket, net::dynamic_buffer(buffer, longest_head), "\r\n\r\n", quiet);
    if (error) break;
    request asked{std::string_view{buffer}.substr(0, size)};
    buffer.erase(0, size);
    if (told_) told_(asked.method + ' ' + asked.target + ' ' + asked.range);
    more = co_await answer(socket, std::move(asked));
  }
  open_.erase(&socket);
}

std::optional<document> publisher::look_up(request const& asked) {
  auto const name = asked.host.substr(0, asked.host.find(':'));
  std::scoped_lock const lock{mutex_};
  auto at = papers_.find(name);
  if (at == papers_.end()) at = papers_.find("");
  if (at == papers_.end()) return std::nullopt;
  return at->second.at(asked.target.substr(0, asked.target.find('?')), "http://" + asked.host);
}

net::awaitable<bool> publisher::answer(tcp::socket& socket, request asked) {
  auto const found = look_up(asked);
  bool const readable = asked.method == "GET" || asked.method == "HEAD";
  std::string head = "HTTP/1.1 ";
  std::string_view body;
  if (!found || !readable) {
    head +=
        readable ? "404 Not Found\r\nContent-Length: 0\r\n\r\n" : "405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
  } else if (asked.if_none_match == found->etag) {
    head += "304 Not Modified\r\nETag: " + found->etag + "\r\n\r\n";
  } else {
    auto const from = asked.from(*found);
    body = std::string_view{found->body}.substr(from);
    head += from > 0 ? "206 Partial Content\r\nContent-Range: bytes " + std::to_string(from) + '-' +
                           std::to_string(found->body.size() - 1) + '/' + std::to_string(found->body.size()) + "\r\n"
                     : "200 OK\r\n";
    head += "Content-Type: " + found->type + "\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\nETag: " + found->etag + "\r\nAccept-Ranges: bytes\r\nCache-Control: max-age=1\r\n\r\n";
    if (asked.method == "HEAD") body = {};
  }
  auto [error, sent] = co_await net::async_write(socket, net::buffer(head), quiet);
  bool const slow = pace_ > 0 && found && found->type.starts_with("audio/");
  net::steady_timer nap{io_};
  while (!error && !body.empty()) {
    auto const now = body.substr(0, slow ? piece : body.size());
    std::tie(error, sent) = co_await net::async_write(socket, net::buffer(now), quiet);
    body.remove_prefix(now.size());
    if (!slow || error) continue;
    nap.expires_after(std::chrono::milliseconds{now.size() * 1000 / pace_});
    auto const [interrupted] = co_await nap.async_wait(quiet);
    if (interrupted) break;
  }
  co_return !error && !asked.last;
}

}  // namespace cistern::demo
