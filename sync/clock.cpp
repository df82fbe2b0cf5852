#include "sync/clock.hpp"

namespace cistern::sync {

std::chrono::sys_seconds system_clock::now() const {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace cistern::sync
