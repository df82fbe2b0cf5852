#pragma once

#include "sync/clock.hpp"

#include <atomic>
#include <stdexcept>

/// Wall time that a test turns by hand; any thread may read it.
class fake_clock final : public cistern::sync::clock {
public:
  explicit fake_clock(std::chrono::sys_seconds start) : now_{start.time_since_epoch().count()} {}
  [[nodiscard]] std::chrono::sys_seconds now() const override {
    if (broken_.exchange(false)) throw std::runtime_error{"the clock is broken"};
    return std::chrono::sys_seconds{std::chrono::seconds{now_.load()}};
  }
  void advance(std::chrono::seconds by) { now_ += by.count(); }
  /// Whoever asks next gets an exception: something that nobody foresaw.
  void break_once() { broken_ = true; }
  void set(std::chrono::sys_seconds to) { now_ = to.time_since_epoch().count(); }

private:
  std::atomic<std::int64_t> now_;
  mutable std::atomic<bool> broken_{false};
};
