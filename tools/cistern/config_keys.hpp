#pragma once

/// The one table of settings. Everything that reads, writes, checks or documents the configuration walks it.

#include "tools/cistern/config.hpp"

#include <limits>
#include <span>
#include <string_view>
#include <variant>

namespace cistern::tools {

/// Where a key's value lives in a config; the alternative is the key's type.
using setting =
    std::variant<bool*, number*, duration*, byte_size*, std::string*, std::filesystem::path*, numbers*, texts*>;

/// Both ends included; milliseconds for durations, bytes for sizes, each entry of a list of numbers.
struct limits {
  number least = std::numeric_limits<number>::min();
  number most = std::numeric_limits<number>::max();
};

struct config_key {
  std::string_view section;
  std::string_view name;
  setting (*in)(config&);
  std::string_view help;
  limits allowed{};
  std::string_view choices{};                 // "text|json"; empty: any
  bool live = false;                          // taken over on SIGHUP; others need a restart
  bool (*valid)(std::string_view) = nullptr;  // for texts, each of a list, that have a grammar; `help` says which
};

[[nodiscard]] std::span<config_key const> config_keys();

/// "store.quota"
[[nodiscard]] std::string full_name(config_key const& key);
/// "CISTERN_STORE_QUOTA"
[[nodiscard]] std::string variable_name(config_key const& key);
/// Null when there is none.
[[nodiscard]] config_key const* find_key(std::string_view section, std::string_view name);
/// The place of a key's value for reading only.
[[nodiscard]] setting setting_of(config_key const& key, config const& settings);

}  // namespace cistern::tools
