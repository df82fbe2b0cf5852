#pragma once

/// What a visit must be worth so that all feeds together spend what they may: one price, in hours of delay, moved so
/// that spending follows the allowance and never runs ahead of it by more than a day or so.
///
/// Spending is even in price, not in time: more visits by day than by night and on working days than on Sundays come
/// out of it by themselves. So the price is reviewed once a day against the path that a usual week takes, and what a
/// quiet Sunday leaves pays for Monday. Nothing here knows when a run ends: the same past gives the same plan.

#include "sync/schedule/plan_time.hpp"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace cistern::sync::schedule {

/// What one feed would spend at a price: a visit every sqrt(2 * price * units / value) hours, within its bounds.
/// Units are visits, or bytes when the budget is in bytes.
struct demand {
  double value = 0.0;  // weight * postings an hour
  double units = 1.0;  // one visit costs
  double shortest_gap = 0.0, longest_gap = std::numeric_limits<double>::infinity();
};

/// How strictly spending follows the allowance, in hours of it.
struct allowance_slack {
  double borrowed = 30.0;                                  // that busy days may borrow from the quiet ones of a week
  double saved = std::numeric_limits<double>::infinity();  // that may be saved up; what is above is forfeit
};

class visit_price {
public:
  /// Accrues `units_an_hour` from `start` on (plan hours).
  visit_price(double units_an_hour, double start, allowance_slack slack = {})
      : an_hour_(units_an_hour), from_(start), start_(start), slack_(slack) {
    expected_.fill(1.0F);
  }

  [[nodiscard]] double price() const { return price_; }
  /// Changes the allowance from now on (feeds came or went); what was accrued stays.
  void set_allowance(double units_an_hour, double now);
  /// Units on top of the allowance: the first visit to a new feed is nobody's loss.
  void grant(double units) { granted_ += units; }
  /// How spending usually spreads over the week, relative, before there is any experience.
  void expect_week(std::span<float const, hours_a_week> shape);

  /// `wanted_at`: when the visit was due, had the allowance not held it back. That is what a week usually asks for.
  void spend(double units, double wanted_at);
  /// The first time at which `units` more are covered, or can be borrowed.
  [[nodiscard]] double affordable_at(double units) const;
  [[nodiscard]] bool review_due(double now) const { return now >= std::max(next_review_, start_); }
  /// Brings the next review forward: visits had to wait for the allowance, so the price is too low.
  void review_soon();
  /// `afresh`: the feeds are not those of the last review, so the old price says nothing.
  void review(double now, std::span<demand const> feeds, bool afresh = false);

  /// What was spent and learned, so that a restart neither borrows anew nor starts over. `restore` leaves everything as
  /// it was and says false when the bytes are not ours. An allowance given to the constructor stays.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] bool restore(std::string_view bytes);

private:
  [[nodiscard]] double accrued(double now) const;
  [[nodiscard]] double usual_balance(double now) const;

  double an_hour_, from_, start_;
  allowance_slack slack_;
  double accrued_before_ = 0.0;  // under earlier allowances
  double granted_ = 0.0;
  double spent_ = 0.0, spent_at_review_ = 0.0;
  double price_ = 1.0;
  double next_review_ = -std::numeric_limits<double>::infinity(), last_review_ = 0.0;
  double promised_ = 0.0;  // an hour, at the last review
  double recent_spent_ = 0.0, recent_promised_ = 0.0;
  std::array<double, hours_a_week> week_{};   // units, faded
  std::array<double, hours_a_week> lived_{};  // hours in which they were spent, faded
  std::array<float, hours_a_week> expected_{};
  bool priced_ = false, waited_ = false;
};

}  // namespace cistern::sync::schedule
