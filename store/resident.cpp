#include "store/resident.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace cistern::store {

resident_pages::resident_pages(std::filesystem::path const& mapped_file, std::uint64_t limit) : limit_{limit} {
  std::error_code ignored;
  auto const wanted = std::filesystem::canonical(mapped_file, ignored).string();
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);) {
    if (wanted.empty() || !line.ends_with(wanted)) continue;
    auto const dash = line.find('-');
    auto const from = std::stoull(line.substr(0, dash), nullptr, 16);
    auto const to = std::stoull(line.substr(dash + 1), nullptr, 16);
    start_ = reinterpret_cast<void*>(from);
    length_ = to - from;
  }
}

void resident_pages::trim() const {
  if (!start_ || limit_ == 0) return;
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  std::ifstream{"/proc/self/statm"} >> total >> resident >> of_files;
  if (of_files * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) > limit_)
    ::madvise(start_, length_, MADV_DONTNEED);
}

}  // namespace cistern::store
