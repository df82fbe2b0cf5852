#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace cistern::sync {

/// A rate that all transfers of the process keep together. Nobody polls and no thread blocks: whoever asks is given the
/// next place in line, as a number of bytes and the moment from which they may move, so that each gets its turn however
/// many there are. Any thread.
class pace {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit pace(std::uint64_t bytes_per_second);

  struct turn {
    std::size_t bytes{};  // at most what was wanted, at least 1
    time_point from{};
  };
  [[nodiscard]] turn ask(std::size_t wanted, time_point now);
  /// Of a turn's bytes, what did not move.
  void give_back(std::size_t unused);

  [[nodiscard]] std::uint64_t bytes_per_second() const { return rate_; }

private:
  [[nodiscard]] std::chrono::nanoseconds time_for(std::uint64_t bytes) const;

  std::uint64_t const rate_;
  std::size_t const quantum_;  // of one turn
  std::mutex mutex_;
  time_point next_{};  // when the line is served to its end
};

}  // namespace cistern::sync
