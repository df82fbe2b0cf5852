#pragma once

#include "tools/cistern/config_load.hpp"

namespace cistern::tools {

/// The daemon, until SIGINT or SIGTERM. Throws what keeps it from starting.
void serve(config_sources const& sources);

}  // namespace cistern::tools
