#include "store/resident.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

namespace cistern::store {
namespace {

constexpr std::uint64_t slices = 8;
constexpr std::uint64_t unit = 4096;

std::uint64_t mapped_file_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  std::ifstream{"/proc/self/statm"} >> total >> resident >> of_files;
  return of_files * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

resident_pages::resident_pages(std::filesystem::path const& mapped_file, int file, std::uint64_t limit)
    : file_{file}, limit_{limit} {
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
  look_at_size();
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
  for (std::uint64_t done = 0; done < slices && mapped_file_bytes() > limit_; ++done) {
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

}  // namespace cistern::store
