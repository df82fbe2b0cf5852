#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>

namespace cistern::sync {

struct backoff_settings {
  std::chrono::milliseconds base{1'000};
  std::chrono::milliseconds cap{15 * 60 * 1'000};
  std::size_t hosts = 4'096;  // remembered at most; those whose wait is over go first
};

/// When a host may be asked again after something went wrong there. Exponential with full jitter: the n-th failure in a
/// row waits for a random part of base · 2^n, at most the cap, so that many clients of one host do not come back in
/// step. An attempt that brought new bytes counts as the first. What the host itself asks for (Retry-After) is a floor
/// under that, for all of the host.
/// Trouble with our own link is no failure of a host: do not report it here.
/// Pure over `now`; deterministic for a seed. One thread.
class backoff {
public:
  using time = std::chrono::steady_clock::time_point;

  explicit backoff(backoff_settings settings = {}, std::uint64_t seed = std::random_device{}())
      : settings_{settings}, random_{seed} {}

  /// The host failed us; with `progress` it did bring something first. Returns when to try again.
  time failed(std::string const& host, time now, bool progress);
  /// It answered as it should.
  void succeeded(std::string const& host);
  /// It asked to be left alone for so long (Retry-After), whatever else; at most a week is believed.
  void leave_alone(std::string const& host, time now, std::chrono::seconds asked);
  /// The link is back: waits end, but for what the hosts asked for themselves.
  void link_up();

  /// From when on the host may be asked; the past when nothing is known against it.
  [[nodiscard]] time ready_at(std::string const& host) const;
  [[nodiscard]] bool ready(std::string const& host, time now) const { return ready_at(host) <= now; }

private:
  struct entry {
    std::uint32_t failures = 0;
    time until{};       // by our own choice
    time left_alone{};  // by the host's wish
  };
  entry& of(std::string const& host, time now);

  backoff_settings settings_;
  std::mt19937_64 random_;
  std::map<std::string, entry> hosts_;
};

}  // namespace cistern::sync
