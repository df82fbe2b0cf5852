#pragma once

#include <cstdint>
#include <filesystem>

#include "store/repository.hpp"

namespace cistern::store {

struct salvage_report {
  std::uint64_t objects = 0;  // saved, each checked byte for byte
  std::uint64_t bytes = 0;    // of their bodies
  std::uint64_t records = 0;  // subscriptions, items, jobs and the like
  std::uint64_t lost = 0;     // objects whose record was found and whose body is not whole
  std::filesystem::path damaged_file{};
};

/// For a data file that was cut short, or whose tables LMDB cannot follow: reads it page by page without LMDB, copies
/// what proves itself by its checksum into a new file, checks that, and puts it in the place of the damaged one,
/// which stays beside it under the name in the report. Where a table's tree is broken, pages that hang on nothing are
/// searched too, so an object that was deleted lately may be back.
/// Throws open_error, and then nothing has changed. Takes the process lock; needs room for the copy.
[[nodiscard]] salvage_report salvage(repository_options const& options);

/// Throws open_error that names the process which has the repository open for writing, if one has.
void refuse_if_in_use(std::filesystem::path const& folder);

}  // namespace cistern::store
