#include "tools/cistern/simulate_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace cistern::tools {
namespace {

constexpr double width = 420.0, height = 280.0, left = 64.0, top = 48.0, between = 110.0;
// Told apart by lightness too, for those who do not see the hues.
constexpr std::array<char const*, 7> colours{"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#000000", "#d55e00"};

std::string text(char const* format, auto... values) {
  std::array<char, 512> out{};
  std::snprintf(out.data(), out.size(), format, values...);
  return out.data();
}

/// One chart: budgets along the bottom, a value up the side.
class chart {
public:
  chart(double x, std::string title, std::vector<lab_row> const& rows, double (*value)(lab_row const&))
      : x_(x), title_(std::move(title)), rows_(rows), value_(value) {
    for (auto const& row : rows) {
      most_visits_ = std::max(most_visits_, row.visits_a_feed_a_day);
      most_ = std::max(most_, value(row));
    }
    // The highest line (uniform, as a rule) would press the others flat on a plain scale; roots keep 0 at the bottom.
    most_ = std::max(most_, 1e-9);
  }

  [[nodiscard]] std::string draw(std::vector<std::string> const& policies) const {
    std::string svg = text("<text x='%.0f' y='%.0f' font-weight='bold'>%s</text>", x_, top - 16.0, title_.c_str());
    svg += text("<path d='M%.0f %.0fV%.0fH%.0f' fill='none' stroke='#444'/>", x_, top, top + height, x_ + width);
    for (double const share : {0.04, 0.16, 0.36, 0.64, 1.0}) {
      double const y = up(share * most_);
      svg += text("<path d='M%.1f %.1fh%.0f' stroke='#ddd'/>", x_, y, width);
      svg += text("<text x='%.1f' y='%.1f' text-anchor='end'>%.3g</text>", x_ - 6.0, y + 4.0, share * most_);
    }
    std::vector<double> ticks;
    for (auto const& row : rows_) ticks.push_back(row.visits_a_feed_a_day);
    std::sort(ticks.begin(), ticks.end());
    ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
    double free_from = x_ - 1.0;
    for (double const tick : ticks) {
      if (along(tick) < free_from) continue;
      free_from = along(tick) + 26.0;
      svg += text("<text x='%.1f' y='%.1f' text-anchor='middle'>%.3g</text>", along(tick), top + height + 18.0, tick);
    }
    svg += text("<text x='%.1f' y='%.1f' text-anchor='middle'>visits a feed and day</text>", x_ + width / 2.0,
                top + height + 38.0);
    for (std::size_t i = 0; i < policies.size(); ++i) svg += line(policies[i], colours[i % colours.size()]);
    return svg;
  }

private:
  [[nodiscard]] double along(double visits) const { return x_ + width * visits / most_visits_; }
  [[nodiscard]] double up(double value) const { return top + height - height * std::sqrt(value / most_); }

  [[nodiscard]] std::string line(std::string const& policy, char const* colour) const {
    std::vector<std::pair<double, double>> points;
    for (auto const& row : rows_)
      if (row.policy == policy) points.emplace_back(along(row.visits_a_feed_a_day), up(value_(row)));
    std::sort(points.begin(), points.end());
    std::string path;
    std::string dots;
    for (auto const& [x, y] : points) {
      path += text("%s%.1f %.1f", path.empty() ? "M" : "L", x, y);
      dots += text("<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>", x, y, colour);
    }
    return text("<path d='%s' fill='none' stroke='%s' stroke-width='2'/>", path.c_str(), colour) + dots;
  }

  double x_;
  std::string title_;
  std::vector<lab_row> const& rows_;
  double (*value_)(lab_row const&);
  double most_visits_ = 1e-9, most_ = 0.0;
};

}  // namespace

std::string draw_picture(std::vector<lab_row> const& rows) {
  std::vector<std::string> policies;
  for (auto const& row : rows)
    if (std::find(policies.begin(), policies.end(), row.policy) == policies.end()) policies.push_back(row.policy);
  double const second = left + width + between;
  chart const delay{left, "mean delay, minutes", rows, [](lab_row const& row) { return row.result.mean.count(); }};
  chart const missing{second, "missing items, %", rows,
                      [](lab_row const& row) { return row.result.missing_percent(); }};
  double const whole_width = second + width + 150.0;
  std::string svg = text(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f' "
      "font-family='sans-serif' font-size='12'><rect width='100%%' height='100%%' fill='#fff'/>",
      whole_width, top + height + 52.0, whole_width, top + height + 52.0);
  svg += delay.draw(policies) + missing.draw(policies);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    double const y = top + 12.0 + 20.0 * static_cast<double>(i);
    svg += text("<path d='M%.0f %.0fh22' stroke='%s' stroke-width='2'/>", second + width + 24.0, y - 4.0,
                colours[i % colours.size()]);
    svg += text("<text x='%.0f' y='%.0f'>%s</text>", second + width + 52.0, y, policies[i].c_str());
  }
  return svg + "</svg>\n";
}

void write_picture(std::filesystem::path const& file, std::vector<lab_row> const& rows) {
  std::ofstream out{file, std::ios::binary};
  out << draw_picture(rows);
  out.flush();
  if (!out) throw std::runtime_error{"cannot write " + file.string() + ": check the folder and the space left"};
}

}  // namespace cistern::tools
