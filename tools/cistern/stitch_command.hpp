#pragma once

#include "tools/cistern/command.hpp"

namespace cistern::tools {

/// `cistern stitch ...` and `cistern stitch score CORPUS`: the lab for developers who test stitching on saved pages.
void add_stitch(CLI::App& program, int& result);

}  // namespace cistern::tools
