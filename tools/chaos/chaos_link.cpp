#include "tools/chaos/chaos_link.hpp"

#include "tools/chaos/proxied_request.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <iostream>

namespace cistern::chaos {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr std::size_t largest_head = 64 << 10;
constexpr std::uint64_t everything = UINT64_MAX;

/// RST: what a broken link looks like from far enough away.
void break_off(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(net::socket_base::linger{true, 0}, ignored);
  socket.close(ignored);
}

void hang_up(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

/// Bytes that were written and that the peer's machine does not have yet.
std::uint64_t under_way(tcp::socket& socket) {
  int waiting = 0;
  return socket.is_open() && ::ioctl(socket.native_handle(), SIOCOUTQ, &waiting) == 0 && waiting > 0
             ? static_cast<std::uint64_t>(waiting)
             : 0;
}

/// Waits until the peer's machine has what was written: an RST throws the rest away, and then a cut would not be where
/// the seed says.
net::awaitable<void> settle(std::shared_ptr<tcp::socket> socket) {
  net::steady_timer timer{socket->get_executor()};
  for (int tries = 0; tries < 500 && socket->is_open(); ++tries) {
    if (under_way(*socket) == 0) co_return;
    timer.expires_after(1ms);
    co_await timer.async_wait(quiet);
  }
}

void report(std::exception_ptr failed) {
  try {
    if (failed) std::rethrow_exception(failed);
  } catch (std::exception const& e) {
    std::cerr << "chaos-link: " << e.what() << '\n';
  }
}

}  // namespace

struct chaos_link::conversation {
  explicit conversation(tcp::socket socket) : near{std::make_shared<tcp::socket>(std::move(socket))} {}
  shared_socket near;
  shared_socket far{};  // shared: the direction down may still read from one that was replaced
  host_port far_is{};
  std::string ahead{};  // from the near side, read and not yet carried
  bool down_spoke = true;
  std::string asked_for{};     // the request whose answer comes down
  std::uint64_t written = 0;   // down, on this connection
  std::uint64_t answered = 0;  // of these, those before the request
};

chaos_link::chaos_link(profile how, destination to)
    : chaos_link{std::move(how), std::move(to), tcp::endpoint{net::ip::address_v4::loopback(), 0}} {}

chaos_link::chaos_link(profile how, destination to, tcp::endpoint listen)
    : how_{std::move(how)}, to_{std::move(to)}, acceptor_{io_, listen}, window_over_{io_}, came_up_{io_} {
  port_ = acceptor_.local_endpoint().port();
  came_up_.expires_at(steady::time_point::max());  // once: to set it anew would wake those who wait
  begin();
  net::co_spawn(io_, accept_all(), report);
  thread_ = std::thread{[this] { io_.run(); }};
}

chaos_link::~chaos_link() {
  io_.stop();
  thread_.join();
}

std::uint64_t chaos_link::gaps::draw(std::uint64_t mean) {
  if (mean == 0) return everything;
  std::exponential_distribution<double> gap{1.0 / static_cast<double>(mean)};
  return 1 + static_cast<std::uint64_t>(gap(random));
}

/// Each kind of fault has random numbers of its own, so that how one falls out does not move the others.
void chaos_link::begin() {
  cuts_.random.seed(how_.seed);
  stalls_.random.seed(how_.seed + 1'000'003);
  windows_.random.seed(how_.seed + 2'000'003);
  until_cut_ = cuts_.draw(how_.cut_every);
  until_stall_ = stalls_.draw(how_.stall_every);
  ++weather_;
  window_over_.cancel();
  if (!how_.windows.empty()) net::co_spawn(io_, keep_windows(), report);
}

template <class Work>
void chaos_link::do_there(Work work) {
  std::promise<void> done;
  net::post(io_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void chaos_link::set_up(bool up) {
  do_there([&] { apply(up); });
}

void chaos_link::when_changed(std::function<void(bool up)> tell) {
  do_there([&] {
    tell_ = std::move(tell);
    if (tell_) tell_(up_);
  });
}

void chaos_link::change(profile how) {
  do_there([&] {
    bool const portal_appears = how.portal && !how_.portal;
    how_ = std::move(how);
    begin();
    if (how_.windows.empty()) apply(true);
    if (portal_appears) break_all();
  });
}

void chaos_link::apply(bool up) {
  if (tell_ && up_ != up) tell_(up);
  if (up_ && !up) ++tally_.outages;
  up_ = up;
  if (up)
    came_up_.cancel();
  else if (!how_.silent)
    break_all();
}

void chaos_link::break_all() {
  for (auto const& weak : std::exchange(open_, {})) {
    auto const c = weak.lock();
    if (!c) continue;
    break_both(*c);
  }
}

void chaos_link::break_both(conversation& c) {
  settle_answer(c);
  tally_.down -= under_way(*c.near);  // they never arrive
  break_off(*c.near);
  if (c.far) break_off(*c.far);
}

/// What came down since the last request arrived in that request's name.
void chaos_link::settle_answer(conversation& c) {
  if (!c.near->is_open()) return;
  auto const there = c.written - std::min(c.written, under_way(*c.near));
  if (!c.asked_for.empty() && there > c.answered) arrived_[c.asked_for] += there - c.answered;
  c.answered = std::max(c.answered, there);
}

std::map<std::string, std::uint64_t> chaos_link::arrived() {
  std::map<std::string, std::uint64_t> out;
  do_there([&] {
    for (auto const& weak : open_)
      if (auto const c = weak.lock()) settle_answer(*c);
    out = arrived_;
  });
  return out;
}

net::awaitable<void> chaos_link::keep_windows() {
  auto const mine = weather_;
  auto const windows = how_.windows;
  for (std::size_t i = 0; weather_ == mine; i = (i + 1) % windows.size()) {
    apply(i % 2 == 0);
    auto const mean = static_cast<std::uint64_t>(windows[i].length.count());
    window_over_.expires_after(windows[i].random ? std::chrono::milliseconds{windows_.draw(mean)} : windows[i].length);
    co_await window_over_.async_wait(quiet);
  }
}

net::awaitable<void> chaos_link::accept_all() {
  net::steady_timer pause{io_};
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(quiet);
    if (error) {  // out of descriptors, most likely: let some go first
      pause.expires_after(50ms);
      co_await pause.async_wait(quiet);
      continue;
    }
    if (!up_ && !how_.silent) {
      ++tally_.refused;
      break_off(socket);
      continue;
    }
    ++tally_.connections;
    auto const c = std::make_shared<conversation>(std::move(socket));
    std::erase_if(open_, [](auto const& weak) { return weak.expired(); });
    open_.push_back(c);
    net::co_spawn(io_, serve(c), report);
  }
}

net::awaitable<void> chaos_link::serve(shared_conversation c) {
  co_await wait_until_up();
  if (to_.proxy || to_.host.empty() || how_.portal)
    co_await serve_requests(c);
  else
    co_await serve_plain(c);
}

net::awaitable<void> chaos_link::serve_plain(shared_conversation c) {
  host_port to{to_.host, to_.port};
  auto const met = co_await meet(c, std::move(to));
  if (!met) co_return break_both(*c);
  co_await relay_up(c, everything);
}

/// As a proxy: every request may go elsewhere.
net::awaitable<void> chaos_link::serve_requests(shared_conversation c) {
  for (;;) {
    auto const [error, size] =
        co_await net::async_read_until(*c->near, net::dynamic_buffer(c->ahead, largest_head), "\r\n\r\n", quiet);
    if (error) {
      if (c->far) hang_up(*c->far);
      co_return;
    }
    auto const head = c->ahead.substr(0, size);
    c->ahead.erase(0, size);
    settle_answer(*c);
    auto const target = head.find(' ') + 1;
    c->asked_for = head.substr(target, head.find(' ', target) - target);
    if (how_.portal) {
      auto const shown = co_await show_portal(c, head);
      if (!shown) co_return break_both(*c);
      continue;
    }
    auto request = parse_proxied(head);
    if (!request) co_return break_both(*c);
    bool const there = c->far && c->far->is_open() && c->far_is == request->to;
    if (!there) {
      auto const met = co_await meet(c, request->to);
      if (!met) co_return break_both(*c);
    }
    if (request->tunnel) {
      auto const told = co_await carry(c, c->near, "HTTP/1.1 200 Connection Established\r\n\r\n", true);
      if (told) co_await relay_up(c, everything);
      co_return;
    }
    auto const sent = co_await carry(c, c->far, request->head, false);
    if (!sent) co_return;
    if (request->endless_body || request->body != 0)
      co_await relay_up(c, request->endless_body ? everything : request->body);
  }
}

/// A login page in the name of whoever was asked. False when the conversation is over.
net::awaitable<bool> chaos_link::show_portal(shared_conversation c, std::string_view head) {
  if (head.starts_with("CONNECT ")) co_return false;
  bool const login = head.substr(0, head.find("\r\n")).find("/portal-login") != head.npos;
  std::string const page = "<html><title>Log in</title><p>Welcome. Please log in to use this network.</html>";
  std::string answer =
      login ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 302 Found\r\nLocation: http://portal.test/portal-login\r\n";
  answer += "Content-Type: text/html\r\nContent-Length: " + std::to_string(page.size()) + "\r\n\r\n" + page;
  co_return co_await carry(c, c->near, answer, true);
}

/// Connects this conversation to `to`, or to the one place where everything goes, and begins to carry what comes back.
net::awaitable<bool> chaos_link::meet(shared_conversation c, host_port to) {
  if (c->far) hang_up(*c->far);
  auto const far = std::make_shared<tcp::socket>(io_);
  c->far = far;
  c->far_is = to;
  if (!to_.host.empty()) to = {to_.host, to_.port};
  tcp::resolver names{io_};
  auto const [unknown, found] = co_await names.async_resolve(to.host, std::to_string(to.port), quiet);
  if (unknown) co_return false;
  auto const [refused, endpoint] = co_await net::async_connect(*far, found, quiet);
  if (refused || !c->near->is_open()) co_return false;
  far->set_option(tcp::no_delay{true});
  net::co_spawn(io_, relay_down(c, far), report);
  co_return true;
}

/// At most `limit` bytes, what was read ahead first.
net::awaitable<void> chaos_link::relay_up(shared_conversation c, std::uint64_t limit) {
  std::array<char, 16 << 10> buffer{};
  while (limit > 0) {
    if (c->ahead.empty()) {
      auto const [ended, got] = co_await c->near->async_read_some(net::buffer(buffer), quiet);
      if (ended == net::error::eof) co_return hang_up(*c->far);
      if (ended) co_return break_both(*c);
      c->ahead.assign(buffer.data(), got);
    }
    auto const bytes = c->ahead.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(limit, c->ahead.size())));
    c->ahead.erase(0, bytes.size());
    if (limit != everything) limit -= bytes.size();
    auto const sent = co_await carry(c, c->far, bytes, false);
    if (!sent) co_return;
  }
}

