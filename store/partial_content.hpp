#pragma once

#include "store/header_block.hpp"
#include "store/ranges.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cistern::store {

/// Incomplete responses: what is there of them, and when two may be joined (RFC 9111 §3.3, §3.4).

/// The parts of a representation that are stored: sorted, apart from each other.
class held_ranges {
public:
  void add(byte_range range);
  [[nodiscard]] bool covers(byte_range range) const;
  [[nodiscard]] bool is_complete(std::uint64_t size) const;
  /// The first stretch that is missing, to be asked for next: from the first gap to the next held byte (or the end).
  [[nodiscard]] std::optional<byte_range> first_gap(std::uint64_t size) const;
  [[nodiscard]] std::vector<byte_range> const& parts() const { return parts_; }
  [[nodiscard]] std::uint64_t bytes() const;

private:
  std::vector<byte_range> parts_;
};

/// A stretch of a representation, and how long that is as a whole.
struct held_part {
  byte_range range{};
  std::uint64_t size = 0;
  bool operator==(held_part const&) const = default;
};

/// What a 206 brings; nothing for several parts, another unit, an unknown whole, or a range that contradicts itself
/// (RFC 9110 §14.4). One that is shorter than its Content-Range claims is incomplete (RFC 9111 §3.3): it has the bytes
/// that came, and the rest of the whole is as missing as before.
[[nodiscard]] std::optional<held_part> received_part(header_block const& fields, std::uint64_t content_length);

/// The bytes that an unfinished response has: of a stored 206 those of its Content-Range, of a download that broke off
/// the first ones.
[[nodiscard]] std::optional<held_part> stored_part(int status, header_block const& fields, std::uint64_t stored_bytes,
                                                   std::optional<std::uint64_t> expected_size);

/// The one range that `value` (a Range field) asks for, if the part has all of it.
[[nodiscard]] std::optional<byte_range> range_in_part(std::string_view value, held_part const& part);

/// Whether a range of something that is not stored is worth a request of its own. Near the start it is not: the whole
/// is fetched, and the range answered as its bytes come by. From farther in, or from the end, the reader would wait
/// for bytes that nobody asked for.
inline constexpr std::uint64_t near_the_start = 8u << 20;
[[nodiscard]] bool starts_far_in(std::string_view value);

/// May bytes of both be put together? Only with the same strong validator, and the same size where both say one.
[[nodiscard]] bool may_combine(header_block const& stored, header_block const& received);

/// The fields of the joined response: the stored ones with the new one's laid over; 200 when complete (without
/// Content-Range, with the whole Content-Length), else 206.
[[nodiscard]] header_block combined_fields(header_block const& stored, header_block const& received, std::uint64_t size,
                                           std::chrono::sys_seconds when);

/// The request fields that fetch the rest: "Range: bytes=5-" with If-Range when there is a strong validator; false (and
/// nothing added) when there is none, since nothing may be spliced then.
bool add_resume(header_block& request, header_block const& stored, held_ranges const& held,
                std::optional<std::uint64_t> size, std::chrono::sys_seconds received);

/// A Last-Modified that is at least a second older than Date is a strong validator (RFC 9110 §8.8.2.2).
[[nodiscard]] bool is_strong_date(header_block const& stored, std::chrono::sys_seconds received);

/// The strong validator for If-Range: a strong tag, else a Last-Modified that is strong by the one-second rule; else
/// empty.
[[nodiscard]] std::string_view strong_validator(header_block const& stored, std::chrono::sys_seconds received);

}  // namespace cistern::store
