#pragma once

/// The feeds of a page.

#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::feed {

struct feed_link {
  enum class origin { header, link_element, anchor, guess };
  std::string url;  // absolute
  std::string title;
  std::string type;
  origin from = origin::link_element;
};

struct page_to_search {
  std::string_view bytes;
  std::string_view content_type = {};
  std::string_view base;                            // the page's own address
  std::vector<std::string_view> link_headers = {};  // values of HTTP Link headers (RFC 8288)
};

/// Best first: what the server or the page declares in its order, then links that look like feeds, then, when there is
/// neither, the paths many sites use. Feeds of comments come last among their kind. Each address once.
[[nodiscard]] std::vector<feed_link> discover(page_to_search const& page);

}  // namespace cistern::stitch::feed
