#pragma once

/// What is known of one feed's postings, and what it says about the hours to come. Learns only from what a visit shows.
///
/// rate(t) = level(t) * week(t) * minute(t)
/// - week: a blend of five shapes (shared with all feeds, flat, smooth and sharp hours by days, hour of the week). How
///   much each counts is learned by how well it foretold each posting before that posting was counted.
/// - minute: likewise, a blend of shared, flat and own five-minute bins of the hour.
/// - level: five memories from weeks to hours, each shrunk towards the slower one, fading back to it as time goes by.
///   A burst raises the fast ones, silence lowers them.
/// Hours that nobody watched (a window that turned over between two visits) are not counted as silent: what a feed
/// shows after a long gap is only its newest items, and taking those for all would teach it that it posts before
/// visits.
///
/// A value; times are plan hours (plan_time.hpp).

#include "sync/schedule/rhythm.hpp"
#include "sync/schedule/tuning.hpp"

namespace cistern::sync::schedule {

class posting_pattern {
public:
  /// Nothing known; watched from `now` on.
  explicit posting_pattern(double now = 0.0);

  /// Watched without a gap from `from` to `now`, and saw exactly `postings` (sorted). `from` may be later than the last
  /// time learned from: what lies between is unknown.
  void learn(std::span<double const> postings, double from, double now, shared_rhythm const& shared);

  /// Postings expected in each cell: [from, first_edge), then steps of `step` hours. The edges are multiples of five
  /// minutes, or of one hour when `step` is.
  void expect(double from, double first_edge, double step, std::span<float> cells) const;

  /// Postings an hour, by the memory of about ten days.
  [[nodiscard]] double rate() const { return level_[1]; }
  /// Relative rate of an hour of the week; the mean is 1.
  [[nodiscard]] float week(int hour) const { return week_[static_cast<std::size_t>(hour)]; }
  /// Variance of a count with mean m is m + burst * m^2.
  [[nodiscard]] double burst() const;
  /// How far the last hours differ from the usual: 1 is as usual.
  [[nodiscard]] double mood() const { return level_[3] / level_[1]; }
  /// Postings that count for something still.
  [[nodiscard]] double evidence() const { return seen_[0]; }
  [[nodiscard]] double learned_until() const { return at_; }

  [[nodiscard]] std::string state() const;
  [[nodiscard]] bool restore(std::string_view bytes, shared_rhythm const& shared);

private:
  static constexpr std::size_t levels = tuning::level_memory.size();
  static constexpr std::size_t shapes = tuning::shape_belief.size();
  static constexpr std::size_t minute_shapes = tuning::minute_belief.size();

  struct nothing_known {};
  explicit posting_pattern(nothing_known);
  [[nodiscard]] std::array<float, shapes> shapes_at(int hour, shared_rhythm const& shared) const;
  [[nodiscard]] std::array<float, minute_shapes> minute_shapes_at(int bin, shared_rhythm const& shared) const;
  void judge_shapes(std::span<double const> postings, double gap, shared_rhythm const& shared);
  void judge_burst(std::span<double const> postings, double from, double now);
  void count(std::span<double const> postings, double from, double now);
  void follow_level(std::span<double const> postings, double from, double now);
  void set_levels();
  [[nodiscard]] double hourly_shape(double from, double to) const;
  [[nodiscard]] double fine_shape(double from, double to) const;
  void reshape(shared_rhythm const& shared);
  void reshape_minutes(shared_rhythm const& shared);

  // What is remembered: this is what `state` keeps.
  double at_ = 0.0;
  std::array<float, hours_a_week> counts_{};
  std::array<float, hours_a_week> watched_{};  // hours
  std::array<float, minute_bins> minute_counts_{};
  std::array<double, shapes> shape_credit_ = tuning::shape_belief;
  std::array<double, minute_shapes> minute_credit_ = tuning::minute_belief;
  std::array<double, levels> seen_{};     // postings, faded
  std::array<double, levels> exposed_{};  // hours weighted by the week's shape, faded
  double burst_excess_ = 0.0, burst_scale_ = 0.0;

  // What follows from it.
  double reshaped_ = -1e9;
  std::array<double, levels> level_{};
  std::array<float, hours_a_week> week_{}, own_week_{};
  std::array<float, hours_a_day> smooth_{}, sharp_{};
  std::array<float, 7> day_{};
  std::array<float, minute_bins> minute_{}, own_minute_{};
};

}  // namespace cistern::sync::schedule
