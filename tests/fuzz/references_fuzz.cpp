#include "stitch/html/references.hpp"
#include "stitch/html/requisites.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_set>

// Whatever the bytes: places lie in the source, in order and apart; requisites are web addresses, each once.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch;
  auto const page = html::document::parse({reinterpret_cast<char const*>(data), size});
  if (!page) return 0;
  auto const all = html::references(*page, "https://a.test/x/");
  std::uint32_t reached = 0;
  for (auto const& place : all.places) {
    if (place.end == place.begin) continue;
    if (place.begin < reached || place.end < place.begin || place.end > page->source().size()) std::abort();
    reached = place.end;
  }
  for (auto const& each : all.found)
    if (each.place >= all.places.size()) std::abort();
  std::unordered_set<std::string> seen;
  for (auto const& each : html::requisites(*page, "https://a.test/x/"))
    if (!each.url.starts_with("http") || !seen.insert(each.url).second) std::abort();
  return 0;
}
