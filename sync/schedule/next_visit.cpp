#include "sync/schedule/next_visit.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace cistern::sync::schedule {
namespace {

/// Node 0 is the last visit, node j the end of cell j - 1.
struct layout {
  std::size_t nodes = 0;
  std::array<float, max_cells + 1> time{}, postings{}, delay{}, onward{};
  std::array<char, max_cells + 1> usable{};
};

/// The cost of what is lost, in 256 steps of the postings gathered: asked for hundreds of times in one layout, of which
/// few steps are ever reached, so each is worked out when first asked for.
class lost_table {
public:
  lost_table(visit_terms const& terms, float most)
      : terms_(terms), most_(static_cast<double>(most)), per_posting_(most > 0.0F ? steps / most : 0.0F) {
    active_ = terms.lost_item > 0.0 && most_ > 0.3 * terms.capacity;
    if (active_) cost_.fill(unknown);
  }
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] float operator()(float mean) {
    auto const step = static_cast<std::size_t>(mean * per_posting_);
    if (cost_[step] == unknown) cost_[step] = work_out(step);
    return cost_[step];
  }

private:
  [[nodiscard]] float work_out(std::size_t step) const {
    double const mean = static_cast<double>(step) * most_ / steps;
    return static_cast<float>(terms_.weight * terms_.lost_item * expected_lost(mean, terms_.capacity, terms_.burst));
  }

  static constexpr int steps = 256;
  static constexpr float unknown = -1.0F;
  std::array<float, steps + 2> cost_;
  visit_terms const& terms_;
  double most_;
  float per_posting_;
  bool active_;
};

layout lay_out(visit_outlook const& outlook, double weight) {
  layout l;
  l.nodes = std::min(outlook.postings.size(), max_cells) + 1;
  l.usable[0] = 1;
  for (std::size_t j = 1; j < l.nodes; ++j) {
    l.time[j] = outlook.ends[j - 1];
    l.usable[j] = outlook.usable.empty() ? 1 : outlook.usable[j - 1];
    l.postings[j] = l.postings[j - 1] + outlook.postings[j - 1];
    float const waiting = 0.5F * (l.postings[j - 1] + l.postings[j]);
    l.delay[j] = l.delay[j - 1] + static_cast<float>(weight) * waiting * (l.time[j] - l.time[j - 1]);
  }
  return l;
}

}  // namespace

double expected_lost(double mean, double capacity, double burst) {
  double const deviation = std::sqrt(mean + burst * mean * mean) + 1e-3;
  double const z = (mean - capacity) / deviation;
  if (z < -4.0) return 0.0;
  constexpr double logistic = 1.702;  // the logistic curve nearest to the normal one, whose integral is elementary
  return deviation / logistic * std::log1p(std::exp(logistic * z));
}

visit_choice choose_visit(visit_outlook const& outlook, visit_terms const& terms) {
  assert(!outlook.postings.empty() && outlook.postings.size() == outlook.ends.size());
  auto l = lay_out(outlook, terms.weight);
  std::size_t const last = l.nodes - 1;
  float const most = l.postings[last];
  lost_table lost{terms, most};
  auto const price = static_cast<float>(terms.price);
  auto const weight = static_cast<float>(terms.weight);
  auto const longest = static_cast<float>(terms.longest_gap);

  // Beyond the horizon an hour costs what the best even spacing would: sqrt(2 * price * weight * rate).
  float const rate = std::max(1e-6F, most / l.time[last]);
  float const an_hour = std::sqrt(2.0F * price * weight * rate);
  auto const horizon = std::max<std::size_t>(1, l.nodes * 7 / 10);
  for (std::size_t j = horizon; j <= last; ++j) l.onward[j] = -an_hour * l.time[j];

  constexpr float never = std::numeric_limits<float>::infinity();
  for (std::size_t j = 1; j <= last; ++j)
    if (!l.usable[j]) l.onward[j] = never;

  // The best next visit never comes sooner when the one before it comes later (both costs grow faster than the gap), so
  // what was best from a later node bounds the search from an earlier one.
  std::size_t best = last;
  for (std::size_t i = horizon; i-- > 0;) {
    if (!l.usable[i]) continue;
    std::size_t first = i + 1;
    while (first <= best && !l.usable[first]) ++first;
    while (best > first && l.time[best] > l.time[i] + longest) --best;  // the first counts even when it is too late
    float const gathered = weight * l.postings[i];
    float least = never;
    std::size_t choice = 0;
    for (std::size_t j = first; j <= best; ++j) {
      float cost = l.delay[j] - gathered * l.time[j] + l.onward[j];
      if (cost < least && lost.active()) cost += lost(l.postings[j] - l.postings[i]);
      if (cost >= least) continue;
      least = cost;
      choice = j;
    }
    if (choice == 0) {  // nothing usable ahead: as if the horizon were reached here
      l.onward[i] = -an_hour * l.time[i];
      choice = last;
    } else {
      l.onward[i] = least - l.delay[i] + gathered * l.time[i] + price;
    }
    best = choice;
  }
  double const expected = static_cast<double>(l.postings[best]);
  return {best - 1, expected, expected_lost(expected, terms.capacity, terms.burst)};
}

}  // namespace cistern::sync::schedule
