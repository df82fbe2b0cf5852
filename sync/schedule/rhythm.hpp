#pragma once

/// What all feeds together teach: the hours of the week and the minutes of the hour at which postings come.
/// A feed with little history of its own leans on it. Each feed counts about once a week however much it posts, so
/// that a few busy ones do not speak for all.

#include "sync/schedule/plan_time.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace cistern::sync::schedule {

class shared_rhythm {
public:
  shared_rhythm();

  /// Adds one feed's postings (plan hours), seen at `now`; `rate` is what the feed posts an hour.
  void learn(std::span<double const> postings, double rate, double now);

  /// Relative rates with mean 1.
  [[nodiscard]] float week(int hour) const { return week_[static_cast<std::size_t>(hour)]; }
  [[nodiscard]] float minute(int bin) const { return minute_[static_cast<std::size_t>(bin)]; }

  /// Versioned bytes; `restore` leaves everything as it was and says false when they are not ours.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] bool restore(std::string_view bytes);

private:
  void refresh();

  std::array<float, hours_a_week> week_counts_{};
  std::array<float, minute_bins> minute_counts_{};
  std::array<float, hours_a_week> week_{};
  std::array<float, minute_bins> minute_{};
  double refreshed_ = 0.0;
  bool started_ = false;
};

}  // namespace cistern::sync::schedule
