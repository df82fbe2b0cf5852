#pragma once

#include "tests/support/temp_dir.hpp"

#include <sys/mount.h>

#include <string>

namespace cistern::tests {

/// A file system of its own that is soon full: `size` as mount's option wants it ("16m"). Needs root: ask `mounted`
/// first.
class small_disk {
public:
  explicit small_disk(std::string const& size)
      : mounted_{::mount("tmpfs", place_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0} {}
  ~small_disk() {
    if (mounted_) ::umount2(place_.path().c_str(), MNT_DETACH);
  }
  small_disk(small_disk const&) = delete;
  small_disk& operator=(small_disk const&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  /// Room is made; false when it cannot be.
  [[nodiscard]] bool grow(std::string const& size) {
    return ::mount("tmpfs", place_.path().c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()) == 0;
  }
  temp_dir const* operator->() const { return &place_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return place_ / name; }

private:
  temp_dir place_;  // outlives the mount on it
  bool mounted_;
};

}  // namespace cistern::tests
