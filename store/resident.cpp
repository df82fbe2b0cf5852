#include "store/resident.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>

namespace cistern::store {
namespace {

constexpr std::uint64_t slices = 8;
constexpr std::uint64_t unit = 4096;
constexpr std::size_t near_enough = 64u << 10;  // to belong to the same run of a body's pages
constexpr std::size_t longest_trail = 2u << 20;

std::uintptr_t address(char const* at) { return reinterpret_cast<std::uintptr_t>(at); }

}  // namespace

resident_pages::resident_pages(std::filesystem::path const& mapped_file, int file, std::uint64_t limit)
    : file_{file}, counts_{::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)}, limit_{limit} {
  std::error_code ignored;
  auto const wanted = std::filesystem::canonical(mapped_file, ignored).string();
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);) {
    if (auto const path = line.find('/'); path == line.npos || line.substr(path) != wanted) continue;
    auto const dash = line.find('-');
    auto const from = std::stoull(line.substr(0, dash), nullptr, 16);
    auto const to = std::stoull(line.substr(dash + 1), nullptr, 16);
    start_ = reinterpret_cast<char*>(from);
    length_ = to - from;
  }
  others_ = mapped();  // little of the file has been read so far
  look_at_size();
}

resident_pages::~resident_pages() {
  if (counts_ >= 0) ::close(counts_);
}

/// Bytes of file pages that this process has mapped: the third number.
std::uint64_t resident_pages::mapped() const {
  std::array<char, 128> text;
  auto const length = ::pread(counts_, text.data(), text.size(), 0);
  if (length <= 0) return 0;
  std::string_view rest{text.data(), static_cast<std::size_t>(length)};
  for (int skipped = 0; skipped < 2; ++skipped) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  std::uint64_t pages = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), pages);
  auto const bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes - std::min(bytes, others_);
}

void resident_pages::look_at_size() {
  struct stat facts {};
  if (!start_ || limit_ == 0 || ::fstat(file_, &facts) != 0) return;
  auto const bytes = static_cast<std::uint64_t>(facts.st_size);
  file_bytes_.store(bytes, std::memory_order_relaxed);
  crowded_.store(bytes > limit_, std::memory_order_relaxed);
}

/// A part of the file at a time, each in its turn: what is read again and again stays mapped for most of the time.
void resident_pages::trim() {
  if (!start_ || limit_ == 0) return;
  look_at_size();
  auto const slice = (file_bytes_.load(std::memory_order_relaxed) / slices / unit + 1) * unit;
  for (std::uint64_t done = 0; done < slices && mapped() > limit_; ++done) {
    auto const from = next_slice_.fetch_add(1, std::memory_order_relaxed) % slices * slice;
    if (from < length_) ::madvise(start_ + from, std::min<std::uint64_t>(slice, length_ - from), MADV_DONTNEED);
  }
}

void resident_pages::copy(std::string_view mapped, std::span<char> to) const {
  auto const count = std::min(mapped.size(), to.size());
  if (crowded() && count >= unit && mapped.data() >= start_ && mapped.data() < start_ + length_) {
    auto const offset = static_cast<off_t>(mapped.data() - start_);
    if (::pread(file_, to.data(), count, offset) == static_cast<ssize_t>(count)) return;
  }
  std::memcpy(to.data(), mapped.data(), count);
}

/// Also when it cannot be known.
bool resident_pages::in_memory(char const* at) const {
  auto const offset = static_cast<std::size_t>(at - start_);
  unsigned char state = 1;
  return ::mincore(start_ + offset / unit * unit, 1, &state) != 0 || (state & 1) != 0;
}

/// What is read is thrown away, all of it to the same place: it is the kernel that is to have it.
void resident_pages::read_run(char const* from, char const* to) const {
  std::array<char, 16u << 10> thrown_away;
  std::array<iovec, 64> parts;
  parts.fill({thrown_away.data(), thrown_away.size()});
  auto const size = std::min(static_cast<std::size_t>(to - from), thrown_away.size() * parts.size());
  auto const count = (size + thrown_away.size() - 1) / thrown_away.size();
  parts[count - 1].iov_len = size - (count - 1) * thrown_away.size();
  (void)::preadv(file_, parts.data(), static_cast<int>(count), static_cast<off_t>(from - start_));
}

/// A body goes out of memory from one end or the other, so two pages tell about all of them.
void resident_pages::bring_in(std::span<std::string_view const> values) const {
  if (!start_ || values.empty() || values.back().empty()) return;
  if (in_memory(values.front().data()) && in_memory(&values.back().back())) return;
  for (std::size_t begin = 0, next = 1; next <= values.size(); ++next) {
    auto const end = values[next - 1].data() + values[next - 1].size();
    bool const goes_on = next < values.size() && values[next].data() >= end && values[next].data() < end + unit;
    if (goes_on) continue;
    read_run(values[begin].data(), end);
    begin = next;
  }
}

void resident_pages::unmap(trail const& what) const {
  if (what.empty() || what.data() < start_ || what.data() >= start_ + length_) return;
  // An access maps pages on both sides of it, so some lie before the first that was lent.
  auto const first = static_cast<std::size_t>(what.data() - start_);
  auto const from = (first - std::min(first, near_enough)) / unit * unit;
  ::madvise(start_ + from, std::min(first - from + what.size(), length_ - from), MADV_DONTNEED);
}

void resident_pages::note_lent(std::string_view piece, bool long_body, trail& behind) {
  if (piece.empty() || !crowded()) return;
  if (!long_body) return note_mapped(piece.size());
  auto const begin = address(piece.data());
  auto const end = begin + piece.size();
  bool const goes_on = !behind.empty() && begin + near_enough >= address(behind.data()) &&
                       begin <= address(behind.data()) + behind.size() + near_enough;
  if (!goes_on) {  // the body lies scattered: what lies between its pages stays mapped
    unmap(behind);
    behind = piece;
    return;
  }
  auto const low = std::min(begin, address(behind.data()));
  auto const high = std::max(end, address(behind.data()) + behind.size());
  behind = {low == begin ? piece.data() : behind.data(), high - low};
  if (behind.size() < longest_trail) return;
  unmap(behind);
  behind = {};
}

}  // namespace cistern::store
