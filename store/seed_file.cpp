#include "store/seed_file.hpp"

#include "store/durable_file.hpp"

#include <charconv>
#include <fstream>
#include <string>
#include <system_error>

namespace cistern::store {
namespace {

constexpr char const* name = "data.seed";

}  // namespace

std::optional<std::uint64_t> saved_seed(std::filesystem::path const& folder) {
  std::string text;
  if (!(std::ifstream{folder / name} >> text) || text.size() != 16) return std::nullopt;
  std::uint64_t seed = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return seed;
}

void save_seed(std::filesystem::path const& folder, std::uint64_t seed) noexcept try {
  if (saved_seed(folder) == seed) return;
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; seed >>= 4) text[i] = "0123456789abcdef"[seed & 15];
  write_durably(folder / name, text + '\n');
} catch (std::exception const&) {  // a full disk, a folder that is not ours: the copy is only for worse days
}

}  // namespace cistern::store
