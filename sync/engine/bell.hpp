#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <set>

namespace cistern::sync {

/// Any number of coroutines of one thread wait for it to ring, or for a time. (One timer for all would not do: to set
/// it for one wakes the others.)
class bell {
public:
  using time = std::chrono::steady_clock::time_point;

  boost::asio::awaitable<void> wait_until(time until) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, until};
    listening const entry{*this, timer};
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
  boost::asio::awaitable<void> wait() { return wait_until(time::max()); }

  void ring() {
    for (auto* const timer : timers_) timer->cancel();
  }

private:
  struct listening {
    listening(bell& of, boost::asio::steady_timer& timer) : bell_{of}, timer_{timer} { bell_.timers_.insert(&timer_); }
    ~listening() { bell_.timers_.erase(&timer_); }
    listening(listening const&) = delete;
    listening& operator=(listening const&) = delete;
    bell& bell_;
    boost::asio::steady_timer& timer_;
  };
  std::set<boost::asio::steady_timer*> timers_;
};

}  // namespace cistern::sync
