#include "proxy/dashboard/rhythm_chart.hpp"

#include "stitch/entities.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr unsigned left = 48, cell = 28, row = 18, top = 4;

std::string number(unsigned value) { return std::to_string(value); }

std::string two_digits(unsigned hour) { return (hour < 10 ? "0" : "") + number(hour); }

}  // namespace

std::string draw_week(rhythm_facts const& facts, std::string const& name) {
  std::uint64_t most = 1;
  for (auto const& day : facts.posts) most = std::max(most, *std::ranges::max_element(day));
  std::string out = "<svg class=\"chart week\" viewBox=\"0 0 720 152\" role=\"img\" aria-label=\"" +
                    stitch::escape_anywhere(name) + "\">";
  for (unsigned day = 0; day < 7; ++day) {
    auto const y = top + day * row;
    out += "<text class=\"axis\" x=\"" + number(left - 8) + "\" y=\"" + number(y + row / 2) +
           "\" dy=\".35em\" text-anchor=\"end\">" + stitch::escape_anywhere(facts.days[day]) + "</text>";
    for (unsigned hour = 0; hour < 24; ++hour) {
      auto const count = facts.posts[day][hour];
      auto const level = count == 0 ? 0 : 1 + (count * 4 - 1) / most;  // 0 to 4
      week_hour const here{day, hour};
      bool const next = !facts.visits.empty() && facts.visits.front() == here;
      bool const visited = std::ranges::find(facts.visits, here) != facts.visits.end();
      out += "<g><title>" + stitch::escape_anywhere(facts.days[day]) + ' ' + two_digits(hour) + ":00, " +
             std::to_string(count) + ' ' + stitch::escape_anywhere(facts.posts_word) +
             (visited ? ", " + stitch::escape_anywhere(next ? facts.next_word : facts.visit_word) : std::string{}) +
             "</title><rect class=\"level-" + std::to_string(std::min<std::uint64_t>(level, 4)) + "\" x=\"" +
             number(left + hour * cell) + "\" y=\"" + number(y) + "\" width=\"" + number(cell - 2) + "\" height=\"" +
             number(row - 2) + "\" rx=\"3\"/>";
      if (visited)
        out += std::string{"<circle class=\""} + (next ? "visit next" : "visit") + "\" cx=\"" +
               number(left + hour * cell + (cell - 2) / 2) + "\" cy=\"" + number(y + (row - 2) / 2) + "\" r=\"" +
               (next ? "5" : "2.2") + "\"/>";
      out += "</g>";
    }
  }
  for (unsigned hour = 0; hour < 24; hour += 3)
    out += "<text class=\"axis\" x=\"" + number(left + hour * cell + (cell - 2) / 2) +
           "\" y=\"146\" text-anchor=\"middle\">" + two_digits(hour) + "</text>";
  return out + "</svg>";
}

}  // namespace cistern::proxy
