#include "stitch/html/arena.hpp"

#include <algorithm>
#include <new>

namespace cistern::stitch::html {

void* arena::allocate(std::size_t size) noexcept {
  auto const units = std::max<std::size_t>(1, (size + unit - 1) / unit);
  if (units < classes && free_[units]) {
    auto* const piece = free_[units];
    free_[units] = piece->next;
    return piece;
  }
  auto const bytes = (units + 1) * unit;
  if (bytes > left_) {
    auto const block = std::max<std::size_t>(bytes, std::clamp<std::size_t>(used_ / 4, 64u << 10, 1u << 20));
    if (used_ + block > limit_) return nullptr;
    try {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    } catch (std::bad_alloc const&) {
      return nullptr;
    }
    used_ += block;
    at_ = blocks_.back().get();
    left_ = block;
  }
  auto* const piece = at_;
  at_ += bytes;
  left_ -= bytes;
  new (piece) std::size_t{units};
  return piece + unit;
}

void arena::release(void* p) noexcept {
  if (!p) return;
  auto const units = *std::launder(reinterpret_cast<std::size_t*>(static_cast<std::byte*>(p) - unit));
  if (units < classes) free_[units] = new (p) free_piece{free_[units]};
}

}  // namespace cistern::stitch::html
