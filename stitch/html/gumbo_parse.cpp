#include "stitch/html/gumbo_parse.hpp"

#include <csetjmp>

namespace cistern::stitch::html {
namespace {

// Gumbo does not look at what its allocator returns, so a refusal has to leave the parse at once. All its frames are C
// and all its memory is the arena's: nothing is lost by jumping over them.
struct parse_memory {
  arena* memory;
  std::jmp_buf refused;
};

void* allocate(void* data, std::size_t size) {
  auto* const p = static_cast<parse_memory*>(data);
  auto* const piece = p->memory->allocate(size);
  if (!piece) std::longjmp(p->refused, 1);
  return piece;
}

void release(void* data, void* piece) { static_cast<parse_memory*>(data)->memory->release(piece); }

}  // namespace

GumboOutput const* gumbo_parse(std::string_view page, bool fragment, arena& memory) noexcept {
  parse_memory p;
  p.memory = &memory;
  if (setjmp(p.refused) != 0) return nullptr;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = allocate;
  options.deallocator = release;
  options.userdata = &p;
  options.max_errors = 0;
  options.tab_stop = 1;
  if (fragment) options.fragment_context = GUMBO_TAG_DIV;
  return gumbo_parse_with_options(&options, page.data(), page.size());
}

}  // namespace cistern::stitch::html
