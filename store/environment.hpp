#pragma once

/// Opening the LMDB environment, and everything that can be wrong with the place it is in. Only store/*.cpp includes
/// this file.

#include "store/lmdb.hpp"
#include "store/repository.hpp"
#include "store/schema.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cistern::store {

/// One writing process at a time: held by flock, so a killed process leaves nothing behind.
class process_lock {
public:
  process_lock() = default;
  /// Throws open_error that names the process that has it.
  explicit process_lock(std::filesystem::path const& folder);
  process_lock(process_lock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  process_lock& operator=(process_lock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~process_lock();

private:
  int fd_ = -1;
};

/// A change of the layout: from format `from` to `from + 1`, inside one transaction with the new format number.
struct migration {
  std::uint64_t from;
  std::function<void(lmdb::write_transaction&, table_handles const&)> step;
};

struct opened_environment {
  process_lock lock;
  lmdb::environment env;
  table_handles tables{};
  std::uint64_t map_size = 0;
  std::uint64_t seed = 0;
};

/// Throws open_error. `format` and `steps` are parameters for the tests of migration.
[[nodiscard]] opened_environment open_environment(repository_options const& options, std::uint64_t format,
                                                  std::vector<migration> const& steps);
/// The steps that lead to current_format.
[[nodiscard]] std::vector<migration> const& migrations();

/// Why LMDB must not be used on a file system of that kind (statfs f_type); empty when it may.
[[nodiscard]] std::string file_system_refusal(long kind);

}  // namespace cistern::store
