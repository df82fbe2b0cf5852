#pragma once

#include "sync/clock.hpp"

#include <atomic>

/// Wall time that a test turns by hand; any thread may read it.
class fake_clock final : public cistern::sync::clock {
public:
  explicit fake_clock(std::chrono::sys_seconds start) : now_{start.time_since_epoch().count()} {}
  [[nodiscard]] std::chrono::sys_seconds now() const override {
    return std::chrono::sys_seconds{std::chrono::seconds{now_.load()}};
  }
  void advance(std::chrono::seconds by) { now_ += by.count(); }
  void set(std::chrono::sys_seconds to) { now_ = to.time_since_epoch().count(); }

private:
  std::atomic<std::int64_t> now_;
};
