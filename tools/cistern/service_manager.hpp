#pragma once

/// What systemd is told, when it started us; nothing happens otherwise.

#include <chrono>
#include <optional>
#include <string>

namespace cistern::tools {

void tell_ready(std::string const& status);
void tell_reloading();
void tell_stopping();
void tell_alive();

/// How often `tell_alive` is wanted: half of WatchdogSec=, as sd_watchdog_enabled(3) advises. Nothing when it is not
/// set.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace cistern::tools
