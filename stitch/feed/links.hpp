#pragma once

#include "stitch/url.hpp"

#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// `html` with the relative addresses in its attributes (href, src, srcset, cite, poster and HTML's older ones) made
/// absolute; empty and fragment-only references and every other byte stay. One pass over tags, no tree: this runs on
/// every field of every item, the sanitiser only on what is shown. When it has grown by `most` the rest is left as it
/// is.
[[nodiscard]] std::string absolute_links(std::string html, url_resolver const& base, std::size_t most);

/// The same for one attribute's decoded value.
[[nodiscard]] std::string absolute_value(std::string_view attribute, std::string_view value, url_resolver const& base,
                                         std::size_t most);

/// Whether this attribute of this element holds an address.
[[nodiscard]] bool holds_address(std::string_view element, std::string_view attribute);

}  // namespace cistern::stitch::feed
