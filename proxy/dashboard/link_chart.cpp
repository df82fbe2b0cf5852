#include "proxy/dashboard/link_chart.hpp"

#include "proxy/dashboard/svg_number.hpp"
#include "stitch/entities.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr double width = 720, narrowest = 2;  // a short outage is still seen

}  // namespace

std::string draw_link(std::vector<link_span> const& spans, std::string const& name) {
  std::string out =
      "<svg class=\"link-strip\" viewBox=\"0 0 720 14\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" +
      stitch::escape_anywhere(name) + "\">";
  if (spans.empty()) return out + "</svg>";
  auto const first = spans.front().from;
  auto const whole = std::max<double>(1, static_cast<double>((spans.back().until - first).count()));
  for (auto const& span : spans) {
    auto const x = width * static_cast<double>((span.from - first).count()) / whole;
    auto const wide = std::max(narrowest, width * static_cast<double>((span.until - span.from).count()) / whole);
    out += "<g><title>" + stitch::escape_anywhere(span.title) + "</title><rect class=\"was-" +
           stitch::escape_anywhere(span.style) + "\" x=\"" + svg_number(std::min(x, width - wide)) + "\" width=\"" +
           svg_number(wide) + "\" height=\"14\"/></g>";
  }
  return out + "</svg>";
}

}  // namespace cistern::proxy
