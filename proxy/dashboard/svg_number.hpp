#pragma once

#include <cstdio>
#include <string>

namespace cistern::proxy {

/// A place or a length in a drawing: a tenth of a unit is as fine as anybody sees.
[[nodiscard]] inline std::string svg_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace cistern::proxy
