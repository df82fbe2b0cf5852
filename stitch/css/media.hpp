#pragma once

/// Would a reader's browser use this? Media queries and the `sizes` of images, judged for one screen, so that a page
/// brings along the style sheets and image sizes that screen will ask for and no others.

#include <string_view>

namespace cistern::stitch::css {

/// The screen that things are fetched for.
struct screen {
  double width = 1280, height = 800;  // CSS pixels
  double density = 1;                 // device pixels to a CSS pixel
};

/// Whether one query of the list holds. An empty list holds; what is not understood does not (Media Queries 4, §3.2).
[[nodiscard]] bool media_matches(std::string_view list, screen const& on);

/// How wide an image with this `sizes` attribute is shown, in CSS pixels: the first size whose condition holds, the
/// screen's width when none is given or it is more than a length.
[[nodiscard]] double source_size(std::string_view sizes, screen const& on);

}  // namespace cistern::stitch::css
