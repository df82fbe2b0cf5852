#pragma once

/// What comes from a feed before anyone sees it: only elements and attributes on a list of harmless ones stay, so that
/// nothing a publisher writes can run, frame, post, restyle the page or call home through a script.
/// Text is never lost: an unknown element goes, what it says stays (scripts, styles and the like go with what is in
/// them). The result is well-formed HTML and the same when sanitised again.

#include <string>
#include <string_view>

namespace cistern::stitch::html {

/// `html` is the inside of an element. What is too large to look at comes back empty.
[[nodiscard]] std::string sanitized(std::string_view html);

/// What it costs to sanitise `html`, in bytes of plain text that would cost as much.
[[nodiscard]] std::size_t sanitizing_work(std::string_view html);

/// Plain text as HTML: a '<' shows as a '<'.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace cistern::stitch::html
