#include "stitch/html/arena.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace cistern::stitch::html {

void* arena::allocate(std::size_t size) noexcept {
  auto const units = std::max<std::size_t>(1, (size + unit - 1) / unit);
  if (units < classes && free_[units]) {
    auto* const piece = free_[units];
    free_[units] = piece->next;
    note_of(piece) = 0;
    return piece;
  }
  auto const bytes = (units + 1) * unit;
  if (bytes > left_) {
    auto const block = std::max<std::size_t>(bytes, std::clamp<std::size_t>(used_ / 4, 64u << 10, 1u << 20));
    if (used_ + block > limit_) return nullptr;
    try {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      std::byte const* const begin = blocks_.back().get();
      spans_.emplace(std::ranges::upper_bound(spans_, std::pair{begin, begin}), begin, begin + block);
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
  new (piece) header{units, 0};
  return piece + unit;
}

arena::header& arena::header_of(void* piece) noexcept {
  return *std::launder(reinterpret_cast<header*>(static_cast<std::byte*>(piece) - unit));
}

bool arena::owns(void const* p) const noexcept {
  auto const* const at = static_cast<std::byte const*>(p);
  auto const after = std::ranges::upper_bound(spans_, at, {}, [](auto const& span) { return span.first; });
  return after != spans_.begin() && at < std::prev(after)->second;
}

void arena::release(void* p) noexcept {
  if (!p) return;
  auto const units = header_of(p).units;
  if (units < classes) free_[units] = new (p) free_piece{free_[units]};
}

}  // namespace cistern::stitch::html
