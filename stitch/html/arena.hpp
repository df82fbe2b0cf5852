#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cistern::stitch::html {

/// Memory for one Gumbo parse: handed out from large blocks, small pieces reused, all of it released at once, so the
/// tree is never torn down node by node (Gumbo's own way recurses). Counts what it gives and says no at the limit.
class arena {
public:
  explicit arena(std::size_t limit) : limit_{limit} {}

  [[nodiscard]] void* allocate(std::size_t size) noexcept;  // nullptr at the limit
  void release(void* p) noexcept;

  /// Whether it points into memory handed out here.
  [[nodiscard]] bool owns(void const* p) const noexcept;
  /// A number that is kept with a piece, 0 when it was handed out.
  [[nodiscard]] static std::size_t& note_of(void* piece) noexcept { return header_of(piece).note; }

private:
  struct header {
    std::size_t units, note;
  };
  static constexpr std::size_t unit = 16;  // alignment, and the size of a piece's header
  static_assert(sizeof(header) == unit);
  static constexpr std::size_t classes = 65;
  static header& header_of(void* piece) noexcept;
  struct free_piece {
    free_piece* next;
  };

  std::size_t limit_, used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::pair<std::byte const*, std::byte const*>> spans_;  // the same blocks, by address
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  std::array<free_piece*, classes> free_{};
};

}  // namespace cistern::stitch::html
