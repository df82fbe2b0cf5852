#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace cistern::chaos {

/// How bad a link is. Everything that is zero or empty does not happen.
struct profile {
  std::uint64_t rate = 0;                   // bytes a second, both directions together
  std::chrono::milliseconds delay{0};       // before each turn of a conversation
  std::uint64_t cut_every = 0;              // mean of the bytes between two broken connections
  std::uint64_t stall_every = 0;            // mean of the bytes between two stalls
  std::chrono::milliseconds stall{30'000};  // how long nothing comes then
  /// Up, down, up, down …, again from the first when it is over. During a down time connections break and none are
  /// made. Empty: always up.
  std::vector<std::chrono::milliseconds> windows{};
  bool portal = false;     // a login page answers every plain HTTP request, and nothing else passes
  std::uint64_t seed = 1;  // the same seed and the same bytes break in the same places
};

/// "up 20s, down 40s" and so on, beginning with up; nothing when it cannot be read.
[[nodiscard]] bool parse_windows(std::string const& text, std::vector<std::chrono::milliseconds>& out);
/// "40kB", "2MB", "300": powers of 1000. 0 when it cannot be read.
[[nodiscard]] std::uint64_t parse_bytes(std::string const& text);
/// "250ms", "20s", "5m"; negative when it cannot be read.
[[nodiscard]] std::chrono::milliseconds parse_time(std::string const& text);

}  // namespace cistern::chaos
