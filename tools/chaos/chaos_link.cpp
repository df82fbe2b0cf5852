#include "tools/chaos/chaos_link.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>

namespace cistern::chaos {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using steady = std::chrono::steady_clock;
constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t largest_head = 64 << 10;

/// RST: what a broken link looks like from far enough away.
void break_off(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(net::socket_base::linger{true, 0}, ignored);
  socket.close(ignored);
}

/// "host:port" apart; the port may be missing.
destination split_authority(std::string const& authority, std::uint16_t otherwise) {
  auto const colon = authority.rfind(':');
  bool const has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  destination out{authority.substr(0, has_port ? colon : std::string::npos), otherwise};
  if (has_port) out.port = static_cast<std::uint16_t>(std::strtoul(authority.c_str() + colon + 1, nullptr, 10));
  if (out.host.size() > 2 && out.host.front() == '[') out.host = out.host.substr(1, out.host.size() - 2);
  return out;
}

/// A request in absolute form as its origin expects it, for one exchange.
std::string in_origin_form(std::string const& head, std::size_t path_at) {
  auto const method_end = head.find(' ');
  auto const line_end = head.find("\r\n");
  std::string out = head.substr(0, method_end + 1);
  if (head[path_at] != '/') out += '/';
  out += head.substr(path_at, line_end - path_at) + "\r\nConnection: close\r\n";
  for (auto at = line_end + 2; at < head.size();) {
    auto const next = head.find("\r\n", at) + 2;
    std::string name = head.substr(at, head.find(':', at) - at);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name != "connection" && name != "proxy-connection") out += head.substr(at, next - at);
    at = next;
  }
  return out;
}

}  // namespace

struct chaos_link::conversation {
  explicit conversation(tcp::socket socket) : near{std::move(socket)}, far{near.get_executor()} {}
  tcp::socket near;
  tcp::socket far;
  std::string ahead{};     // for the far side, read already
  bool downwards = false;  // who spoke last
  void break_both() {
    break_off(near);
    break_off(far);
  }
};

chaos_link::chaos_link(profile how, destination to, tcp::endpoint listen)
    : how_{std::move(how)}, to_{std::move(to)}, acceptor_{io_, listen}, random_{how_.seed} {
  port_ = acceptor_.local_endpoint().port();
  until_cut_ = draw(how_.cut_every);
  until_stall_ = draw(how_.stall_every);
  net::co_spawn(io_, accept_all(), net::detached);
  if (!how_.windows.empty()) net::co_spawn(io_, keep_windows(), net::detached);
  thread_ = std::thread{[this] { io_.run(); }};
}

chaos_link::~chaos_link() {
  io_.stop();
  thread_.join();
}

std::uint64_t chaos_link::draw(std::uint64_t mean) {
  if (mean == 0) return UINT64_MAX;
  std::exponential_distribution<double> gap{1.0 / static_cast<double>(mean)};
  return 1 + static_cast<std::uint64_t>(gap(random_));
}

void chaos_link::set_up(bool up) {
  net::post(io_, [this, up] { apply(up); });
}

void chaos_link::apply(bool up) {
  up_ = up;
  if (up) return;
  for (auto const& weak : std::exchange(open_, {}))
    if (auto const c = weak.lock()) c->break_both();
}

net::awaitable<void> chaos_link::keep_windows() {
  net::steady_timer timer{io_};
  for (std::size_t i = 0;; i = (i + 1) % how_.windows.size()) {
    apply(i % 2 == 0);
    timer.expires_after(how_.windows[i]);
    co_await timer.async_wait(quiet);
  }
}

net::awaitable<void> chaos_link::accept_all() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(quiet);
    if (error) continue;
    if (!up_) {
      ++tally_.refused;
      break_off(socket);
      continue;
    }
    ++tally_.connections;
    auto const c = std::make_shared<conversation>(std::move(socket));
    std::erase_if(open_, [](auto const& weak) { return weak.expired(); });
    open_.push_back(c);
    net::co_spawn(io_, serve(c), net::detached);
  }
}

net::awaitable<void> chaos_link::serve(std::shared_ptr<conversation> c) {
  if (how_.portal) co_return co_await show_portal(c);
  auto const met = co_await meet(c);
  if (!met) co_return c->break_both();
  net::co_spawn(io_, relay(c, false), net::detached);
  co_await relay(c, true);
}

