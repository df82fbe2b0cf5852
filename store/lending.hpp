#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "store/repository.hpp"

namespace cistern::store {

/// Lends a body's bytes where they lie in the file, a copy less than `body_reader::read`, to a socket that takes at
/// once what it can.
///
/// A read transaction is open until the taker returns. So the taker must neither wait nor call the repository; then a
/// client's slowness never holds one. The reader's lease keeps the body between two loans.
class body_lender {
public:
  /// Gets pieces that follow one another, `most_pieces` at most; says how many of their bytes it used.
  using pieces = std::span<std::string_view const>;
  using taker = std::function<std::size_t(pieces)>;
  /// 256 kB: few system calls, all of it still in the processor's cache after it was checked, and little is checked
  /// for nothing when the taker has enough.
  static constexpr std::size_t most_pieces = 16;

  /// `from` outlives it.
  explicit body_lender(body_reader const& from) : from_{from} {}

  /// Lends the bytes from `offset` on, `most` of them, until `take` uses less than it is given; returns how many it
  /// used. Every chunk is checked before it is lent; an error, as of `body_reader::read`, when the first one is bad.
  [[nodiscard]] result<std::size_t> lend(std::uint64_t offset, std::size_t most, taker const& take);

private:
  body_reader const& from_;
  std::string_view behind_{};  // what was lent and is still mapped; never looked at
};

}  // namespace cistern::store
