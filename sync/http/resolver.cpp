#include "sync/http/resolver.hpp"

#include "sync/errc.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <netdb.h>
#include <sys/socket.h>

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using steady = std::chrono::steady_clock;
using answer = result<resolver::addresses>;

struct addrinfo_free {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

answer system_lookup(std::string const& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* raw = nullptr;
  auto const error = getaddrinfo(host.c_str(), nullptr, &hints, &raw);
  std::unique_ptr<addrinfo, addrinfo_free> const list{raw};
  if (error == EAI_NONAME || error == EAI_NODATA) return errc::name_not_found;
  if (error != 0) return errc::dns_unreachable;
  resolver::addresses out;
  for (auto const* i = list.get(); i != nullptr; i = i->ai_next) {
    if (i->ai_family == AF_INET) {
      auto const* v4 = reinterpret_cast<sockaddr_in const*>(i->ai_addr);
      out.emplace_back(net::ip::address_v4{ntohl(v4->sin_addr.s_addr)});
    } else if (i->ai_family == AF_INET6) {
      auto const* v6 = reinterpret_cast<sockaddr_in6 const*>(i->ai_addr);
      net::ip::address_v6::bytes_type bytes;
      std::copy(std::begin(v6->sin6_addr.s6_addr), std::end(v6->sin6_addr.s6_addr), bytes.begin());
      out.emplace_back(net::ip::address_v6{bytes, v6->sin6_scope_id});
    }
  }
  if (out.empty()) return errc::name_not_found;
  return out;
}

/// One caller that waits. Its timer lives on the caller's thread; look-up threads only post to it, under the lock and
/// only while it is registered, so never to an io_context that is gone.
struct waiter {
  explicit waiter(net::any_io_executor const& executor) : timer{executor} {}
  net::steady_timer timer;
  std::optional<answer> got;
};

struct kept {
  answer what;
  steady::time_point until;
};

}  // namespace

struct resolver::state : std::enable_shared_from_this<state> {
  state(options l, lookup k) : limits{l}, look{std::move(k)} {}

  options const limits;
  lookup const look;
  std::mutex mutex;
  std::unordered_map<std::string, kept> known;
  std::unordered_map<std::string, std::set<std::shared_ptr<waiter>>> waiting;  // names under way or queued
  std::deque<std::string> queue;
  std::size_t running{};
  unsigned generation{};  // a look-up begun before `forget_all` is not remembered

  std::optional<answer> find_known(std::string const& host) {
    auto const found = known.find(host);
    if (found == known.end()) return std::nullopt;
    if (found->second.until > steady::now()) return found->second.what;
    known.erase(found);
    return std::nullopt;
  }

  /// False when too many names wait already.
  bool enqueue(std::string const& host, std::shared_ptr<waiter> const& w) {
    if (auto const found = waiting.find(host); found != waiting.end()) {
      found->second.insert(w);
      return true;
    }
    if (queue.size() >= limits.max_waiting) return false;
    waiting[host].insert(w);
    queue.push_back(host);
    if (running < limits.max_lookups) {
      ++running;
      std::thread{[self = shared_from_this()] { self->work(); }}.detach();
    }
    return true;
  }

  void leave(std::string const& host, std::shared_ptr<waiter> const& w) {
    std::lock_guard const lock{mutex};
    if (auto const found = waiting.find(host); found != waiting.end()) found->second.erase(w);
  }

  /// A look-up thread: ends when there is nothing to do.
  void work() {
    std::unique_lock lock{mutex};
    while (!queue.empty()) {
      auto const host = std::move(queue.front());
      queue.pop_front();
      if (waiting[host].empty()) {  // everybody has left
        waiting.erase(host);
        continue;
      }
      auto const began = generation;
      lock.unlock();
      auto const what = look(host);
      lock.lock();
      if (began == generation) keep(host, what);
      deliver(host, what);
    }
    --running;
  }

  void keep(std::string const& host, answer const& what) {
    if (!what && what.error() != errc::name_not_found) return;
    if (known.size() >= limits.max_kept) known.clear();
    known.insert_or_assign(host, kept{what, steady::now() + (what ? limits.keep : limits.keep_missing)});
  }

  void deliver(std::string const& host, answer const& what) {
    auto const found = waiting.find(host);
    if (found == waiting.end()) return;
    for (auto const& w : found->second) {
      net::post(w->timer.get_executor(), [w, what] {
        w->got = what;
        w->timer.cancel();
      });
    }
    waiting.erase(found);
  }
};

resolver::resolver() : resolver{options{}} {}

resolver::resolver(options limits, lookup look)
    : state_{std::make_shared<state>(limits, look ? std::move(look) : lookup{system_lookup})} {}

resolver::~resolver() {
  std::lock_guard const lock{state_->mutex};
  state_->queue.clear();
  state_->waiting.clear();
}

net::awaitable<result<resolver::addresses>> resolver::resolve(std::string host, std::chrono::milliseconds limit) {
  boost::system::error_code not_literal;
  auto const literal = net::ip::make_address(host, not_literal);
  if (!not_literal) co_return addresses{literal};
  if (host == "localhost" || host.ends_with(".localhost")) {  // RFC 6761 §6.3
    addresses loopback{net::ip::address_v4::loopback(), net::ip::address_v6::loopback()};
    co_return loopback;
  }

  auto const w = std::make_shared<waiter>(co_await net::this_coro::executor);
  auto const shared = state_;
  w->timer.expires_after(limit);
  {
    std::lock_guard const lock{shared->mutex};
    if (auto what = shared->find_known(host)) co_return std::move(*what);
    if (!shared->enqueue(host, w)) co_return errc::dns_timeout;
  }
  struct on_exit {
    state& s;
    std::string const& name;
    std::shared_ptr<waiter> const& who;
    ~on_exit() { s.leave(name, who); }
  } const unregister{*shared, host, w};

  auto const [interrupted] = co_await w->timer.async_wait(net::as_tuple(net::use_awaitable));
  if (w->got) co_return std::move(*w->got);
  co_return interrupted ? errc::cancelled : errc::dns_timeout;
}

void resolver::forget_failures() {
  std::lock_guard const lock{state_->mutex};
  std::erase_if(state_->known, [](auto const& entry) { return entry.second.what.has_error(); });
}

void resolver::forget_all() {
  std::lock_guard const lock{state_->mutex};
  state_->known.clear();
  ++state_->generation;
}

}  // namespace cistern::sync
