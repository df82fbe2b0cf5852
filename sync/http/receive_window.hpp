#pragma once

#include <cstdint>

namespace cistern::sync {

/// Keeps what a peer may send ahead of our reading (the TCP receive window) within what may still be read, so that the
/// bytes on the wire end where the reading ends. The kernel never takes back a window it has offered; so the window is
/// narrowed in halves while there is more left than it. Below about 2 KiB the kernel goes no lower.
class receive_window {
public:
  /// `left` bytes may still be read from that socket.
  void narrow(int socket, std::uint64_t left);

private:
  std::uint64_t set_for_{UINT64_MAX};
};

}  // namespace cistern::sync
