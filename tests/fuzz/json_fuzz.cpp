#include "stitch/feed/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// JSON after a version that makes it a feed, so that the fuzzer need not find that first.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string text = R"({"version":"https://jsonfeed.org/version/1.1",)";
  text.append(reinterpret_cast<char const*>(data), size);
  static_cast<void>(cistern::stitch::feed::parse(text));
  return 0;
}
