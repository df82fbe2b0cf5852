#include "tools/cistern/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <ctime>

namespace cistern::tools {

void tell_ready(std::string const& status) { ::sd_notify(0, ("READY=1\nSTATUS=" + status).c_str()); }

void tell_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  auto const microseconds = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  ::sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds)).c_str());
}

void tell_stopping() { ::sd_notify(0, "STOPPING=1"); }

void tell_alive() { ::sd_notify(0, "WATCHDOG=1"); }

std::optional<std::chrono::microseconds> watchdog_interval() {
  std::uint64_t limit = 0;
  if (::sd_watchdog_enabled(0, &limit) <= 0) return {};
  return std::chrono::microseconds{limit / 2};
}

}  // namespace cistern::tools
