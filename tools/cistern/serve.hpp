#pragma once

#include "sync/link.hpp"
#include "tools/cistern/config_load.hpp"

#include <functional>

namespace cistern::tools {

/// Who knows of the link what the kernel's routes do not show (a modem of its own): gets the link when there is one,
/// and null before it goes.
using link_plug = std::function<void(sync::network_link*)>;

/// The daemon, until SIGINT or SIGTERM. Throws what keeps it from starting.
void serve(config_sources const& sources, link_plug const& plug = {});

}  // namespace cistern::tools
