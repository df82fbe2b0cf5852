#pragma once

/// When, inside a period, to visit one feed whose posting rate repeats: the scheduling half of Sia and Cho,
/// "Efficient Monitoring Algorithm for Fast News Alerts".

#include <cstddef>
#include <span>
#include <vector>

namespace cistern::sync::schedule {

/// A posting rate that repeats every `period()` hours, constant within each of its equal bins.
/// Everything the search needs is two running integrals, so the delay between any two times costs O(1).
class periodic_rate {
public:
  /// `per_bin`: postings expected in each bin. Negative values count as 0.
  periodic_rate(std::span<double const> per_bin, double bin_hours);

  [[nodiscard]] double period() const { return bin_hours_ * static_cast<double>(rates_.size()); }
  [[nodiscard]] double total() const { return postings_.back(); }
  /// Postings an hour at `t` (hours; any real number).
  [[nodiscard]] double at(double t) const;
  /// Postings expected in [a, b], a <= b.
  [[nodiscard]] double postings(double a, double b) const { return integral(b) - integral(a); }
  /// Hours of delay, summed over the postings of [a, b], when they are collected at b.
  [[nodiscard]] double delay(double a, double b) const;

private:
  [[nodiscard]] double integral(double t) const;
  [[nodiscard]] double double_integral(double t) const;

  double bin_hours_;
  std::vector<double> rates_;     // an hour
  std::vector<double> postings_;  // from 0 to the start of each bin, and at the end
  std::vector<double> area_;      // integral of `postings_`
};

/// Summed delay of one period when the feed is visited at `times` (sorted, within one period) in every period.
[[nodiscard]] double periodic_delay(periodic_rate const& rate, std::span<double const> times);

/// m visits by exhaustive search over the first two points in steps of `step` hours; the others follow from
/// lambda(t_j) * (t_{j+1} - t_j) = integral of lambda from t_{j-1} to t_j, and a start whose points outrun the period
/// or whose delay already exceeds the best is dropped. With one visit this is lambda(t) = mean and falling.
[[nodiscard]] std::vector<double> search_visit_times(periodic_rate const& rate, std::size_t visits,
                                                     double step = 5.0 / 60.0);

/// m visits by iterative refinement: from evenly spaced starts, each point in turn moves to the best place between its
/// neighbours, until none moves. Never worse than the search in our measurements (docs/polling.md) and many times
/// cheaper, so this is what the policies use.
[[nodiscard]] std::vector<double> refine_visit_times(periodic_rate const& rate, std::size_t visits,
                                                     double step = 5.0 / 60.0);

}  // namespace cistern::sync::schedule
