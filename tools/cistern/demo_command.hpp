#pragma once

#include <CLI/CLI.hpp>

namespace cistern::tools {

void add_demo_command(CLI::App& program);

}  // namespace cistern::tools
