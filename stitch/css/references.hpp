#pragma once

/// What a style sheet points at: imports, fonts, images and cursors, each with the bytes that name it.
/// Understands @import with a string or an address, url() with and without quotes, src(), and the bare strings of
/// image-set(). Addresses that nothing is fetched from (@namespace, @document) are left out.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::css {

enum class reference_kind : std::uint8_t { import, font, image, cursor };

struct reference {
  reference_kind kind = reference_kind::image;
  std::string written;               // the address as the sheet means it: decoded, not resolved
  std::uint32_t begin = 0, end = 0;  // the whole of `url(...)`, or of the string with its quotes
  bool bare_url = false;             // stands as url(...) without quotes
  std::string_view condition = {};   // import: what follows the address (layer, supports, media), as written
  std::uint32_t group = 0;  // font: sources with the same number stand for the same font, the first usable wins
  std::string format = {};  // font: format(...), lower case, when it is said
  bool latin = true;        // font: its unicode-range has 'A', or there is none
};

struct limits {
  std::size_t size = 8u << 20;  // bytes looked at
  std::size_t references = 20'000;
};

/// `sheet` is UTF-8: a whole style sheet, or the declarations of a style attribute. Conditions are views of it.
[[nodiscard]] std::vector<reference> references(std::string_view sheet, limits const& limits = {});

}  // namespace cistern::stitch::css
