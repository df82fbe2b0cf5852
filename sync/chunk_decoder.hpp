#pragma once

#include "sync/framing.hpp"

namespace cistern::sync {

/// Takes the chunked coding off a body (RFC 9112 §7.1), strictly and in constant memory; shared by the client and the
/// proxy. Extensions and trailers are checked, bounded and dropped. After a fault it must not be used further.
class chunk_decoder {
public:
  struct step {
    framing_fault fault{};
    std::size_t consumed{};  // of the input; the rest is to be given again
    std::string_view data;   // body bytes, a view into the input
  };

  /// Goes on through `in` until there are body bytes, the end, a fault, or no input left.
  [[nodiscard]] step next(std::string_view in);
  /// The last chunk and the trailer section have been seen; what follows belongs to the next message.
  [[nodiscard]] bool done() const { return state_ == state::done; }

  static constexpr std::size_t max_extension = 1024;  // bytes of one chunk's line
  static constexpr std::size_t max_extensions =
      64 * 1024;  // of all: many tiny chunks with long lines cost more than they carry
  static constexpr std::size_t max_trailer = 16 * 1024;

private:
  enum class state : std::uint8_t {
    size,
    extension,
    line_feed,
    data,
    data_cr,
    data_lf,
    trailer,
    trailer_lf,
    last_lf,
    done
  };

  framing_fault take(char c);
  framing_fault take_size(char c);
  framing_fault take_extension(char c);
  framing_fault take_trailer(char c);

  std::uint64_t left_{};  // of the chunk; while in its line, its size
  std::size_t extensions_{};
  std::size_t trailer_{};
  std::uint16_t line_{};  // bytes of the line so far
  state state_{state::size};
  bool blanks_{};      // blanks after the size: only an extension may follow
  bool line_empty_{};  // the trailer line so far
};

}  // namespace cistern::sync
