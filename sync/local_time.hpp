#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::sync {

/// What the clocks on the wall show at a moment. Tests bring zones of their own.
using local_zone = std::function<std::chrono::local_seconds(std::chrono::sys_seconds)>;

/// The machine's. Any thread.
[[nodiscard]] local_zone system_zone();

/// When the clocks will show `wanted`, which is in the future, also when they are put forward or back between; the
/// first time when they show it twice, and as much later when they skip it.
[[nodiscard]] std::chrono::sys_seconds moment_of(std::chrono::local_seconds wanted, std::chrono::sys_seconds now,
                                                 local_zone const& zone);

/// Hours of a day, the last one not included. `to` at or before `from` is on the next day.
struct day_hours {
  std::chrono::minutes from{};
  std::chrono::minutes to{};
  [[nodiscard]] bool contains(std::chrono::local_seconds time) const;
  bool operator==(day_hours const&) const = default;
};

/// "01-05", "22:30-6"; nothing when it is not that.
[[nodiscard]] std::optional<day_hours> parse_day_hours(std::string_view text);
/// "01:00-05:00"
[[nodiscard]] std::string to_text(day_hours const& hours);

}  // namespace cistern::sync
