#include "sync/http/pool.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {

namespace net = boost::asio;
using steady = std::chrono::steady_clock;

connection_pool::connection_pool(net::any_io_executor const& executor, pool_limits limits)
    : executor_{executor}, limits_{limits}, sweep_{executor} {}

bool connection_pool::has_room(pool_key const& key) const {
  auto const found = active_.find(key);
  return active_total_ < limits_.active && (found == active_.end() || found->second < limits_.active_per_origin);
}

net::awaitable<result<connection_pool::slot>> connection_pool::acquire(pool_key key, deadline until) {
  if (has_room(key)) {
    ++active_[key];
    ++active_total_;
    co_return slot{shared_from_this(), std::move(key)};
  }
  auto const w = std::make_shared<waiter>(executor_, key);
  waiting_.push_back(w);
  struct leave {
    std::shared_ptr<connection_pool> pool;
    std::shared_ptr<waiter> const& who;
    bool served{};
    ~leave() {
      pool->waiting_.remove(who);
      if (who->granted && !served) pool->give_back(who->key);
    }
  } guard{shared_from_this(), w};
  w->timer.expires_at(until.at);
  auto const [interrupted] = co_await w->timer.async_wait(net::as_tuple(net::use_awaitable));
  if (w->granted) {
    guard.served = true;
    co_return slot{shared_from_this(), std::move(key)};
  }
  co_return interrupted ? errc::cancelled : until.error;
}

void connection_pool::give_back(pool_key const& key) {
  --active_total_;
  if (auto const found = active_.find(key); --found->second == 0) active_.erase(found);
  for (auto const& w : waiting_) {
    if (w->granted || !has_room(w->key)) continue;
    w->granted = true;
    ++active_[w->key];
    ++active_total_;
    w->timer.cancel();
    return;
  }
}

std::unique_ptr<connection> connection_pool::take_idle(pool_key const& key,
                                                       std::function<bool(net::ip::address const&)> const& allow,
                                                       bool twice) {
  drop_expired();
  auto const found = idle_.find(key);
  if (found == idle_.end()) return nullptr;
  auto& resting = found->second;
  auto const limit = steady::now() - limits_.idle_time_once;
  std::unique_ptr<connection> out;
  for (auto i = resting.size(); i-- > 0 && !out;) {
    if (!twice && resting[i].since <= limit) break;  // and so are all before it
    auto const usable = resting[i].link->still_usable();
    if (usable && allow && !allow(resting[i].link->remote())) continue;
    if (usable) out = std::move(resting[i].link);
    resting.erase(resting.begin() + static_cast<std::ptrdiff_t>(i));
    --idle_total_;
  }
  if (resting.empty()) idle_.erase(found);
  return out;
}

void connection_pool::put_idle(pool_key const& key, std::unique_ptr<connection> link) {
  if (limits_.idle == 0 || limits_.idle_per_origin == 0) return;
  if (idle_total_ >= limits_.idle) drop_oldest();
  auto& resting = idle_[key];
  if (resting.size() >= limits_.idle_per_origin) {
    resting.pop_front();
    --idle_total_;
  }
  link->release_buffer();
  link->set_terms({});
  resting.push_back({std::move(link), steady::now()});
  ++idle_total_;
  watch_idle();
}

void connection_pool::drop_idle() {
  idle_.clear();
  idle_total_ = 0;
  sweep_.cancel();
}

void connection_pool::drop_oldest() {
  auto const older = [](auto const& a, auto const& b) { return a.second.front().since < b.second.front().since; };
  auto const oldest = std::min_element(idle_.begin(), idle_.end(), older);
  if (oldest == idle_.end()) return;
  oldest->second.pop_front();
  --idle_total_;
  if (oldest->second.empty()) idle_.erase(oldest);
}

void connection_pool::drop_expired() {
  auto const limit = steady::now() - limits_.idle_time;
  for (auto& [key, resting] : idle_) {
    while (!resting.empty() && resting.front().since <= limit) {
      resting.pop_front();
      --idle_total_;
    }
  }
  std::erase_if(idle_, [](auto const& entry) { return entry.second.empty(); });
}

void connection_pool::watch_idle() {
  if (sweeping_) return;
  sweeping_ = true;
  sweep_.expires_after(limits_.idle_time);
  sweep_.async_wait([weak = weak_from_this()](boost::system::error_code) {
    auto const self = weak.lock();
    if (!self) return;
    self->sweeping_ = false;
    self->drop_expired();
    if (self->idle_total_ != 0) self->watch_idle();
  });
}

}  // namespace cistern::sync
