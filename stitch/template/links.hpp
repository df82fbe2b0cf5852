#pragma once

/// Addresses, made comparable: the same item is linked to in many spellings.

#include <string>
#include <string_view>

namespace cistern::stitch::templates {

/// `href` as seen from a page at `base` (RFC 3986 §5.2), without its fragment. Empty when it leads nowhere:
/// javascript:, mailto:, data:.
[[nodiscard]] std::string resolve(std::string_view base, std::string_view href);

/// What two spellings of one item's address have in common: the path, decoded, without doubled or trailing slashes and
/// index.html, and the query without tracking parameters. Scheme and host do not count: feeds are often generated with
/// another host name than the page is served under. Empty for a site's root: that is never an item.
[[nodiscard]] std::string key_of(std::string_view absolute);

[[nodiscard]] std::string_view path_of(std::string_view absolute);  // path, query and fragment, from the first slash

}  // namespace cistern::stitch::templates
