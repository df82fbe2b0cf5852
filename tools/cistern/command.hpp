#pragma once

/// How a sub-command joins the program: one file a command, each with one `add_…` function that declares its options
/// and leaves the exit code of its work in `exit_code`. Nothing runs before the whole command line has been read.

#include <CLI/CLI.hpp>

namespace cistern::tools {

/// What scripts are promised (see docs/commands.md).
enum exit_code : int { done = 0, failed = 1, wrong_usage = 2, declined = 3 };

}  // namespace cistern::tools
