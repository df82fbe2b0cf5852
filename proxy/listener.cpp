#include "proxy/listener.hpp"

#include "proxy/listen_address.hpp"
#include "proxy/session.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <sys/socket.h>
#include <algorithm>
#include <future>
#include <list>
#include <string_view>
#include <thread>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;
using namespace std::chrono_literals;
using reuse_port = net::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr auto quiet = net::as_tuple(net::use_awaitable);
constexpr auto pause_without_descriptors = 200ms;
constexpr auto last_patience = 1s;
constexpr auto deadline_grain = 250ms;

/// Who connected. An IPv4 client of a socket for both families comes as ::ffff:127.0.0.1, which is no loopback address
/// and, as a client, one more than 127.0.0.1.
tcp::endpoint peer_of(tcp::socket const& socket, error_code& gone) {
  auto const from = socket.remote_endpoint(gone);
  auto const address = from.address();
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return from;
  return {net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()), from.port()};
}

std::string explain(tcp::endpoint const& endpoint, error_code error) {
  auto const address = to_text(endpoint);
  if (error == net::error::address_in_use)
    return address + " is in use, perhaps by another cistern; stop that one or choose another port with --listen";
  if (error == net::error::access_denied)
    return address +
           " needs privileges; choose a port above 1023 with --listen, or give the program CAP_NET_BIND_SERVICE";
  if (error == boost::system::errc::address_not_available)
    return address + " is not an address of this machine; choose one that `ip address` shows with --listen";
  return "cannot listen on " + address + ": " + error.message() + "; choose another address with --listen";
}

/// The first acceptor binds without SO_REUSEPORT, so that it fails when anybody else is there, even another cistern
/// whose sockets would share the port; only then is the port opened to our own further acceptors.
void open(tcp::acceptor& acceptor, tcp::endpoint const& endpoint, bool first) {
  error_code error;
  auto const then = [&](auto&& step) {
    if (!error) step();
  };
  acceptor.open(endpoint.protocol(), error);
  then([&] { acceptor.set_option(tcp::acceptor::reuse_address{true}, error); });
  if (endpoint.address().is_v6()) then([&] { acceptor.set_option(net::ip::v6_only{false}, error); });
  if (!first) then([&] { acceptor.set_option(reuse_port{true}, error); });
  then([&] { acceptor.bind(endpoint, error); });
  if (first) then([&] { acceptor.set_option(reuse_port{true}, error); });
  then([&] { acceptor.listen(net::socket_base::max_listen_connections, error); });
  if (error) throw listen_error{explain(endpoint, error)};
}

bool out_of_resources(error_code error) {
  return error == boost::system::errc::too_many_files_open ||
         error == boost::system::errc::too_many_files_open_in_system || error == boost::system::errc::no_buffer_space ||
         error == boost::system::errc::not_enough_memory;
}

/// Without waiting: whoever is one too many gets no more of our time than this.
void turn_away(tcp::socket socket) {
  constexpr std::string_view answer =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Type: text/plain\r\n"
      "Content-Length: 22\r\n\r\nToo many connections.\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(net::buffer(answer), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

void report(std::exception_ptr const& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (boost::system::system_error const& error) {
    if (error.code() != net::error::operation_aborted)  // cancelled by a stop
      spdlog::error("session.failed error={}", sync::log_value(error.what()));
  } catch (std::exception const& error) {
    spdlog::error("session.failed error={}", sync::log_value(error.what()));
  }
}

/// What a stop needs to know of a session.
struct live_session {
  net::cancellation_signal cancel;
  connection* peer = nullptr;
  bool idle = true;
};

/// The connection lives in this frame: where an io_context is destroyed with sessions in it, sockets go before
/// services.
net::awaitable<void> hold_session(tcp::socket socket, [[maybe_unused]] connection_limits::ticket counted,
                                  session_limits limits, std::atomic<bool> const& stopping, live_session& entry,
                                  request_handler& handler) {
  struct forget_peer {
    live_session& entry;
    ~forget_peer() { entry.peer = nullptr; }
  };
  error_code ignored;
  auto const from = peer_of(socket, ignored);
  socket.set_option(tcp::no_delay{true}, ignored);
  socket.non_blocking(true, ignored);  // of the descriptor alone it would leave Asio to wait in a plain write_some
  connection peer{std::move(socket), from, limits, stopping};
  entry.peer = &peer;
  forget_peer const forget{entry};
  co_await run_session(peer, handler, entry.idle);
}

}  // namespace

struct listener::worker {
  std::list<live_session> sessions;  // before io: ending a frame writes here
  net::io_context io{1};
  tcp::acceptor acceptor{io};
  net::steady_timer pause{io};
  net::steady_timer look_round{io};
  std::atomic<bool> came_round{true};
  std::promise<void> ended;
  std::future<void> end = ended.get_future();
  std::thread thread;

