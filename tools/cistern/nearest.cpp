#include "tools/cistern/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cistern::tools {
namespace {

constexpr std::size_t longest = 128;  // the table below is quadratic, and no name of ours is near a longer one

/// Damerau–Levenshtein, adjacent swaps only.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), current(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, current);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, std::vector<std::string> const& known) {
  if (name.size() > longest) return {};
  std::string best;
  auto fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (auto const& candidate : known) {
    auto const count = slips(name, candidate);
    if (count >= fewest) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

}  // namespace cistern::tools
