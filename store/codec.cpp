#include "store/codec.hpp"

#include <array>
#include <bit>

namespace cistern::store {

void encoder::write(double value) {
  auto const bits = std::bit_cast<std::uint64_t>(value);
  append_key(out_, bits);
}

void encoder::number(std::uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

std::uint64_t decoder::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    auto const byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw bad_record{"a number is cut short"};
}

std::string_view decoder::bytes() {
  auto const size = number();
  if (size > rest_.size()) throw bad_record{"a string is longer than its record"};
  auto const out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return out;
}

void decoder::read(double& value) {
  if (rest_.size() < 8) throw bad_record{"a number is cut short"};
  value = std::bit_cast<double>(key_number(rest_.substr(0, 8)));
  rest_.remove_prefix(8);
}

void decoder::read(digest& value) {
  if (rest_.size() < value.bytes.size()) throw bad_record{"a digest is cut short"};
  value = digest::from(rest_);
  rest_.remove_prefix(value.bytes.size());
}

namespace {

template <class T>
void append_big_endian(std::string& key, T value) {
  std::array<char, sizeof value> bytes;
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, value >>= 8) *at = static_cast<char>(value);
  key.append(bytes.data(), bytes.size());
}

}  // namespace

void append_key(std::string& key, std::uint64_t value) { append_big_endian(key, value); }

void append_key(std::string& key, std::uint32_t value) { append_big_endian(key, value); }

std::uint64_t key_number(std::string_view eight_bytes) {
  std::uint64_t value = 0;
  for (char const c : eight_bytes.substr(0, 8)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

}  // namespace cistern::store
