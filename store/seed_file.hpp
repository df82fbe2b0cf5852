#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cistern::store {

/// A copy of the repository's seed beside its data file. The seed lies on one page of that file; without it no checksum
/// can be verified, so a file that lost the page would take everything else with it. Only `salvage` reads the copy, and
/// believes it only as far as the data agree.

/// Nothing when there is none, or it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> saved_seed(std::filesystem::path const& folder);
/// Writes it when it is not there or another. That it cannot be written hinders nobody.
void save_seed(std::filesystem::path const& folder, std::uint64_t seed) noexcept;

}  // namespace cistern::store
