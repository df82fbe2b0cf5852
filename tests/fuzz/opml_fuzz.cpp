#include "stitch/feed/opml.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// What was read and written again reads the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch::feed;
  auto const first = parse_opml({reinterpret_cast<char const*>(data), size});
  if (!first) return 0;
  static_cast<void>(subscriptions(*first));
  auto const again = parse_opml(write_opml(*first));
  if (!again || again->outlines != first->outlines) std::abort();
  return 0;
}
