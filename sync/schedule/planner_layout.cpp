/// The part of the planner that lays out one feed's coming visits.

#include "sync/schedule/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

constexpr std::size_t cell_count = 72;
constexpr double a_moment = 1.0 / 3600.0;

/// Cells from the last visit on. When that is in the past, the first ends now: a visit at once is the first choice.
struct cells {
  std::array<float, cell_count> postings{}, ends{};
  std::array<char, cell_count> usable{};
};

double step_for(double horizon) {
  constexpr std::array<double, 10> bins{1, 2, 3, 4, 6, 12, 24, 36, 48, 72};  // of five minutes
  double const wanted = horizon / static_cast<double>(cell_count) * minute_bins;
  for (double const b : bins)
    if (b >= 0.8 * wanted) return b / minute_bins;
  return bins.back() / minute_bins;
}

/// Postings expected in [from, to): summed hour by hour, because the level fades within it.
float expected_between(posting_pattern const& pattern, double from, double to) {
  std::array<float, cell_count> parts{};
  double const hour = std::max(1.0, (to - from) / static_cast<double>(cell_count));
  auto const count =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil((to - from) / hour - 1e-9)), 1, cell_count);
  pattern.expect(from, to - static_cast<double>(count - 1) * hour, hour, std::span{parts}.first(count));
  float sum = 0.0F;
  for (float const x : parts) sum += x;
  return sum;
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
    c.postings[0] = expected_between(pattern, last_visit, now);
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

/// With a link that comes and goes only the times it is usually up can be chosen, so all cells are spent on those.
cells foresee_windows(posting_pattern const& pattern, link_hours const& link, double last_visit, double now) {
  constexpr double bin = 1.0 / minute_bins;
  cells c;
  std::size_t j = 0;
  double start = last_visit;
  auto const end_cell = [&](double edge) {
    c.postings[j] = expected_between(pattern, start, edge);
    c.ends[j] = static_cast<float>(edge - last_visit);
    start = edge;
    ++j;
  };
  if (now > last_visit + 1.0 / 3600.0) end_cell(now);
  while (j < cell_count) {
    double edge = (std::floor(start / bin + 1e-6) + 1.0) * bin;
    if (!link.usually_up(edge + 1e-6)) edge = link.usual_start(edge + 1e-6);
    end_cell(edge);
  }
  return c;
}

}  // namespace

void planner::plan(feed_id id, double now) {
  review_price(now);
  lay_out(feeds_[id], now);
  enqueue(id);
}

std::vector<sys_seconds> planner::visits_ahead(feed_id id, sys_seconds now, visits_wanted wanted) const {
  std::vector<sys_seconds> out;
  auto feed = feeds_[id];  // what follows is supposed, not learned
  double const end = to_plan(wanted.until);
  for (double at = std::max({feed.due, to_plan(now), to_plan(wanted.not_before)}); at < end; at = feed.due) {
    out.push_back(from_plan(at));
    if (out.size() == wanted.most) break;
    feed.last_visit = at;
    feed.visited = true;
    feed.not_before = at + hours_of(wanted.apart);
    lay_out(feed, at);
    feed.due = std::max(feed.due, at + a_moment);
  }
  return out;
}

void planner::lay_out(feed_entry& feed, double now) const {
  visit_terms const terms{.price = price_.price() * units(feed),
                          .weight = feed.facts.weight,
                          .lost_item = tuning::lost_item,
                          .capacity = capacity_of(feed),
                          .burst = feed.pattern.burst(),
                          .longest_gap = longest_gap()};
  double const value = std::max(1e-6, feed.pattern.rate() * feed.facts.weight);
  double const usual = std::sqrt(2.0 * terms.price / value);
  bool const link_matters = link_.comes_and_goes();
  double const longest_look = std::max(1.4 * longest_gap(), tuning::look_ahead_at_least);
  double const horizon = std::clamp(tuning::look_ahead * usual, tuning::look_ahead_at_least, longest_look);
  double const step = step_for(horizon);
  auto c = link_matters ? foresee_windows(feed.pattern, link_, feed.last_visit, now)
                        : foresee(feed.pattern, feed.last_visit, now, step);

  // Hints hold back a reader who could have come at any time, not one whom the link kept away.
  double const floor = std::max(feed.not_before, feed.last_visit + hours_of(options_.shortest_gap));
  double const hinted =
      came_up_ ? floor : std::max(floor, to_plan(earliest_by_hints(feed.facts.hints, from_plan(feed.last_visit))));
  bool const skips = !came_up_ && (feed.facts.hints.skip_hours.any() || feed.facts.hints.skip_days.any());
  std::size_t first_usable = cell_count;
  for (std::size_t j = 0; j < cell_count; ++j) {
    double const at = feed.last_visit + static_cast<double>(c.ends[j]);
    bool usable = at >= hinted - 1e-6 && at > feed.last_visit;
    if (usable && !up_) usable = at > now + 1e-6;
    if (usable && skips) usable = !skipped(feed.facts.hints, from_plan(at));
    c.usable[j] = usable ? 1 : 0;
    if (usable && first_usable == cell_count) first_usable = j;
  }
  if (first_usable == cell_count) {  // held back beyond the horizon
    feed.choice = {};
    feed.due = std::max(hinted, now);
    feed.because = hinted > floor ? reason::hint : reason::floor;
    return;
  }
  feed.choice = choose_visit({c.postings, c.ends, c.usable}, terms);
  double const gap = static_cast<double>(c.ends[feed.choice.cell]);
  double const bound = feed.last_visit + longest_gap();
  feed.due = std::max(feed.last_visit + gap, now);
  feed.because = reason::gain;
  if (feed.choice.expected_lost * terms.lost_item * terms.weight > 0.3 * terms.price) feed.because = reason::loss;
  if (gap + step > longest_gap()) feed.because = reason::longest_gap;
  if (feed.choice.cell == first_usable && hinted > now) feed.because = hinted > floor ? reason::hint : reason::floor;
  if (!link_matters && feed.due > bound && hinted < bound) feed.due = std::max(now, bound);
}

}  // namespace cistern::sync::schedule
