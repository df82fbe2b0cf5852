#pragma once

/// What `get`, `check` and `compact` share.

#include "tools/cistern/command.hpp"
#include "tools/cistern/repository_settings.hpp"

#include <memory>
#include <string>

namespace cistern::tools {

/// `--config`, `--set` and `--data`.
inline std::shared_ptr<config_sources> add_repository_options(CLI::App& command) {
  auto const sources = std::make_shared<config_sources>();
  add_config_options(command, *sources);
  auto const take = [sources](std::string const& folder) { sources->settings.emplace_back("store.path", folder); };
  command.add_option_function<std::string>("--data", take, "folder of the repository")
      ->type_name("DIR")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return sources;
}

[[nodiscard]] inline store::repository_options repository_options_from(config_sources const& sources) {
  return repository_options_from(load_config(sources, process_environment()).settings.store);
}

/// "1 object", "2 objects", "12.5 MiB": for people, so rounded.
[[nodiscard]] std::string counted(std::uint64_t number, std::string const& what);
[[nodiscard]] std::string rounded_size(std::uint64_t bytes);

}  // namespace cistern::tools
