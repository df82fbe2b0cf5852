#include "sync/systemd.hpp"

#include <dlfcn.h>

#include <optional>

namespace cistern::sync {
namespace {

std::optional<systemd_library> load() {
  auto* const library = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return {};
  bool complete = true;
  auto const find = [&](auto& function, char const* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    complete = complete && function;
  };
  systemd_library out{};
  find(out.notify, "sd_notify");
  find(out.watchdog_enabled, "sd_watchdog_enabled");
  find(out.bus_new, "sd_bus_new");
  find(out.bus_open_system, "sd_bus_open_system");
  find(out.bus_set_address, "sd_bus_set_address");
  find(out.bus_set_bus_client, "sd_bus_set_bus_client");
  find(out.bus_start, "sd_bus_start");
  find(out.bus_close_unref, "sd_bus_close_unref");
  find(out.bus_get_fd, "sd_bus_get_fd");
  find(out.bus_process, "sd_bus_process");
  find(out.bus_flush, "sd_bus_flush");
  find(out.bus_add_match_async, "sd_bus_add_match_async");
  find(out.bus_call_method_async, "sd_bus_call_method_async");
  find(out.bus_message_is_method_error, "sd_bus_message_is_method_error");
  find(out.bus_message_read, "sd_bus_message_read");
  return complete ? std::optional{out} : std::nullopt;
}

}  // namespace

systemd_library const* systemd() {
  static auto const library = load();
  return library ? &*library : nullptr;
}

}  // namespace cistern::sync
