#include "stitch/template/record_bytes.hpp"

#include <map>

namespace cistern::stitch::templates {

std::string most_common(std::vector<std::string> const& gaps) {
  std::map<std::string, std::size_t> tally;
  for (auto const& g : gaps) ++tally[g];
  std::string best = "\n";
  std::size_t most = 0;
  for (auto const& [g, n] : tally)
    if (n > most) most = n, best = g;
  return best;
}

}  // namespace cistern::stitch::templates