  request_handler* answers = nullptr;
  void run();
  net::awaitable<void> accept_all(listener& owner, request_handler& handler);
  void begin_session(tcp::socket socket, listener& owner, request_handler& handler);
  /// Ends the sessions whose time is up; a look at all of them every so often is cheaper than a timer for each.
  net::awaitable<void> watch_deadlines();
  /// Both on this worker's thread.
  void drain();
  void cut();
};

void listener::worker::run() {
  answers->enter_thread(io.get_executor());
  for (;;) {
    try {
      io.run();
      break;
    } catch (std::exception const& error) {  // a handler that is no session: report it and go on serving
      spdlog::error("listener.failed error={}", sync::log_value(error.what()));
    }
  }
  answers->leave_thread();
  ended.set_value();
}

net::awaitable<void> listener::worker::accept_all(listener& owner, request_handler& handler) {
  bool told = false;  // once for each time that resources run out, not for each try
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(quiet);
    if (error == net::error::operation_aborted || error == net::error::bad_descriptor) co_return;
    if (out_of_resources(error)) {
      // The connection stays in the backlog; trying at once would spin until somebody else's connection ends.
      if (!told)
        spdlog::warn("listener.out_of_resources error={} connections={}", sync::log_value(error.message()),
                     owner.connections());
      told = true;
      pause.expires_after(pause_without_descriptors);
      co_await pause.async_wait(quiet);
    }
    if (error) continue;
    told = false;
    begin_session(std::move(socket), owner, handler);
  }
}

void listener::worker::begin_session(tcp::socket socket, listener& owner, request_handler& handler) {
  error_code gone;
  auto const from = peer_of(socket, gone);
  if (gone) return;
  auto counted = owner.limits_.admit(from.address());
  if (!counted) {
    spdlog::debug("listener.turned_away connections={}", owner.connections());
    return turn_away(std::move(socket));
  }
  auto const entry = sessions.emplace(sessions.end());
  auto finished = [this, entry](std::exception_ptr thrown) {
    report(thrown);
    sessions.erase(entry);
  };
  net::co_spawn(
      io,
      hold_session(std::move(socket), std::move(*counted), owner.options_.session, owner.stopping_, *entry, handler),
      net::bind_cancellation_slot(entry->cancel.slot(), std::move(finished)));
}

net::awaitable<void> listener::worker::watch_deadlines() {
  while (acceptor.is_open() || !sessions.empty()) {
    look_round.expires_after(deadline_grain);
    co_await look_round.async_wait(quiet);
    auto const now = std::chrono::steady_clock::now();
    for (auto& session : sessions)
      if (session.peer && session.peer->expired(now)) session.peer->expire();
  }
}

void listener::worker::drain() {
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  if (sessions.empty()) look_round.cancel();
  answers->rest_thread();
  for (auto& session : sessions)
    if (session.idle && session.peer) session.peer->close();
}

void listener::worker::cut() {
  for (auto& session : sessions) {
    if (session.peer) session.peer->close();
    session.cancel.emit(net::cancellation_type::terminal);
  }
}

listener::listener(listener_options options)
    : options_{std::move(options)}, limits_{options_.max_connections, options_.max_connections_per_client} {
  for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) {
    auto& made = workers_.emplace_back(std::make_unique<worker>());
    open(made->acceptor, options_.endpoint, i == 0);
    options_.endpoint = made->acceptor.local_endpoint();
  }
}

listener::~listener() { stop(); }

void listener::start(request_handler& handler) {
  for (auto& each : workers_) {
    net::co_spawn(each->io, each->accept_all(*this, handler), report);
    net::co_spawn(each->io, each->watch_deadlines(), report);
    each->answers = &handler;
    each->thread = std::thread{[&w = *each] { w.run(); }};
  }
}

void listener::stop() {
  stopping_ = true;
  for (auto& each : workers_)
    if (each->thread.joinable()) net::post(each->io, [&w = *each] { w.drain(); });
  if (!wait_for_workers(options_.shutdown_grace)) {
    for (auto& each : workers_) net::post(each->io, [&w = *each] { w.cut(); });
    if (!wait_for_workers(last_patience)) spdlog::warn("listener.cut_off connections={}", connections());
  }
  for (auto& each : workers_) {
    each->io.stop();
    if (each->thread.joinable()) each->thread.join();
  }
  workers_.clear();
}

bool listener::wait_for_workers(std::chrono::milliseconds limit) {
  auto const until = std::chrono::steady_clock::now() + limit;
  bool all = true;
  for (auto& each : workers_)
    if (each->thread.joinable()) all = each->end.wait_until(until) == std::future_status::ready && all;
  return all;
}

bool listener::responsive() {
  bool all = true;
  for (auto& each : workers_) {
    all = each->came_round.exchange(false) && all;
    net::post(each->io, [&w = *each] { w.came_round = true; });
  }
  return all;
}

}  // namespace cistern::proxy
