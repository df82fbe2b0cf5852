#include "tools/cistern/repository_command.hpp"

#include <array>
#include <cstdio>

namespace cistern::tools {

std::string counted(std::uint64_t count, std::string const& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string rounded_size(std::uint64_t bytes) {
  if (bytes < 1024) return counted(bytes, "byte");
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", amount, units[unit]);
  return text.data();
}

}  // namespace cistern::tools
