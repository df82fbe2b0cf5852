#pragma once

#include <string>
#include <string_view>

namespace cistern::stitch::css {

/// A style sheet's bytes as UTF-8: byte-order mark, header, @charset, UTF-8 (CSS Syntax §3.2).
[[nodiscard]] std::string as_utf8(std::string_view bytes, std::string_view content_type);

}  // namespace cistern::stitch::css
