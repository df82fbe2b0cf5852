/// The part of the planner that lays out one feed's coming visits.

#include "sync/schedule/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

constexpr std::size_t cell_count = 96;

/// Cells from the last visit on. When that is in the past, the first ends now: a visit at once is the first choice.
struct cells {
  std::array<float, cell_count> postings{}, ends{};
  std::array<char, cell_count> usable{};
};

double step_for(double horizon, bool fine) {
  constexpr std::array<double, 10> bins{1, 2, 3, 4, 6, 12, 24, 36, 48, 72};  // of five minutes
  double const wanted = horizon / static_cast<double>(cell_count) * minute_bins;
  for (double const b : bins)
    if (b >= 0.8 * wanted || (fine && b >= 6.0)) return b / minute_bins;
  return bins.back() / minute_bins;
}

/// Edges lie on the clock (and so one minute past it, see plan_time.hpp); one that is too near is left out.
double next_edge(double after, double step) {
  double const edge = (std::floor(after / step + 1e-6) + 1.0) * step;
  return edge - after < 0.25 * step ? edge + step : edge;
}

cells foresee(posting_pattern const& pattern, double last_visit, double now, double step) {
  cells c;
  std::size_t first = 0;
  double start = last_visit;
  if (now > last_visit + 1.0 / 3600.0) {
    // Summed hour by hour, because the level fades within it.
    std::array<float, cell_count> past{};
    double const hour = std::max(1.0, (now - last_visit) / static_cast<double>(cell_count));
    auto const whole = static_cast<std::size_t>((now - last_visit) / hour);
    pattern.expect(last_visit, now - static_cast<double>(whole) * hour, hour,
                   std::span{past}.first(whole + 1 > cell_count ? cell_count : whole + 1));
    for (float const x : past) c.postings[0] += x;
    c.ends[0] = static_cast<float>(now - last_visit);
    first = 1;
    start = now;
  }
  double const edge = next_edge(start, step);
  pattern.expect(start, edge, step, std::span{c.postings}.subspan(first));
  for (std::size_t j = first; j < cell_count; ++j)
    c.ends[j] = static_cast<float>(edge - last_visit + static_cast<double>(j - first) * step);
  return c;
}

}  // namespace

void planner::plan(feed_id id, double now) {
  review_price(now);
  auto& feed = feeds_[id];
  visit_terms const terms{.price = price_.price() * units(feed),
                          .weight = feed.facts.weight,
                          .lost_item = tuning::lost_item,
                          .capacity = static_cast<double>(std::max<std::int64_t>(1, feed.facts.capacity)),
                          .burst = feed.pattern.burst(),
                          .longest_gap = longest_gap_};
  double const value = std::max(1e-6, feed.pattern.rate() * feed.facts.weight);
  double const usual = std::sqrt(2.0 * terms.price / value);
  bool const link_matters = link_.comes_and_goes();
  double const at_least = link_matters ? 48.0 : tuning::look_ahead_at_least;
  double const horizon =
      std::min(std::max(tuning::look_ahead * usual, at_least), std::max(1.4 * longest_gap_, at_least));
  auto c = foresee(feed.pattern, feed.last_visit, now, step_for(horizon, link_matters));

  // Hints hold back a reader who could have come at any time, not one whom the link kept away.
  double const floor = std::max(feed.not_before, feed.last_visit + hours_of(options_.shortest_gap));
  double const hinted =
      came_up_ ? floor : std::max(floor, to_plan(earliest_by_hints(feed.facts.hints, from_plan(feed.last_visit))));
  bool const skips = !came_up_ && (feed.facts.hints.skip_hours.any() || feed.facts.hints.skip_days.any());
  std::size_t first_usable = cell_count;
  for (std::size_t j = 0; j < cell_count; ++j) {
    double const at = feed.last_visit + static_cast<double>(c.ends[j]);
    bool usable = at >= hinted - 1e-6 && at > feed.last_visit;
    if (usable && link_matters) usable = (up_ && at <= now + 1e-6) || link_.usually_up(at);
    if (usable && skips) usable = !skipped(feed.facts.hints, from_plan(at));
    c.usable[j] = usable ? 1 : 0;
    if (usable && first_usable == cell_count) first_usable = j;
  }
  if (first_usable == cell_count) {  // held back beyond the horizon
    feed.choice = {};
    feed.due = std::max(hinted, now);
    feed.because = hinted > floor ? reason::hint : reason::floor;
    return enqueue(id);
  }
  feed.choice = choose_visit({c.postings, c.ends, c.usable}, terms);
  double const gap = static_cast<double>(c.ends[feed.choice.cell]);
  double const bound = feed.last_visit + longest_gap_;
  feed.due = std::max(feed.last_visit + gap, now);
  feed.because = reason::gain;
  if (feed.choice.expected_lost * terms.lost_item * terms.weight > 0.3 * terms.price) feed.because = reason::loss;
  if (gap + step_for(horizon, link_matters) > longest_gap_) feed.because = reason::longest_gap;
  if (feed.choice.cell == first_usable && hinted > now) feed.because = hinted > floor ? reason::hint : reason::floor;
  if (!link_matters && feed.due > bound && hinted < bound) feed.due = std::max(now, bound);
  enqueue(id);
}

}  // namespace cistern::sync::schedule
