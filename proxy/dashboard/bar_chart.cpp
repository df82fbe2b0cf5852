#include "proxy/dashboard/bar_chart.hpp"

#include "proxy/dashboard/svg_number.hpp"
#include "proxy/status_page.hpp"
#include "stitch/entities.hpp"

#include <algorithm>
#include <cmath>

namespace cistern::proxy {
namespace {

constexpr double width = 720, height = 220, left = 64, bottom = 24, top = 8;

std::uint64_t sum(bar const& b) {
  std::uint64_t out = 0;
  for (auto const& part : b.parts) out += part.value;
  return out;
}

/// 1, 2 or 4 times a power of two above the largest: bytes are counted in twos.
std::uint64_t ceiling(std::uint64_t largest) {
  std::uint64_t out = 1024;
  while (out < largest && out < (1ull << 60)) out *= 2;
  return out;
}

}  // namespace

std::string draw_bars(std::vector<bar> const& bars, std::string const& name) {
  std::uint64_t largest = 0;
  for (auto const& b : bars) largest = std::max(largest, sum(b));
  auto const full = ceiling(largest);
  double const room = height - top - bottom;
  double const step = (width - left) / static_cast<double>(std::max<std::size_t>(1, bars.size()));
  std::string out =
      "<svg class=\"chart\" viewBox=\"0 0 720 220\" role=\"img\" aria-label=\"" + stitch::escape_anywhere(name) + "\">";
  for (int i = 0; i <= 2; ++i) {
    auto const y = svg_number(top + room * i / 2);
    out += "<path class=\"grid\" d=\"M" + svg_number(left) + ' ' + y + "H720\"/><text class=\"axis\" x=\"" +
           svg_number(left - 8) + "\" y=\"" + y + "\" dy=\".35em\" text-anchor=\"end\">" +
           stitch::escape_anywhere(readable_bytes(full - full / 2 * static_cast<std::uint64_t>(i))) + "</text>";
  }
  auto const every = std::max<std::size_t>(1, (bars.size() + 7) / 8);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    double const x = left + step * static_cast<double>(i);
    double y = height - bottom;
    out += "<g><title>" + stitch::escape_anywhere(bars[i].title) + "</title>";
    for (auto const& part : bars[i].parts) {
      double const tall = room * static_cast<double>(part.value) / static_cast<double>(full);
      if (part.value == 0) continue;
      y -= tall;
      out += "<rect class=\"" + stitch::escape_anywhere(part.style) + "\" x=\"" + svg_number(x + step * .12) +
             "\" y=\"" + svg_number(y) + "\" width=\"" + svg_number(step * .76) + "\" height=\"" + svg_number(tall) +
             "\"/>";
    }
    if (i % every == 0 && bars[i].day.size() > 5)
      out += "<text class=\"axis\" x=\"" + svg_number(x + step / 2) +
             "\" y=\"214\" text-anchor=\"middle\" data-date=\"" + stitch::escape_anywhere(bars[i].day) + "\">" +
             stitch::escape_anywhere(bars[i].day.substr(5)) + "</text>";
    out += "</g>";
  }
  return out + "</svg>";
}

}  // namespace cistern::proxy
