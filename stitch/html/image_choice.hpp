#pragma once

/// Which file of an <img> or <picture> a browser with a given screen asks for.

#include "stitch/css/media.hpp"
#include "stitch/html/document.hpp"

#include <string>
#include <vector>

namespace cistern::stitch::html {

struct image_choice {
  std::string needed;       // not resolved; what is shown in the end
  std::string placeholder;  // what is shown until a script has put the real one there, if there is such a thing
};

/// `image` is an <img>. Of `srcset` (the <picture>'s first usable <source>'s, else its own) the smallest candidate
/// that is wide enough, `enough` CSS pixels being enough for anything; data- attributes stand before the standard
/// ones, because a script will put them there.
[[nodiscard]] image_choice chosen_image(document const& page, node_id image, css::screen const& screen, double enough);

/// The smallest candidate of a srcset that is wide enough, empty when there is none.
[[nodiscard]] std::string chosen_candidate(std::string_view srcset, std::string_view sizes, css::screen const& screen,
                                           double enough);

/// Has a width or height that makes it invisible: a counter, not a picture.
[[nodiscard]] bool is_one_pixel(document const& page, node_id image);

}  // namespace cistern::stitch::html
