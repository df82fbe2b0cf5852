#include "tools/cistern/service_manager.hpp"

#include "sync/systemd.hpp"

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace cistern::tools {
namespace {

void tell(std::string const& message) {
  if (!std::getenv("NOTIFY_SOCKET")) return;
  if (auto const* const library = sync::systemd()) library->notify(0, message.c_str());
}

}  // namespace

void tell_ready(std::string const& status) { tell("READY=1\nSTATUS=" + status); }

void tell_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  auto const microseconds = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void tell_stopping() { tell("STOPPING=1"); }

void tell_alive() { tell("WATCHDOG=1"); }

std::optional<std::chrono::microseconds> watchdog_interval() {
  if (!std::getenv("WATCHDOG_USEC")) return {};
  std::uint64_t limit = 0;
  auto const* const library = sync::systemd();
  if (!library || library->watchdog_enabled(0, &limit) <= 0) return {};
  return std::chrono::microseconds{limit / 2};
}

}  // namespace cistern::tools
