#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace cistern::store {

/// Keeps the file pages that LMDB has mapped into this process below a bound. Unmapping a clean shared page loses
/// nothing: it stays in the kernel's cache and is mapped again in well under a microsecond; but on a small box the
/// memory that belongs to a process is what its keeper sees and what the kernel weighs when it must kill something.
class resident_pages {
public:
  resident_pages(std::filesystem::path const& mapped_file, std::uint64_t limit);
  /// Unmaps all of them when there are too many.
  void trim() const;

private:
  void* start_ = nullptr;
  std::size_t length_ = 0;
  std::uint64_t limit_;
};

}  // namespace cistern::store
