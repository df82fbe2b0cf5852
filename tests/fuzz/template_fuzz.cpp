#include "stitch/template/page_template.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// A stored template, damaged: refused, or stitched without a crash.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch;
  auto const t = templates::deserialise({reinterpret_cast<char const*>(data), size});
  if (t && !t->snapshots.empty()) (void)templates::stitch(*t, t->snapshots.back().feeds);
  return 0;
}
