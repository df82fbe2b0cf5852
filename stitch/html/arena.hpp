#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace cistern::stitch::html {

/// Memory for one Gumbo parse: handed out from large blocks, small pieces reused, all of it released at once, so the
/// tree is never torn down node by node (Gumbo's own way recurses). Counts what it gives and says no at the limit.
class arena {
public:
  explicit arena(std::size_t limit) : limit_{limit} {}

  [[nodiscard]] void* allocate(std::size_t size) noexcept;  // nullptr at the limit
  void release(void* p) noexcept;

private:
  static constexpr std::size_t unit = 16;  // alignment, and the size of the header that remembers a piece's size
  static constexpr std::size_t classes = 65;
  struct free_piece {
    free_piece* next;
  };

  std::size_t limit_, used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  std::array<free_piece*, classes> free_{};
};

}  // namespace cistern::stitch::html
