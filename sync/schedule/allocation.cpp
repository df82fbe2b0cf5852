#include "sync/schedule/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace cistern::sync::schedule {

std::vector<double> uniform_shares(std::size_t feeds, double visits) {
  return std::vector<double>(feeds, feeds == 0 ? 0.0 : visits / static_cast<double>(feeds));
}

std::vector<double> min_delay_shares(std::span<double const> rates, std::span<double const> weights, double visits) {
  std::vector<double> shares(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    shares[i] = std::sqrt(std::max(0.0, rates[i]) * (weights.empty() ? 1.0 : std::max(0.0, weights[i])));
  double const total = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (total <= 0.0) return uniform_shares(rates.size(), visits);
  for (double& share : shares) share *= visits / total;
  return shares;
}

std::vector<std::int64_t> whole_visits(std::span<double const> shares, std::int64_t visits) {
  std::vector<std::int64_t> whole(shares.size());
  std::vector<std::size_t> by_remainder(shares.size());
  std::iota(by_remainder.begin(), by_remainder.end(), std::size_t{0});
  std::vector<double> remainder(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    whole[i] = static_cast<std::int64_t>(std::floor(shares[i]));
    remainder[i] = shares[i] - std::floor(shares[i]);
  }
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  std::int64_t left = visits - std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  for (std::size_t i = 0; i < by_remainder.size() && left > 0; ++i, --left) ++whole[by_remainder[i]];
  return whole;
}

std::vector<std::int64_t> min_missing_visits(std::span<double const> rates, std::span<std::int64_t const> capacities,
                                             std::int64_t visits) {
  struct entry {
    double gain;
    double left;
    std::size_t feed;
    bool operator<(entry const& other) const {
      if (gain != other.gain) return gain < other.gain;
      if (left != other.left) return left < other.left;
      return feed > other.feed;
    }
  };
  std::vector<std::int64_t> given(rates.size(), 0);
  auto const start_over = [&] {
    std::vector<entry> all;
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (rates[i] > 0.0) all.push_back({std::min(static_cast<double>(capacities[i]), rates[i]), rates[i], i});
    return std::priority_queue<entry>{std::less<entry>{}, std::move(all)};
  };
  auto heap = start_over();
  if (heap.empty()) return whole_visits(uniform_shares(rates.size(), static_cast<double>(visits)), visits);
  for (std::int64_t n = 0; n < visits; ++n) {
    if (heap.empty()) heap = start_over();
    entry const best = heap.top();
    heap.pop();
    ++given[best.feed];
    // Rates are averages, so what is left of one can be a rounding error: that is not a posting worth a visit.
    double const left = best.left - best.gain;
    if (left > 1e-9) heap.push({std::min(static_cast<double>(capacities[best.feed]), left), left, best.feed});
  }
  return given;
}

double expected_missing(double rate, std::int64_t capacity, double visits) {
  return std::max(0.0, rate - visits * static_cast<double>(capacity));
}

}  // namespace cistern::sync::schedule
