#include "proxy/dashboard/line_chart.hpp"

#include "proxy/dashboard/svg_number.hpp"
#include "stitch/entities.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr double width = 720, height = 170, left = 56, right = 24, bottom = 26, top = 12;

}  // namespace

std::string draw_shares(std::vector<chart_point> const& points, std::string const& name) {
  double const room = height - top - bottom;
  auto const y_of = [&](double share) { return svg_number(top + room * (1 - std::clamp(share, 0.0, 1.0))); };
  double const step =
      points.size() > 1 ? (width - left - right) / static_cast<double>(points.size() - 1) : (width - left - right);
  std::string out =
      "<svg class=\"chart\" viewBox=\"0 0 720 170\" role=\"img\" aria-label=\"" + stitch::escape_anywhere(name) + "\">";
  for (int percent : {0, 50, 100}) {
    auto const y = y_of(percent / 100.0);
    out += "<path class=\"grid\" d=\"M" + svg_number(left) + ' ' + y + "H720\"/><text class=\"axis\" x=\"" +
           svg_number(left - 8) + "\" y=\"" + y + "\" dy=\".35em\" text-anchor=\"end\">" + std::to_string(percent) +
           " %</text>";
  }
  std::string path, dots;
  auto const every = std::max<std::size_t>(1, (points.size() + 6) / 7);
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const x =
        svg_number(left + 12 + step * static_cast<double>(i) * (width - left - right - 12) / (width - left - right));
    auto const y = y_of(points[i].share);
    ((((path += i == 0 ? 'M' : 'L') += x) += ' ') += y);
    dots += "<g><title>" + stitch::escape_anywhere(points[i].title) + "</title><circle class=\"dot\" cx=\"" + x +
            "\" cy=\"" + y + "\" r=\"4.5\"/></g>";
    if (i % every == 0)
      dots += "<text class=\"axis\" x=\"" + x + "\" y=\"" + svg_number(height - 6) + "\" text-anchor=\"middle\">" +
              stitch::escape_anywhere(points[i].label) + "</text>";
  }
  return out + "<path class=\"line\" d=\"" + path + "\"/>" + dots + "</svg>";
}

}  // namespace cistern::proxy
