#pragma once

#include <functional>
#include <string>

namespace cistern::tools {

/// How a child ended.
struct guarded_end {
  int exit_code = 0;     // of a child that ended by itself
  bool crashed = false;  // SEGV, BUS, ABRT and the like: LMDB follows a damaged page wherever it points
  int signal = 0;
  std::string errors;  // what it wrote to standard error, when it did not crash
};

/// Runs `work` in a forked child, so that a crash in it costs the child and not the command. Its standard output is
/// ours. Must be called before any thread exists and with no repository open. `work` returns an exit code; an
/// exception becomes one line in `errors` and exit code 1.
[[nodiscard]] guarded_end run_guarded(std::function<int()> const& work);

/// Passes on what the child said, or says that the repository in `folder` is damaged; the exit code for the command.
int report_end(guarded_end const& end, std::string const& folder);

}  // namespace cistern::tools
