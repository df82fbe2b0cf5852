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
/// Mapping a page again costs several times what copying it does. So in a file that is longer than the bound the trees
/// are read through the map and the bodies from the file, a copy by the kernel that maps nothing; but for long ones,
/// which are lent to a socket as they lie: there mapping is cheaper than one more copy, when it is undone in large
/// steps.
class resident_pages {
public:
  /// `file` is LMDB's own descriptor of the mapped file; 0 as limit means none.
  resident_pages(std::filesystem::path const& mapped_file, int file, std::uint64_t limit);
  ~resident_pages();
  resident_pages(resident_pages const&) = delete;
  resident_pages& operator=(resident_pages const&) = delete;

  /// Unmaps some when there are too many. Any thread.
  void trim();
  /// Reading one more place in the tree maps pages: looks after them every 8 MiB of that.
  void note_walk() { note_mapped(fault_around); }
  /// Whether the map is too small for the bodies too.
  [[nodiscard]] bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  /// Copies bytes that lie in the map, as many as both have.
  void copy(std::string_view mapped, std::span<char> to) const;

  /// Before these values of the map are looked at, in this order: has the kernel read them as it reads files, in large
  /// steps and ahead, when they are in no memory. LMDB's map is read without that, because its trees lie here and
  /// there; then each page would be waited for.
  void bring_in(std::span<std::string_view const> values) const;

  /// The part of the map that one reader has been lent and that is not unmapped yet.
  using trail = std::string_view;
  /// `piece` was lent; of a long body, which is read once and not soon again, the trail is unmapped as it grows.
  void note_lent(std::string_view piece, bool long_body, trail& behind);

private:
  static constexpr std::uint64_t fault_around = 32u << 10;  // what one access maps, about
  static constexpr std::uint64_t look_every = 8u << 20;

  void note_mapped(std::uint64_t bytes) {
    if (limit_ == 0) return;
    auto const before = walked_.fetch_add(bytes, std::memory_order_relaxed);
    if (before / look_every != (before + bytes) / look_every) trim();
  }
  void look_at_size();
  [[nodiscard]] std::uint64_t mapped() const;
  [[nodiscard]] bool in_memory(char const* at) const;
  void read_run(char const* from, char const* to) const;
  void unmap(trail const& what) const;

  char* start_ = nullptr;
  std::size_t length_ = 0;
  int file_;
  int counts_;  // /proc/self/statm, kept open: it is looked at often
  std::uint64_t limit_;
  std::uint64_t others_ = 0;  // pages of the program itself and its libraries, which are counted with ours
  std::atomic<std::uint64_t> walked_{0};
  std::atomic<std::uint64_t> next_slice_{0};
  std::atomic<std::uint64_t> file_bytes_{0};
  std::atomic<bool> crowded_{false};
};

}  // namespace cistern::store
