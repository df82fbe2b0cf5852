#pragma once

/// Learned state as bytes that a later version recognises: one version byte, then numbers, little endian.
/// A reader never throws and never trusts: anything short, long, not finite or negative where a count is due makes
/// `complete()` false.

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace cistern::sync::schedule {

class byte_writer {
public:
  explicit byte_writer(std::uint8_t version) { bytes_.push_back(static_cast<char>(version)); }

  template <class Number>
  void put(Number value) {
    using word = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    static_assert(sizeof(Number) == sizeof(word));
    auto bits = std::bit_cast<word>(value);
    for (std::size_t i = 0; i < sizeof(word); ++i, bits >>= 8) bytes_.push_back(static_cast<char>(bits & 0xFF));
  }

  [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

private:
  std::string bytes_;
};

class byte_reader {
public:
  byte_reader(std::string_view bytes, std::uint8_t version)
      : left_(bytes), sound_(!bytes.empty() && static_cast<std::uint8_t>(bytes.front()) == version) {
    if (sound_) left_.remove_prefix(1);
  }

  template <class Number>
  void get(Number& value) {
    using word = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    static_assert(sizeof(Number) == sizeof(word));
    if (!sound_ || left_.size() < sizeof(word)) {
      sound_ = false;
      return;
    }
    word bits = 0;
    for (std::size_t i = 0; i < sizeof(word); ++i)
      bits |= static_cast<word>(static_cast<std::uint8_t>(left_[i])) << (8 * i);
    left_.remove_prefix(sizeof(word));
    auto const read = std::bit_cast<Number>(bits);
    if constexpr (std::is_floating_point_v<Number>) sound_ = std::isfinite(read);
    if (sound_) value = read;
  }

  /// A number that cannot be negative, nor larger than any count of ours.
  template <class Number>
  void get_count(Number& value) {
    get(value);
    if (!(value >= Number{0} && value <= static_cast<Number>(1e9))) sound_ = false;
  }

  [[nodiscard]] bool complete() const { return sound_ && left_.empty(); }

private:
  std::string_view left_;
  bool sound_;
};

}  // namespace cistern::sync::schedule
