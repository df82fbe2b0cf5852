#include "stitch/template/record_bytes.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace cistern::stitch::templates {
namespace {

// Whether it has words outside of its tags; signs beyond ASCII may be mere dots.
bool says_something(std::string_view markup) {
  char until = 0;  // the end of the tag or the character reference that we are in
  for (char const c : markup) {
    if (until != 0) {
      if (c == until) until = 0;
    } else if (c == '<' || c == '&') {
      until = c == '<' ? '>' : ';';
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string most_common(std::vector<std::string> const& gaps) {
  std::map<std::string, std::size_t> tally;
  for (auto const& g : gaps) ++tally[g];
  std::string best = "\n";
  std::size_t most = 0;
  for (auto const& [g, n] : tally)
    if (n > most) most = n, best = g;
  return best;
}

std::string usual_gap(std::vector<std::string> const& gaps) {
  auto const usual = most_common(gaps);
  if (std::count(gaps.begin(), gaps.end(), usual) > 1 || !says_something(usual)) return usual;
  return usual.substr(0, usual.find_first_not_of(" \t\r\n"));
}

}  // namespace cistern::stitch::templates
