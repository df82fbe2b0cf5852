#pragma once

#include "sync/errc.hpp"
#include "sync/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cistern::sync {

enum class coding : std::uint8_t { identity, gzip, deflate, brotli, zstd };

/// What Content-Encoding says, one coding or none; several or an unknown one is nullopt: such a body passes as it is.
[[nodiscard]] std::optional<coding> coding_of(std::string_view content_encoding);
/// What may be asked for: "gzip, deflate, br, zstd".
[[nodiscard]] std::string_view accepted_codings();

/// A kilobyte of compressed zeros can unfold to a gigabyte, so what comes out is bounded twice.
struct decode_limits {
  std::uint64_t max_size = 256ull << 20;
  std::uint64_t max_ratio = 250;       // out per byte in
  std::uint64_t free_size = 8u << 20;  // below this the ratio is not looked at
};

/// Takes a content coding off, piece by piece, in constant memory. After an error it must not be used further.
class decoder {
public:
  struct progress {
    std::size_t consumed{};  // of the input
    std::size_t produced{};  // into the output
    bool done{};             // the end of the coded data was seen; what follows is ignored
  };

  explicit decoder(coding what, decode_limits limits = {});
  ~decoder();
  decoder(decoder&&) noexcept;
  decoder& operator=(decoder&&) noexcept;

  /// Decodes as much of `in` as fits into `out`. Errors: errc::bad_encoding, errc::decoded_too_large. With all input
  /// consumed and `out` filled there may be more to come: call again with no input.
  [[nodiscard]] result<progress> decode(std::string_view in, std::span<char> out);
  /// The coded data ended where it may; false after the last input means that it was cut. Plain data may end anywhere.
  [[nodiscard]] bool complete() const;

  struct engine;  // one per library

private:
  std::unique_ptr<engine> engine_;
  coding coding_;
  decode_limits limits_;
  std::uint64_t in_{};
  std::uint64_t out_{};
  bool done_{};
};

/// The whole of a body that is in memory already.
[[nodiscard]] result<std::string> decode_all(coding what, std::string_view in, decode_limits limits = {});

}  // namespace cistern::sync
