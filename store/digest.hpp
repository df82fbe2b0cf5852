#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace cistern::store {

/// 128 bits that stand for some bytes. Seeded with a secret of the repository, so that no origin can make two URLs or
/// two bodies collide on purpose. (XXH3: at memory speed, where a cryptographic hash would be the cost of a hit.)
struct digest {
  std::array<char, 16> bytes{};
  auto operator<=>(digest const&) const = default;
  [[nodiscard]] std::string_view view() const& { return {bytes.data(), bytes.size()}; }
  std::string_view view() const&& = delete;
  static digest from(std::string_view sixteen_bytes);
};

[[nodiscard]] digest digest_of(std::string_view bytes, std::uint64_t seed);

}  // namespace cistern::store
