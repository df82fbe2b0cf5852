#include "stitch/feed/discovery.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

// The same bytes as a page and as a Link header.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  static_cast<void>(cistern::stitch::feed::discover({.bytes = text, .base = "http://a.test/x/", .link_headers = {text}}));
  return 0;
}
