#pragma once

#include <chrono>

namespace cistern::sync {

/// Wall time for sync and proxy; tests turn a `fake_clock` by hand. Time-outs use `steady_clock` and not this.
struct clock {
  virtual ~clock() = default;
  [[nodiscard]] virtual std::chrono::sys_seconds now() const = 0;
};

/// What the machine says.
struct system_clock final : clock {
  [[nodiscard]] std::chrono::sys_seconds now() const override;
};

}  // namespace cistern::sync
