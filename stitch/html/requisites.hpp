#pragma once

/// What a page needs to look right, in the order in which it matters.
///
/// | kind   | required | what                                                                                        |
/// |--------|----------|---------------------------------------------------------------------------------------------|
/// | style  | yes      | style sheets that the screen uses, and what they import                                     |
/// | image  | yes      | of each picture the one the screen would ask for; also where scripts would load it later    |
/// | image  | no       | backgrounds from styles, placeholders, pictures for readers without scripts                 |
/// | poster | yes      | what stands for a video                                                                     |
/// | next   | no       | the following pages of the same text (`rel=next`); how many is the caller's limit           |
/// | script | no       | a page without its scripts still reads                                                      |
/// | font   | no       | a page in another typeface still reads; of one font the best format, Latin before the rest  |
/// | frame  | no       | on the same site only: others are players, adverts and comments                             |
/// | icon   | no       | one: the one nearest to 32 pixels                                                           |
///
/// Audio, video and whatever is linked are not requisites. Images of one pixel never are, nor is what the blocklist
/// says. The result has each address once, without fragments, at its most important; it is bounded.

#include "stitch/css/media.hpp"
#include "stitch/html/blocklist.hpp"
#include "stitch/html/document.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::html {

enum class requisite_kind : std::uint8_t { style, image, poster, next_page, script, font, frame, icon };

struct requisite {
  std::string url;
  requisite_kind kind = requisite_kind::image;
  bool required = false;
};

struct requisite_options {
  css::screen screen = {};                            // what pictures and style sheets are chosen for
  double image_width = 1280;                          // CSS pixels that are enough for any picture
  blocklist const* blocked = &blocklist::standard();  // null: nothing is blocked
  std::size_t most = 2'000;
};

/// Of a page that was served at `page_url`.
[[nodiscard]] std::vector<requisite> requisites(document const& page, std::string_view page_url,
                                                requisite_options const& options = {});

/// Of a style sheet that was served at `sheet_url` for a page at `page_url`. `bytes` as served.
[[nodiscard]] std::vector<requisite> requisites_of_style(std::string_view bytes, std::string_view content_type,
                                                         std::string_view sheet_url, std::string_view page_url,
                                                         requisite_options const& options = {});

}  // namespace cistern::stitch::html
