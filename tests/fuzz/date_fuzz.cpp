#include "stitch/feed/date.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// A date that was read is written so that it reads the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch::feed;
  auto const time = parse_date({reinterpret_cast<char const*>(data), size});
  if (time && parse_date(format_date(*time)) != time) std::abort();
  return 0;
}
