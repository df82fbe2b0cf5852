#include "stitch/html/document.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Whatever the bytes: the tree is one, and every range lies in the source, inside the parent's, in order.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cistern::stitch::html;
  auto const page = document::parse({reinterpret_cast<char const*>(data), size});
  if (!page) return 0;
  for (node_id n = 1; n < page->size(); ++n) {
    auto const& x = (*page)[n];
    if (x.parent >= n || x.end <= n || x.end > (*page)[x.parent].end) std::abort();
    if (x.next != no_node && (x.next < x.end || (*page)[x.next].parent != x.parent)) std::abort();
    if (!x.placed) continue;
    if (x.begin > x.inner_begin || x.inner_begin > x.inner_finish || x.inner_finish > x.finish) std::abort();
    if (x.finish > page->source().size()) std::abort();
    if ((*page)[x.parent].placed &&
        (x.begin < (*page)[x.parent].inner_begin || x.finish > (*page)[x.parent].inner_finish))
      std::abort();
  }
  return 0;
}
