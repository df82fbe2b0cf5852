#pragma once

#include "tools/cistern/command.hpp"

namespace cistern::tools {

/// `cistern feed parse FILE` and `cistern feed discover FILE`.
void add_feed(CLI::App& program, int& result);

}  // namespace cistern::tools
