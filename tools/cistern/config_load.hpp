#pragma once

/// How settings come together: defaults, then one file, then the environment, then the command line.
/// Every problem names where it was written ("cistern.toml:12: …", "environment: …", "--set: …").

#include "tools/cistern/config.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cistern::tools {

using environment = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] environment process_environment();

/// What the command line says; each command that reads the configuration fills one.
struct config_sources {
  std::string file;                                           // --config; empty: looked for
  std::vector<std::pair<std::string, std::string>> settings;  // "store.quota", "2 GiB"
};

/// One line for each problem found; `what()` is the first, so that a caller can print it and stop.
class config_error : public std::runtime_error {
public:
  explicit config_error(std::vector<std::string> problems);
  [[nodiscard]] std::vector<std::string> const& problems() const { return problems_; }

private:
  std::vector<std::string> problems_;
};

struct loaded_config {
  config settings;
  std::filesystem::path file;  // empty when there was none, which is not an error
};

/// Throws config_error. The result is checked and complete: `store.path` is set and absolute.
[[nodiscard]] loaded_config load_config(config_sources const& sources, environment const& env);

/// $STATE_DIRECTORY (a systemd service), $XDG_DATA_HOME/cistern, ~/.local/share/cistern, /var/lib/cistern.
[[nodiscard]] std::filesystem::path data_directory(environment const& env);
/// Where a file is looked for, best first: $XDG_CONFIG_HOME or ~/.config, then /etc.
[[nodiscard]] std::vector<std::filesystem::path> config_places(environment const& env);

}  // namespace cistern::tools