net::awaitable<void> chaos_link::relay_down(shared_conversation c, shared_socket far) {
  std::array<char, 16 << 10> buffer{};
  for (;;) {
    auto const [ended, got] = co_await far->async_read_some(net::buffer(buffer), quiet);
    if (c->far != far) co_return;  // the next request went elsewhere
    if (ended == net::error::eof) {
      boost::system::error_code ignored;
      far->close(ignored);
      settle_answer(*c);
      co_return hang_up(*c->near);
    }
    if (ended) co_return break_both(*c);
    std::string_view const bytes{buffer.data(), got};
    auto const sent = co_await carry(c, c->near, bytes, true);
    if (!sent) co_return;
  }
}

/// Takes bytes over the line, with all that can happen to them there. Only what comes down is cut and stalled: that is
/// where the long bodies are. False when the conversation broke.
net::awaitable<bool> chaos_link::carry(shared_conversation c, shared_socket to, std::string_view bytes, bool down) {
  net::steady_timer timer{io_};
  if (how_.delay.count() > 0 && c->down_spoke != down) {
    timer.expires_after(how_.delay);
    co_await timer.async_wait(quiet);
  }
  c->down_spoke = down;
  while (!bytes.empty()) {
    co_await wait_until_up();
    auto size = std::min<std::uint64_t>(bytes.size(), how_.rate == 0 ? everything : how_.rate / 20 + 1);
    if (down) size = std::min({size, until_cut_, until_stall_});
    // Counted before anything is waited for: the bytes of all connections are in one row.
    bool const cut = down && how_.cut_every != 0 && (until_cut_ -= size) == 0;
    bool const stalled = down && how_.stall_every != 0 && (until_stall_ -= size) == 0;
    if (cut) until_cut_ = cuts_.draw(how_.cut_every);
    if (stalled) until_stall_ = stalls_.draw(how_.stall_every);
    auto const piece = bytes.substr(0, static_cast<std::size_t>(size));
    co_await wait_for_rate(piece.size());
    // By what the kernel takes at a time: a break in the middle still knows how much of it went out.
    for (std::size_t taken = 0; taken < piece.size();) {
      auto const [broken, some] = co_await to->async_write_some(net::buffer(piece.substr(taken)), quiet);
      if (broken) {
        break_both(*c);
        co_return false;
      }
      taken += some;
      (down ? tally_.down : tally_.up) += some;
      if (down) c->written += some;
    }
    bytes.remove_prefix(piece.size());
    if (cut) {
      ++tally_.cuts;
      co_await settle(to);
      break_both(*c);
      co_return false;
    }
    if (stalled) {
      ++tally_.stalls;
      timer.expires_after(how_.stall);
      co_await timer.async_wait(quiet);
    }
  }
  co_return true;
}

net::awaitable<void> chaos_link::wait_for_rate(std::size_t bytes) {
  if (how_.rate == 0) co_return;
  auto const time = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(how_.rate));
  line_free_ = std::max(line_free_, steady::now()) + std::chrono::duration_cast<steady::duration>(time);
  net::steady_timer timer{io_, line_free_};
  co_await timer.async_wait(quiet);
}

net::awaitable<void> chaos_link::wait_until_up() {
  while (!up_) co_await came_up_.async_wait(quiet);
}

}  // namespace cistern::chaos