/// Connects to where this conversation is to go.
net::awaitable<bool> chaos_link::meet(std::shared_ptr<conversation> c) {
  auto to = to_;
  if (to.host.empty()) {
    auto const [error, size] =
        co_await net::async_read_until(c->near, net::dynamic_buffer(c->ahead, largest_head), "\r\n\r\n", quiet);
    if (error) co_return false;
    auto const target_at = c->ahead.find(' ') + 1;
    auto const target = c->ahead.substr(target_at, c->ahead.find(' ', target_at) - target_at);
    if (c->ahead.starts_with("CONNECT ")) {
      to = split_authority(target, 443);
      c->ahead.erase(0, size);
    } else if (target.starts_with("http://")) {
      auto const path = std::min(target.find('/', 7), target.size());
      to = split_authority(target.substr(7, path - 7), 80);
      auto const body = c->ahead.substr(size);
      c->ahead = in_origin_form(c->ahead.substr(0, size), target_at + path) + body;
    } else {
      co_return false;
    }
    if (!target.starts_with("http://")) {
      auto const told = co_await net::async_write(
          c->near, net::buffer(std::string_view{"HTTP/1.1 200 Connection Established\r\n\r\n"}), quiet);
      if (std::get<0>(told)) co_return false;
    }
  }
  tcp::resolver names{io_};
  auto const [unknown, found] = co_await names.async_resolve(to.host, std::to_string(to.port), quiet);
  if (unknown) co_return false;
  auto const [refused, endpoint] = co_await net::async_connect(c->far, found, quiet);
  co_return !refused;
}

net::awaitable<void> chaos_link::show_portal(std::shared_ptr<conversation> c) {
  for (;;) {
    std::string head;
    auto const [error, size] =
        co_await net::async_read_until(c->near, net::dynamic_buffer(head, largest_head), "\r\n\r\n", quiet);
    if (error || head.starts_with("CONNECT ")) co_return;
    bool const login = head.find("/portal-login") != std::string::npos;
    std::string const page = "<html><title>Log in</title><p>Welcome. Please log in to use this network.</html>";
    std::string answer =
        login ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 302 Found\r\nLocation: http://portal.test/portal-login\r\n";
    answer += "Content-Type: text/html\r\nContent-Length: " + std::to_string(page.size()) + "\r\n\r\n" + page;
    auto const sent = co_await net::async_write(c->near, net::buffer(answer), quiet);
    if (std::get<0>(sent)) co_return;
    tally_.down += answer.size();
  }
}

net::awaitable<void> chaos_link::wait_for_rate(std::size_t bytes) {
  if (how_.rate == 0) co_return;
  auto const now = steady::now();
  auto const time = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(how_.rate));
  line_free_ = std::max(line_free_, now) + std::chrono::duration_cast<steady::duration>(time);
  net::steady_timer timer{io_, line_free_};
  co_await timer.async_wait(quiet);
}

/// One direction until it ends; the other side is told when it ends well. Only what comes down is cut and stalled: that
/// is where the long bodies are.
net::awaitable<void> chaos_link::relay(std::shared_ptr<conversation> c, bool downwards) {
  auto& from = downwards ? c->far : c->near;
  auto& to = downwards ? c->near : c->far;
  std::array<char, 8192> buffer{};
  std::string first = downwards ? std::string{} : std::exchange(c->ahead, {});
  for (;;) {
    std::string_view bytes{first};
    if (first.empty()) {
      auto const [ended, got] = co_await from.async_read_some(net::buffer(buffer), quiet);
      if (ended == net::error::eof) {
        boost::system::error_code ignored;
        to.shutdown(tcp::socket::shutdown_send, ignored);
        co_return;
      }
      if (ended) co_return c->break_both();
      bytes = {buffer.data(), got};
    }
    if (how_.delay.count() > 0 && c->downwards != downwards) {
      net::steady_timer timer{io_, how_.delay};
      co_await timer.async_wait(quiet);
    }
    c->downwards = downwards;
    bool const cut = downwards && until_cut_ <= bytes.size();
    if (cut) bytes = bytes.substr(0, static_cast<std::size_t>(until_cut_));
    co_await wait_for_rate(bytes.size());
    auto const sent = co_await net::async_write(to, net::buffer(bytes), quiet);
    if (std::get<0>(sent)) co_return c->break_both();
    (downwards ? tally_.down : tally_.up) += bytes.size();
    if (cut) {
      ++tally_.cuts;
      until_cut_ = draw(how_.cut_every);
      co_return c->break_both();
    }
    if (downwards && how_.cut_every > 0) until_cut_ -= std::min<std::uint64_t>(until_cut_ - 1, bytes.size());
    if (downwards && until_stall_ <= bytes.size()) {
      ++tally_.stalls;
      until_stall_ = draw(how_.stall_every);
      net::steady_timer timer{io_, how_.stall};
      co_await timer.async_wait(quiet);
    } else if (downwards && how_.stall_every > 0) {
      until_stall_ -= bytes.size();
    }
    first.clear();
  }
}

}  // namespace cistern::chaos
