#pragma once

/// The budget's part of the configuration, from its words to sync's rules.

#include "sync/budget_rules.hpp"
#include "sync/http/pace.hpp"
#include "tools/cistern/config.hpp"

#include <memory>
#include <string_view>

namespace cistern::tools {

/// "enclosures 20MB/day"
[[nodiscard]] bool is_class_limit(std::string_view text);
/// "enclosures 01-05"
[[nodiscard]] bool is_class_hours(std::string_view text);
/// "40kB/s", "0"
[[nodiscard]] bool is_rate(std::string_view text);
/// "enclosures", "images"
[[nodiscard]] bool is_metered_word(std::string_view text);

/// Of a configuration that was checked.
[[nodiscard]] sync::budget_rules budget_rules_from(budget_config const& settings);
/// Null without a rate.
[[nodiscard]] std::shared_ptr<sync::pace> pace_from(budget_config const& settings);

}  // namespace cistern::tools
