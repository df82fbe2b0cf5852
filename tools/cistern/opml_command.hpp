#pragma once

#include "tools/cistern/command.hpp"

namespace cistern::tools {

/// `cistern opml check FILE`.
void add_opml(CLI::App& program, int& result);

}  // namespace cistern::tools
