#pragma once

/// Learned state as bytes that a later version recognises: one version byte, then numbers, little endian.
/// A reader never throws and never trusts: anything short, long, not finite or negative where a count is due makes
/// `complete()` false.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace cistern::sync::schedule {

/// From this machine's order of bytes to little endian, and back.
template <std::size_t N>
std::array<char, N> little_endian(std::array<char, N> bytes) {
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

class byte_writer {
public:
  explicit byte_writer(std::uint8_t version) { bytes_.push_back(static_cast<char>(version)); }

  template <class Number>
  void put(Number value) {
    auto const bytes = little_endian(std::bit_cast<std::array<char, sizeof(Number)>>(value));
    bytes_.append(bytes.data(), bytes.size());
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
    std::array<char, sizeof(Number)> bytes;
    if (!sound_ || left_.size() < bytes.size()) {
      sound_ = false;
      return;
    }
    std::copy_n(left_.begin(), bytes.size(), bytes.begin());
    left_.remove_prefix(bytes.size());
    auto const read = std::bit_cast<Number>(little_endian(bytes));
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
