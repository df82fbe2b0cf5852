#pragma once

/// The configuration for people to read.

#include "proxy/api/known_setting.hpp"
#include "tools/cistern/config.hpp"

#include <string>
#include <vector>

namespace cistern::tools {

/// A whole TOML file with every value in force. Passwords are masked.
[[nodiscard]] std::string dump_config(config const& settings);

/// docs/configuration.md. A test keeps the file equal to this.
[[nodiscard]] std::string config_reference();

/// Every setting with its value, its meaning and whether it is the default's. Secrets are masked.
[[nodiscard]] std::vector<proxy::known_setting> list_settings(config const& settings);

struct changed_keys {
  std::vector<std::string> live;     // can be taken over by a running daemon
  std::vector<std::string> restart;  // cannot
};
[[nodiscard]] changed_keys compare(config const& before, config const& after);

}  // namespace cistern::tools
