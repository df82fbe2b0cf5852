#pragma once

#include "sync/fetcher.hpp"
#include "tools/cistern/config.hpp"

#include <string>

namespace cistern::tools {

/// What origins are told of us.
[[nodiscard]] std::string user_agent_from(fetch_config const& settings);
[[nodiscard]] sync::fetcher_settings fetcher_settings_from(config const& settings);

}  // namespace cistern::tools
