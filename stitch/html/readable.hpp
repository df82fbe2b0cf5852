#pragma once

/// What a person reads on a page, as plain text: for the search index. Scripts, styles and hidden parts are left out,
/// and so is what every page of a site repeats around the article (navigation, headers, footers, forms), unless nothing
/// else is left.

#include "stitch/html/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace cistern::stitch::html {

struct readable_page {
  std::string title{};  // one line
  std::string text{};   // a line for each block
};

/// At most `most` bytes of text, cut between characters.
[[nodiscard]] readable_page readable(document const& page, std::size_t most);

/// Of HTML that is the inside of an element, as feeds carry it. What is too large to look at comes back empty.
[[nodiscard]] std::string readable_text(std::string_view html, std::size_t most);

}  // namespace cistern::stitch::html
