#pragma once

/// When to visit one feed next, given what is expected of it and what a visit is worth.
///
/// The objective, per feed: weight * (hours of delay summed over its postings + `lost_item` hours for each posting that
/// falls out of its window) + price for each visit. The price is the same for all feeds (`visit_price`), so at the best
/// plan no visit would save more on another feed: that is planning by marginal gain, one feed at a time.
/// Solved by laying out the visits of the next few gaps backwards (dynamic programming over the cells of the forecast)
/// and keeping only the first: after that visit more is known and the rest is laid out anew.

#include <cstddef>
#include <span>

namespace cistern::sync::schedule {

/// What is expected of a feed since its last visit, cell by cell.
struct visit_outlook {
  std::span<float const> postings;  // expected in each cell
  std::span<float const> ends;      // hours from the last visit to the end of each cell, rising: where a visit can be
  std::span<char const> usable;     // may a visit be made at the end of this cell? Empty: everywhere
};

struct visit_terms {
  double price = 1.0;  // hours of delay a visit must save
  double weight = 1.0;
  double lost_item = 2.0;     // hours of delay that losing an item equals
  double capacity = 15.0;     // S
  double burst = 0.3;         // variance of a count is mean + burst * mean^2
  double longest_gap = 42.0;  // hours
};

struct visit_choice {
  std::size_t cell = 0;       // visit at the end of this cell
  double expected_new = 0.0;  // postings by then
  double expected_lost = 0.0;
};

/// Expected number lost when a count with mean `mean` meets a window of `capacity`: E[(N - S)+], N about normal.
[[nodiscard]] double expected_lost(double mean, double capacity, double burst);

/// At most `max_cells` cells. When no cell within `longest_gap` is usable, the first usable one, else the last.
inline constexpr std::size_t max_cells = 128;
[[nodiscard]] visit_choice choose_visit(visit_outlook const& outlook, visit_terms const& terms);

}  // namespace cistern::sync::schedule
