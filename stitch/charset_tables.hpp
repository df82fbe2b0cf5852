#pragma once

/// Charsets of the web that iconv does not have.

#include <array>
#include <string_view>

namespace cistern::stitch {

/// What the bytes from 0x80 on mean.
using high_half = std::array<char16_t, 128>;

/// nullptr when iconv has to know the encoding.
[[nodiscard]] high_half const* table_of(std::string_view encoding);

}  // namespace cistern::stitch
