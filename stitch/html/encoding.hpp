#pragma once

#include <string>
#include <string_view>

namespace cistern::stitch::html {

/// The charset label a browser would use for these bytes, lower case: byte order mark, then the HTTP header's
/// charset, then a <meta> in the first 1024 bytes, then UTF-8 when the bytes are valid UTF-8 and windows-1252 when not.
[[nodiscard]] std::string charset_of(std::string_view bytes, std::string_view content_type);

}  // namespace cistern::stitch::html
