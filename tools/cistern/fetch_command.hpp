#pragma once

#include <CLI/CLI.hpp>

namespace cistern::tools {

/// `cistern fetch`.
void add_fetch_command(CLI::App& program, int& exit_code);

}  // namespace cistern::tools
