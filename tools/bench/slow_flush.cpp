#include "tools/bench/slow_flush.hpp"

#include <atomic>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<std::chrono::microseconds> extra_time{};

}  // namespace

namespace cistern::bench {

void flush_takes_longer_by(std::chrono::microseconds extra) { extra_time = extra; }

}  // namespace cistern::bench

/// Found before the C library's by every library that this program loads.
extern "C" int fdatasync(int file) {
  auto const outcome = static_cast<int>(::syscall(SYS_fdatasync, file));
  if (auto const extra = extra_time.load(); extra.count() > 0) std::this_thread::sleep_for(extra);
  return outcome;
}
