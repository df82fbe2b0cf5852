#include "stitch/html/gumbo_parse.hpp"

#include <csetjmp>

namespace cistern::stitch::html {
namespace {

// Gumbo does not look at what its allocator returns, so a refusal has to leave the parse at once. All its frames are C
// and all its memory is the arena's: nothing is lost by jumping over them.
struct parse_memory {
  arena* memory;
  std::size_t depth;
  GumboNode* newest;  // the last piece of a node's size; whatever it is, it has been filled by now
  std::jmp_buf refused;
};

// Gumbo walks its stack for almost every tag, so deep nesting is quadratic. html/nesting cuts it in the text, but a scan
// cannot follow all of HTML's rules; this sees the tree itself. Each node's depth is its parent's and one, kept beside it.
// A string may have a node's size too: then its "parent" is some text, which is not an address in the arena.
bool too_deep(parse_memory const& p) {
  auto* const parent = p.newest ? p.newest->parent : nullptr;
  if (!parent || !p.memory->owns(parent)) return false;
  return (arena::note_of(p.newest) = arena::note_of(parent) + 1) > p.depth;
}

void* allocate(void* data, std::size_t size) {
  auto* const p = static_cast<parse_memory*>(data);
  bool const node = size == sizeof(GumboNode);
  auto* const piece = node && too_deep(*p) ? nullptr : p->memory->allocate(size);
  if (!piece) std::longjmp(p->refused, 1);
  if (node) p->newest = static_cast<GumboNode*>(piece);
  return piece;
}

void release(void* data, void* piece) { static_cast<parse_memory*>(data)->memory->release(piece); }

}  // namespace

GumboOutput const* gumbo_parse(std::string_view page, bool fragment, std::size_t depth, arena& memory) noexcept {
  parse_memory p;
  p.memory = &memory;
  p.depth = depth;
  p.newest = nullptr;
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
