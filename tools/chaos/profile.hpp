#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace cistern::chaos {

/// A time during which the link is up, or down.
struct window {
  std::chrono::milliseconds length{};
  bool random = false;  // `length` is then only the mean
  bool operator==(window const&) const = default;
};

/// How bad a link is. Everything that is zero or empty does not happen.
struct profile {
  std::uint64_t rate = 0;                   // bytes a second, both directions and all connections together
  std::chrono::milliseconds delay{0};       // before each turn of a conversation
  std::uint64_t cut_every = 0;              // mean of the bytes between two broken connections
  std::uint64_t stall_every = 0;            // mean of the bytes between two stalls
  std::chrono::milliseconds stall{30'000};  // how long nothing comes then
  /// Up, down, up, down …, again from the first when it is over. Empty: up.
  std::vector<window> windows{};
  /// What being down looks like: connections break and none are made, or nothing is said and what waits goes on later.
  bool silent = false;
  bool portal = false;     // a login page answers every plain HTTP request, and nothing else passes
  std::uint64_t seed = 1;  // the same seed and the same bytes break in the same places
};

}  // namespace cistern::chaos
