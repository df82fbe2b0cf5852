#include "stitch/html/sanitizer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// The text without what stands in quotes: a handler's name in a title is a title.
std::string outside_quotes(std::string_view text) {
  std::string out;
  bool inside = false;
  for (char const c : text) {
    if (c == '"') inside = !inside;
    if (!inside) out += c;
  }
  return out;
}

}  // namespace

// Nothing that could run comes out.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const clean = cistern::stitch::html::sanitized({reinterpret_cast<char const*>(data), size});
  for (std::string_view const bad : {"<script", "<style", "<iframe", "<svg"})
    if (clean.find(bad) != std::string::npos) std::abort();
  for (std::size_t tag = clean.find('<'); tag != std::string::npos; tag = clean.find('<', tag + 1)) {
    auto const whole = std::string_view{clean}.substr(tag, clean.find('>', tag) - tag);
    bool const handler = outside_quotes(whole).find(" on") != std::string::npos;
    if (handler || whole.find("=\"javascript:") != std::string_view::npos) std::abort();
  }
  return 0;
}
