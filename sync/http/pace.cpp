#include "sync/http/pace.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

// Short turns keep the line moving and long ones save system calls: a twentieth of a second, within reason.
constexpr std::uint64_t turns_per_second = 20;
constexpr std::uint64_t least_turn = 512;
constexpr std::uint64_t largest_turn = 64 << 10;

}  // namespace

pace::pace(std::uint64_t bytes_per_second)
    : rate_{std::max<std::uint64_t>(bytes_per_second, 1)},
      quantum_{static_cast<std::size_t>(std::clamp(rate_ / turns_per_second, least_turn, largest_turn))} {}

std::chrono::nanoseconds pace::time_for(std::uint64_t bytes) const {
  return std::chrono::nanoseconds{
      static_cast<std::int64_t>(1e9 * static_cast<double>(bytes) / static_cast<double>(rate_))};
}

pace::turn pace::ask(std::size_t wanted, time_point now) {
  auto const bytes = std::min(wanted, quantum_);
  std::lock_guard const lock{mutex_};
  // Time that nobody used is lost but for one turn: a pause is not saved up for a burst.
  next_ = std::max(next_, now - time_for(quantum_));
  turn const out{bytes, next_};
  next_ += time_for(bytes);
  return out;
}

void pace::give_back(std::size_t unused) {
  std::lock_guard const lock{mutex_};
  next_ -= time_for(unused);
}

}  // namespace cistern::sync
