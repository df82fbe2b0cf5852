#include "stitch/css/media.hpp"
#include "stitch/css/references.hpp"
#include "stitch/css/tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Whatever the bytes: tokens follow each other, and every reference lies in the sheet, after the one before it.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch;
  std::string_view const sheet{reinterpret_cast<char const*>(data), size};
  css::tokenizer tokens{sheet};
  std::uint32_t reached = 0;
  for (auto t = tokens.next(); t.kind != css::token_kind::end; t = tokens.next()) {
    if (t.begin < reached || t.end <= t.begin || t.end > size || t.value_end > t.end || t.value_begin > t.value_end)
      std::abort();
    reached = t.end;
    static_cast<void>(tokens.value(t));
  }
  std::uint32_t last = 0;
  for (auto const& r : css::references(sheet)) {
    if (r.begin < last || r.end <= r.begin || r.end > size) std::abort();
    last = r.end;
  }
  static_cast<void>(css::media_matches(sheet, {}));
  static_cast<void>(css::source_size(sheet, {}));
  return 0;
}
