#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "store/digest.hpp"
#include "store/header_block.hpp"

namespace cistern::store {

/// Records on disk: a version byte, then the fields in the order that the record's `visit` names them. Numbers are
/// LEB128 (signed ones zigzag), strings and lists carry their length.
///
/// How a record grows: new fields go to the end of `visit`. A reader that finds the bytes at an end leaves the fields
/// that are missing at their defaults, and ignores bytes behind the last field it knows, so old and new programs read
/// each other's records. Only a change of meaning needs a new version and a migration step (store/migration.hpp).

/// What was read is no record; inside the room it ends the transaction and becomes errc::damaged.
struct bad_record : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class encoder {
public:
  template <class... Fields>
  void operator()(Fields const&... fields) {
    (write(fields), ...);
  }
  std::string take() { return std::move(out_); }
  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  void raw(std::string_view bytes) { out_ += bytes; }

private:
  void write(bool value) { number(value ? 1 : 0); }
  template <std::unsigned_integral T>
  void write(T value) {
    number(value);
  }
  template <std::signed_integral T>
  void write(T value) {
    auto const wide = static_cast<std::int64_t>(value);
    number((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
  }
  void write(double value);
  template <class T>
  requires std::is_enum_v<T>
  void write(T value) { number(static_cast<std::uint64_t>(value)); }
  void write(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  void write(std::string const& value) { write(std::string_view{value}); }
  void write(header_block const& value) { write(std::string_view{value.wire()}); }
  void write(digest const& value) { out_ += value.view(); }
  template <class Rep, class Period>
  void write(std::chrono::duration<Rep, Period> value) {
    write(static_cast<std::int64_t>(value.count()));
  }
  void write(std::chrono::sys_seconds value) { write(value.time_since_epoch()); }
  template <class T>
  void write(std::optional<T> const& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(std::vector<T> const& values) {
    number(values.size());
    for (auto const& value : values) write(value);
  }
  template <class T>
  requires requires(T const& t, encoder& e) { T::visit(t, e); }
  void write(T const& value) { T::visit(value, *this); }

  void number(std::uint64_t value);
  std::string out_;
};

class decoder {
public:
  explicit decoder(std::string_view bytes) : rest_{bytes} {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
  template <class T>
  void field(T& value) {
    if (!rest_.empty()) read(value);
  }

  void read(bool& value) { value = number() != 0; }
  template <std::unsigned_integral T>
  void read(T& value) {
    value = static_cast<T>(number());
  }
  template <std::signed_integral T>
  void read(T& value) {
    auto const coded = number();
    value = static_cast<T>((coded >> 1) ^ (~(coded & 1) + 1));
  }
  void read(double& value);
  template <class T>
  requires std::is_enum_v<T>
  void read(T& value) { value = static_cast<T>(number()); }
  void read(std::string& value) { value.assign(bytes()); }
  void read(std::string_view& value) { value = bytes(); }  // lives as long as what is decoded
  void read(header_block& value) { value.assign_wire(bytes()); }
  void read(digest& value);
  template <class Rep, class Period>
  void read(std::chrono::duration<Rep, Period>& value) {
    std::int64_t count = 0;
    read(count);
    value = std::chrono::duration<Rep, Period>{static_cast<Rep>(count)};
  }
  void read(std::chrono::sys_seconds& value) {
    std::chrono::seconds since{};
    read(since);
    value = std::chrono::sys_seconds{since};
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    value.reset();
    if (present) read(value.emplace());
  }
  template <class T>
  void read(std::vector<T>& values) {
    auto const count = number();
    if (count > rest_.size())
      throw bad_record{"a list is longer than its record"};  // every element has a byte at least
    values.clear();
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) read(values.emplace_back());
  }
  template <class T>
  requires requires(T& t, decoder& d) { T::visit(t, d); }
  void read(T& value) { T::visit(value, *this); }

  std::uint64_t number();
  std::string_view bytes();
  std::string_view rest_;
};

/// A record type names its format version and its fields.
template <class T>
concept record = requires(T const& t, encoder& e) {
  { T::version } -> std::convertible_to<std::uint8_t>;
  T::visit(t, e);
};

/// `room` when it is known how long it gets at most.
template <record T>
std::string encode(T const& value, std::size_t room = 0) {
  encoder out;
  out.reserve(room);
  out.raw(std::string(1, static_cast<char>(T::version)));
  T::visit(value, out);
  return out.take();
}

/// Throws bad_record when the bytes are no record of that type and version. Fields that are missing keep the value they
/// have in `value`.
template <record T>
void decode_into(T& value, std::string_view bytes) {
  if (bytes.empty() || static_cast<std::uint8_t>(bytes.front()) != T::version)
    throw bad_record{"a record has an unknown version"};
  decoder in{bytes.substr(1)};
  T::visit(value, in);
}

template <record T>
T decode(std::string_view bytes) {
  T value{};
  decode_into(value, bytes);
  return value;
}

/// Keys sort as unsigned bytes, so numbers in keys are big-endian.
void append_key(std::string& key, std::uint64_t value);
void append_key(std::string& key, std::uint32_t value);
[[nodiscard]] std::uint64_t key_number(std::string_view eight_bytes);

}  // namespace cistern::store
