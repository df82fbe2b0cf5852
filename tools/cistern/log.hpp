#pragma once

/// The log: one event a line on standard error. Every room logs through spdlog's default logger as
/// `name key=value key="quoted value"`; here that becomes a text line or a JSON object.

#include "tools/cistern/config.hpp"

#include <string>
#include <string_view>

namespace cistern::tools {

/// May be called again at any time (a reload); lines written meanwhile by other threads are in one form or the other.
void set_up_log(log_config const& settings);

/// The members of a JSON object, without braces: `"event":"fetch","status":304`. Numbers and true/false stay bare.
/// A line that is not of the form above becomes `"message":"…"`.
[[nodiscard]] std::string json_fields(std::string_view line);

}  // namespace cistern::tools
