#pragma once

/// The hours at which the link is usually up, learned from when it was: quarters of an hour of the day, faded over
/// about two weeks. With nothing learned, or a link that is always up, every hour is a good one.

#include "sync/schedule/plan_time.hpp"

#include <array>
#include <string>
#include <string_view>

namespace cistern::sync::schedule {

class link_hours {
public:
  /// The link was in this state from `from` to `to` (plan hours).
  void learn(double from, double to, bool up);

  /// 0 to 1.
  [[nodiscard]] double chance_up(double at) const;
  [[nodiscard]] bool usually_up(double at) const { return chance_up(at) >= 0.5; }
  /// Is there any time of day at which it is usually down? When not, nobody needs to plan around it.
  [[nodiscard]] bool comes_and_goes() const { return comes_and_goes_; }
  /// When a link that is up at `at` usually goes down; at most a day later.
  [[nodiscard]] double usual_end(double at) const;
  /// When it usually comes up again, after `at`; at most a day later.
  [[nodiscard]] double usual_start(double at) const;

  [[nodiscard]] std::string state() const;
  [[nodiscard]] bool restore(std::string_view bytes);

private:
  static constexpr int quarters = 96;
  void refresh();

  std::array<float, quarters> up_{}, watched_{};
  double at_ = 0.0;
  bool comes_and_goes_ = false;
};

}  // namespace cistern::sync::schedule
