#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace cistern::tools {

struct torture_options {
  std::filesystem::path path;  // a folder for the store; kept between cycles
  std::uint64_t seed = 1;
  int cycles = 30;
  std::uint64_t quota = 64ull << 20;
  int longest_ms = 250;  // a cycle's child lives between 1 ms and this
};

struct torture_outcome {
  int cycles = 0;
  std::uint64_t acknowledged = 0;  // writes that the killed children had been told are durable
  std::string failure;             // what was lost or broken; empty when all is well
};

/// Again and again: a child process writes a heavy mixture (whole objects, downloads in pieces, replacements,
/// deletions, jobs) and tells its parent through a pipe what was acknowledged; the parent kills it with SIGKILL at a
/// random moment, opens the store, checks it, and compares all that was acknowledged byte for byte. Must be called with
/// no thread running and no repository open, because it forks.
[[nodiscard]] torture_outcome torture(torture_options const& options,
                                      std::function<void(torture_outcome const&)> const& tell = {});

}  // namespace cistern::tools
