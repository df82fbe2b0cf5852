#include "sync/http/receive_window.hpp"

#include <sys/socket.h>

#include <algorithm>

namespace cistern::sync {
namespace {

// No window grows beyond this by itself (tcp_rmem), so before that there is nothing to narrow, and a long download
// keeps the kernel's own tuning for as long as it can.
constexpr std::uint64_t largest_window = 8u << 20;

}  // namespace

void receive_window::narrow(int socket, std::uint64_t left) {
  if (left > largest_window || left > set_for_ / 2) return;
  // The kernel doubles the value; half of what is left keeps until the next halving.
  auto const size = static_cast<int>(std::max<std::uint64_t>(left / 4, 1));
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
  set_for_ = left;
}

}  // namespace cistern::sync
