#pragma once

#include "store/header_block.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::store {

/// Byte ranges (RFC 9110 §14). Positions are 64 bit; `last` is included, as on the wire.
struct byte_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  [[nodiscard]] std::uint64_t size() const { return last - first + 1; }
  bool operator==(byte_range const&) const = default;
};

struct range_limits {
  std::size_t most_ranges = 32;       // after that the request is refused (§17.15: many tiny ranges)
  std::uint64_t worth_joining = 256;  // a gap smaller than a part's framing is sent rather than framed
};

struct range_answer {
  enum class kind {
    whole,          // no Range, another unit or one that cannot be read: ignore it, 200
    partial,        // 206 with `ranges`
    unsatisfiable,  // 416
    refused,        // 416: too many
  };
  kind what = kind::whole;
  std::vector<byte_range> ranges;  // clipped to the size; overlapping and near ones joined; else in the order asked
};

/// A Range field against a representation of `size` bytes.
[[nodiscard]] range_answer read_range(std::string_view value, std::uint64_t size, range_limits limits = {});

/// A Range whose size is not known yet (the object is still on its way): the one range that was asked for, if it is one
/// and has a first byte. `last` is the largest number when open.
[[nodiscard]] std::optional<byte_range> single_open_range(std::string_view value);

[[nodiscard]] std::string content_range(byte_range range, std::uint64_t size);  // "bytes 0-4/10"
[[nodiscard]] std::string unsatisfied_content_range(std::uint64_t size);        // "bytes */10"

/// A Content-Range from an origin (§14.4). `size` is absent for "/*"; `range` is absent for "*/size".
struct received_range {
  std::optional<byte_range> range;
  std::optional<std::uint64_t> size;
};
[[nodiscard]] std::optional<received_range> parse_content_range(std::string_view value);

/// multipart/byteranges (§14.6), framed around bytes that the caller sends in between.
class multipart_ranges {
public:
  /// `boundary` must not occur in the bytes: 32 random characters will do. `content_type` is the stored response's.
  multipart_ranges(std::string boundary, std::string content_type, std::uint64_t size);
  [[nodiscard]] std::string content_type() const;  // of the whole 206
  [[nodiscard]] std::string part_head(byte_range range, bool first) const;
  [[nodiscard]] std::string end() const;
  [[nodiscard]] std::uint64_t content_length(std::vector<byte_range> const& ranges) const;

private:
  std::string boundary_;
  std::string content_type_;
  std::uint64_t size_;
};

}  // namespace cistern::store
