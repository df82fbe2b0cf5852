#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cistern::sync {

/// Leave to move bytes over the wire, asked for before they move, so that several transfers that share one can never
/// move more than it holds together. Any thread.
class allowance {
public:
  virtual ~allowance() = default;
  /// How many of `wanted` may move; 0 ends the exchange with errc::budget_spent. They count as moved.
  [[nodiscard]] virtual std::size_t take(std::size_t wanted) = 0;
  /// Of what was taken last, what did not move after all.
  virtual void give_back(std::size_t unused) = 0;
  /// About how many are left for this transfer: the receive window is narrowed to it, so that the far side stops
  /// sending where we stop reading.
  [[nodiscard]] virtual std::uint64_t left() const = 0;
};

/// A number of bytes, once.
class fixed_allowance final : public allowance {
public:
  explicit fixed_allowance(std::uint64_t bytes) : left_{bytes} {}

  [[nodiscard]] std::size_t take(std::size_t wanted) override {
    auto left = left_.load();
    std::uint64_t taken{};
    do {
      taken = std::min<std::uint64_t>(wanted, left);
    } while (!left_.compare_exchange_weak(left, left - taken));
    return static_cast<std::size_t>(taken);
  }
  void give_back(std::size_t unused) override { left_ += unused; }
  [[nodiscard]] std::uint64_t left() const override { return left_; }

private:
  std::atomic<std::uint64_t> left_;
};

}  // namespace cistern::sync
