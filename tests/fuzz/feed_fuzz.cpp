#include "stitch/feed/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Any bytes, in pieces whose size the first byte decides: no crash, and the same items as at once.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch::feed;
  if (size == 0) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const whole = parse(bytes, {.base = "http://a.test/f/", .content_type = {}});
  std::size_t items = 0;
  feed_reader reader{{.base = "http://a.test/f/", .content_type = {}}, [&items](item&&) { ++items; }};
  auto const step = static_cast<std::size_t>(data[0]) + 1;
  for (std::size_t at = 0; at < bytes.size(); at += step) reader.push(bytes.substr(at, step));
  auto const pieces = reader.finish();
  if (whole.has_value() != pieces.has_value()) std::abort();
  if (whole && whole->items.size() != items) std::abort();
  return 0;
}
