#pragma once

/// The text form of each kind of setting, both ways: "15m", "2 GiB", "443,8443", "on".
/// Failures are sentences for the person who wrote the value, ready to stand after "store.quota ".

#include "tools/cistern/config_keys.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cistern::tools {

/// "250ms", "2s", "15m", "6h", "7d", also several in a row ("1h 30m"); a bare 0 needs no unit.
[[nodiscard]] std::optional<duration> parse_duration(std::string_view text);
/// "500MB", "2 GiB", "1.5 GiB", "4096"; powers of 1000 without the i, of 1024 with it, case does not matter.
[[nodiscard]] std::optional<byte_size> parse_size(std::string_view text);

/// In the largest unit that shows the exact value.
[[nodiscard]] std::string to_text(duration value);
[[nodiscard]] std::string to_text(byte_size value);

/// Empty when `value` was taken over, else what is wrong with it. Lists are separated by commas.
[[nodiscard]] std::string assign_text(config_key const& key, config& settings, std::string_view value);
/// As `assign_text`, for what is there already: limits, choices, grammar.
[[nodiscard]] std::string check_value(config_key const& key, config const& settings);

/// As it would stand after "key = " in a TOML file.
[[nodiscard]] std::string toml_text(config_key const& key, config const& settings);
/// "duration", "size", "text", …
[[nodiscard]] std::string_view kind_name(config_key const& key);
/// What a value of that kind has to look like: `a duration such as "15m"`.
[[nodiscard]] std::string expectation(config_key const& key);

}  // namespace cistern::tools
