#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace cistern::store {

/// Keeps the file pages that LMDB has mapped into this process below a bound. Unmapping a clean shared page loses
/// nothing: it stays in the kernel's cache; but on a small box the memory that belongs to a process is what its keeper
/// sees and what the kernel weighs when it must kill something.
///
/// Mapping a page again costs several times what copying it does. So in a file that is longer than the bound only the
/// trees are read through the map, and the bodies from the file: a copy by the kernel maps nothing.
class resident_pages {
public:
  /// `file` is LMDB's own descriptor of the mapped file; 0 as limit means none.
  resident_pages(std::filesystem::path const& mapped_file, int file, std::uint64_t limit);
  /// Unmaps some when there are too many. Any thread.
  void trim();
  /// Reading one more place in the tree maps pages: looks after them every 16 MiB of that.
  void note_walk() {
    if (limit_ == 0) return;
    constexpr std::uint64_t fault_around = 32u << 10;  // what one access maps, about
    constexpr std::uint64_t look_every = 16u << 20;
    auto const before = walked_.fetch_add(fault_around, std::memory_order_relaxed);
    if (before / look_every != (before + fault_around) / look_every) trim();
  }
  /// Whether the map is too small for the bodies too.
  [[nodiscard]] bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  /// Copies bytes that lie in the map, as many as both have.
  void copy(std::string_view mapped, std::span<char> to) const;

private:
  void look_at_size();

  char* start_ = nullptr;
  std::size_t length_ = 0;
  int file_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> walked_{0};
  std::atomic<std::uint64_t> next_slice_{0};
  std::atomic<std::uint64_t> file_bytes_{0};
  std::atomic<bool> crowded_{false};
};

}  // namespace cistern::store
