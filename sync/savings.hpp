#pragma once

/// Why bytes did not have to cross the link, by day: what the ledger's `saved` is made of. Kept beside the ledger as
/// small settings, one a day.

#include "store/repository.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace cistern::sync {

/// `stitching`: a homepage brought up to date by its feed. `unchanged`: "not modified". `compression`: what arrived
/// packed. `known`: not fetched twice; a feed's tail that was known, and downloads that went on where they had broken.
struct savings {
  std::uint64_t stitching = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t compression = 0;
  std::uint64_t known = 0;

  [[nodiscard]] std::uint64_t all() const { return stitching + unchanged + compression + known; }
  savings& operator+=(savings const& more);
};

/// Adds to a day (as in the ledger), in the transaction that charges the bytes that did cross.
void note_savings(store::write_batch& batch, std::uint32_t day, savings const& more);
[[nodiscard]] savings savings_of(store::repository& kept, std::uint32_t day);

/// Bytes that a stored body would have had more if it had come plain; 0 when that is not known.
[[nodiscard]] std::uint64_t packed_away(store::repository& kept, store::stored_object const& object);

}  // namespace cistern::sync
