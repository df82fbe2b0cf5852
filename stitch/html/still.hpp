#pragma once

/// A page as a picture of itself, for looking at it inside a page of ours: it loads nothing, runs nothing and leads
/// nowhere. Style sheets and pictures that are at hand are put into it; all other addresses go, scripts, frames and
/// forms' targets too. What it cannot find (markup that the parser moved) must be held by the policy it carries, and by
/// the sandbox of the frame that shows it.

#include "stitch/result.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::html {

/// Something a page needs, decoded.
struct still_part {
  std::string type;  // "image/png"
  std::string bytes;
};
using shelf = std::function<std::optional<still_part>(std::string const& url)>;

struct still_options {
  std::string_view page_url = {};
  std::string_view content_type = {};  // as served, for the charset
  std::string_view style = {};         // CSS of ours, behind the page's own
  std::size_t most_parts = 2u << 20;   // bytes put into the page
  std::size_t largest_part = 512u << 10;
};

/// Bytes as served in, UTF-8 out. An error when the page is beyond html/document.hpp's limits.
[[nodiscard]] result<std::string> still(std::string_view bytes, still_options const& options, shelf const& at_hand);

}  // namespace cistern::stitch::html
