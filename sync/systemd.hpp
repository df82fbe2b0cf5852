#pragma once

/// libsystemd, loaded when it is first needed: it brings five libraries along that nobody else wants, and to load and
/// relocate them takes longer than most commands run. Where it is not installed there is no service manager to tell and
/// no bus to follow.

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

namespace cistern::sync {

/// The functions we use, as their headers declare them.
struct systemd_library {
  decltype(&::sd_notify) notify;
  decltype(&::sd_watchdog_enabled) watchdog_enabled;
  decltype(&::sd_bus_new) bus_new;
  decltype(&::sd_bus_open_system) bus_open_system;
  decltype(&::sd_bus_set_address) bus_set_address;
  decltype(&::sd_bus_set_bus_client) bus_set_bus_client;
  decltype(&::sd_bus_start) bus_start;
  decltype(&::sd_bus_close_unref) bus_close_unref;
  decltype(&::sd_bus_get_fd) bus_get_fd;
  decltype(&::sd_bus_process) bus_process;
  decltype(&::sd_bus_flush) bus_flush;
  decltype(&::sd_bus_add_match_async) bus_add_match_async;
  decltype(&::sd_bus_call_method_async) bus_call_method_async;
  decltype(&::sd_bus_message_is_method_error) bus_message_is_method_error;
  decltype(&::sd_bus_message_read) bus_message_read;
};

/// Nothing where it is not installed. Loaded once, for good; any thread.
[[nodiscard]] systemd_library const* systemd();

}  // namespace cistern::sync
