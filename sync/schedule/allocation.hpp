#pragma once

/// How many visits each feed gets out of M: the allocation half of the published policies.
/// All of these are frozen plans made from mean rates; `planner` is what learns and re-plans.

#include <cstdint>
#include <span>
#include <vector>

namespace cistern::sync::schedule {

/// The same share for every feed.
[[nodiscard]] std::vector<double> uniform_shares(std::size_t feeds, double visits);

/// Sia and Cho: m_i = k * sqrt(w_i * lambda_i) with the sum of m_i = M. `weights` may be empty (all 1).
/// When no feed has a rate the shares are uniform: something has to be visited to learn anything.
[[nodiscard]] std::vector<double> min_delay_shares(std::span<double const> rates, std::span<double const> weights,
                                                   double visits);

/// Whole numbers that sum to `visits` and stay within one of the shares (largest remainder, ties to the earlier feed).
[[nodiscard]] std::vector<std::int64_t> whole_visits(std::span<double const> shares, std::int64_t visits);

/// Han et al.: M times a visit to the feed with the largest postings per aggregation PPA = min(S_i, TP_i), TP_i reduced
/// by it; when every TP is 0, start over. A heap makes it O((n + M) log n). Equal PPA go to the feed with more postings
/// left, then to the earlier one, as in their table 3.
[[nodiscard]] std::vector<std::int64_t> min_missing_visits(std::span<double const> rates,
                                                           std::span<std::int64_t const> capacities,
                                                           std::int64_t visits);

/// Postings lost when `visits` visits, evenly spread, meet a rate of `rate` postings a period: max(0, rate - visits*S).
[[nodiscard]] double expected_missing(double rate, std::int64_t capacity, double visits);

}  // namespace cistern::sync::schedule
