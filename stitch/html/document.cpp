#include "stitch/html/document.hpp"

#include "stitch/charset.hpp"
#include "stitch/html/encoding.hpp"
#include "stitch/html/gumbo_parse.hpp"
#include "stitch/html/nesting.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::html {
namespace {

class html_errors final : public boost::system::error_category {
  char const* name() const noexcept override { return "html"; }
  std::string message(int e) const override {
    switch (static_cast<errc>(e)) {
      case errc::too_large:
        return "the page is larger than the limit";
      case errc::too_many_nodes:
        return "the page has more nodes than the limit";
      case errc::out_of_memory:
        return "the page needs more memory than the limit";
    }
    return "unknown html error";
  }
};

// Text that has to be kept apart from the source because it was decoded. Pieces never move. The first block is small:
// items' texts are parsed by the dozen and have an entity or two each.
class text_pool {
public:
  std::string_view keep(std::string_view s) {
    if (s.size() > left_) {
      auto const size = std::max<std::size_t>(s.size(), std::size_t{256} << std::min<std::size_t>(blocks_.size(), 6));
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
      at_ = blocks_.back().get();
      left_ = size;
    }
    auto* const out = at_;
    std::copy(s.begin(), s.end(), out);
    at_ += s.size();
    left_ -= s.size();
    return {out, s.size()};
  }

private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

// Gumbo gives an element that ends without an end tag of its own the one that ended it, its parent's say.
bool closes(std::string_view tag, std::string_view name) {
  if (tag.size() < name.size() + 3 || !tag.starts_with("</")) return false;
  auto const same = [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; };
  return std::equal(name.begin(), name.end(), tag.begin() + 2, same) &&
         tag.find_first_of(" \t\r\n\f/>", 2) == 2 + name.size();
}

template <std::size_t N>
bool among(std::string_view name, std::array<std::string_view, N> const& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

boost::system::error_code make_error_code(errc e) noexcept {
  static html_errors const category;
  return {static_cast<int>(e), category};
}

struct document::storage {
  std::string source;
  bool converted = false;
  text_pool texts;
  std::vector<node> nodes;
  std::vector<attribute> attributes;

  bool build(GumboOutput const& output, char const* parsed, bool fragment, std::size_t limit);

private:
  struct pending {
    GumboNode const* from;
    node_id parent;
    node_id elder;
  };
  void add(pending const& p, char const* parsed);
  void add_element(node& n, GumboElement const& e, char const* parsed);
  void add_attributes(node& n, GumboElement const& e, char const* parsed);
  void settle_ranges();
  std::string_view view(char const* decoded, std::uint32_t begin, std::size_t size);
  bool inside(GumboStringPiece const& s, char const* parsed) const {
    return s.data && s.data >= parsed && s.data + s.length <= parsed + source.size();
  }
};

// A view of the source where the decoded text is the same bytes, else a copy.
std::string_view document::storage::view(char const* decoded, std::uint32_t begin, std::size_t size) {
  std::string_view const text{decoded};
  if (text.size() <= size && begin + text.size() <= source.size() && source.compare(begin, text.size(), text) == 0)
    return std::string_view{source}.substr(begin, text.size());
  return texts.keep(text);
}

void document::storage::add_attributes(node& n, GumboElement const& e, char const* parsed) {
  n.attributes_begin = static_cast<std::uint32_t>(attributes.size());
  for (unsigned i = 0; i < e.attributes.length; ++i) {
    auto const& a = *static_cast<GumboAttribute const*>(e.attributes.data[i]);
    attribute out;
    if (inside(a.original_name, parsed)) {
      out.begin = static_cast<std::uint32_t>(a.original_name.data - parsed);
      out.end = out.begin + static_cast<std::uint32_t>(a.original_name.length);
      out.value_begin = out.value_end = out.end;
    }
    if (inside(a.original_value, parsed) && a.original_value.length > 0) {
      auto const* v = a.original_value.data;
      auto size = a.original_value.length;
      out.end = static_cast<std::uint32_t>(v - parsed + static_cast<std::ptrdiff_t>(size));
      if (size >= 2 && (v[0] == '"' || v[0] == '\'') && v[size - 1] == v[0]) ++v, size -= 2;
      out.value_begin = static_cast<std::uint32_t>(v - parsed);
      out.value_end = out.value_begin + static_cast<std::uint32_t>(size);
    }
    out.name = view(a.name, out.begin, a.original_name.length);
    out.value = view(a.value, out.value_begin, out.value_end - out.value_begin);
    attributes.push_back(out);
  }
  n.attributes_end = static_cast<std::uint32_t>(attributes.size());
}

void document::storage::add_element(node& n, GumboElement const& e, char const* parsed) {
  n.kind = node_kind::element;
  n.foreign = e.tag_namespace != GUMBO_NAMESPACE_HTML;
  if (e.tag != GUMBO_TAG_UNKNOWN) {
    n.name = gumbo_normalized_tagname(e.tag);
  } else {
    auto piece = e.original_tag;
    gumbo_tag_from_original_text(&piece);
    std::string name{piece.data ? piece.data : "", piece.data ? piece.length : 0};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    n.name = texts.keep(name);
  }
  if (inside(e.original_tag, parsed) && e.original_tag.length > 0) {
    n.placed = true;
    n.begin = static_cast<std::uint32_t>(e.original_tag.data - parsed);
    n.inner_begin = n.inner_finish = n.finish = n.begin + static_cast<std::uint32_t>(e.original_tag.length);
  }
  if (inside(e.original_end_tag, parsed) && closes({e.original_end_tag.data, e.original_end_tag.length}, n.name)) {
    n.inner_finish = static_cast<std::uint32_t>(e.original_end_tag.data - parsed);
    n.finish = n.inner_finish + static_cast<std::uint32_t>(e.original_end_tag.length);
  }
  add_attributes(n, e, parsed);
}

void document::storage::add(pending const& p, char const* parsed) {
  auto const id = static_cast<node_id>(nodes.size());
  node n;
  n.parent = p.parent;
  n.depth = nodes[p.parent].depth + 1;
  n.end = id + 1;
  if (p.from->type == GUMBO_NODE_ELEMENT || p.from->type == GUMBO_NODE_TEMPLATE) {
    add_element(n, p.from->v.element, parsed);
  } else {
    auto const& t = p.from->v.text;
    n.kind = p.from->type == GUMBO_NODE_COMMENT ? node_kind::comment : node_kind::text;
    if (inside(t.original_text, parsed)) {
      n.placed = t.original_text.length > 0;
      n.begin = n.inner_begin = static_cast<std::uint32_t>(t.original_text.data - parsed);
      n.finish = n.inner_finish = n.begin + static_cast<std::uint32_t>(t.original_text.length);
    }
    n.text = view(t.text, n.begin, n.finish - n.begin);
  }
  // A clone of a formatting element repeats the range of the one it was made from; what a table pushed out is not where
  // its bytes are.
  constexpr unsigned unplaced = GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT |
                                GUMBO_INSERTION_ADOPTION_AGENCY_CLONED | GUMBO_INSERTION_BY_PARSER |
                                GUMBO_INSERTION_FOSTER_PARENTED;
  if ((static_cast<unsigned>(p.from->parse_flags) & unplaced) != 0) n.placed = false;
  nodes.push_back(n);
}

// Parents that end without an end tag end where their last child does; whatever lies outside its parent's range, or
// before an elder sibling's end, was moved by the parser and cannot be cut out of the source.
void document::storage::settle_ranges() {
  std::vector<std::uint32_t> younger(nodes.size(),
                                     ~std::uint32_t{0});  // of each parent: where its later children begin
  for (auto id = static_cast<node_id>(nodes.size()); id-- > 1;) {
    auto& n = nodes[id];
    if (n.begin >= younger[n.parent]) n.placed = false;  // pushed out in front of the table it stands in
    if (!n.placed) continue;
    younger[n.parent] = n.begin;
    n.finish = std::max(n.finish, n.inner_finish);
    auto up = n.parent;
    while (!nodes[up].placed) up = nodes[up].parent;  // the document is placed
    auto& p = nodes[up];
    if (p.inner_finish == p.finish && n.finish > p.finish && n.begin >= p.inner_begin)
      p.inner_finish = p.finish = n.finish;
  }
  std::vector<std::uint32_t> reached(nodes.size(), 0);  // where the younger siblings may begin
  for (node_id id = 1; id < nodes.size(); ++id) {
    auto& n = nodes[id];
    auto& p = nodes[n.parent];
    if (!n.placed) {
      reached[id] = reached[n.parent];
      continue;
    }
    auto up = n.parent;  // the nearest ancestor that has a range
    while (up != 0 && !nodes[up].placed) up = nodes[up].parent;
    bool const within = up == 0 || (n.begin >= nodes[up].inner_begin && n.finish <= nodes[up].inner_finish);
    n.placed = within && n.begin >= reached[n.parent] && n.begin <= n.inner_begin && n.inner_begin <= n.inner_finish;
    if (!n.placed) continue;
    reached[id] = n.inner_begin;
    reached[n.parent] = n.finish;
    if (!p.placed && n.parent != 0) reached[p.parent] = std::max(reached[p.parent], n.finish);
  }
}

bool document::storage::build(GumboOutput const& output, char const* parsed, bool fragment, std::size_t limit) {
  auto& top = nodes.emplace_back();
  top.kind = node_kind::document;
  top.placed = true;
  top.end = 1;
  top.finish = top.inner_finish = static_cast<std::uint32_t>(source.size());
  std::vector<pending> stack;
  std::vector<node_id> youngest(1, no_node);  // of each node so far: its last child
  auto const push_children = [&](GumboVector const& children, node_id parent) {
    for (unsigned i = children.length; i-- > 0;)
      stack.push_back({static_cast<GumboNode const*>(children.data[i]), parent, no_node});
  };
  push_children(fragment ? output.root->v.element.children : output.document->v.document.children, 0);
  while (!stack.empty()) {
    auto const p = stack.back();
    stack.pop_back();
    if (nodes.size() >= limit) return false;
    auto const id = static_cast<node_id>(nodes.size());
    add(p, parsed);
    if (auto const elder = youngest[p.parent]; elder != no_node) nodes[elder].next = id;
    youngest[p.parent] = id;
    youngest.push_back(no_node);
    if (p.from->type == GUMBO_NODE_ELEMENT || p.from->type == GUMBO_NODE_TEMPLATE)
      push_children(p.from->v.element.children, id);
  }
  for (auto id = static_cast<node_id>(nodes.size()); id-- > 1;)
    nodes[nodes[id].parent].end = std::max(nodes[nodes[id].parent].end, nodes[id].end);
  settle_ranges();
  return true;
}

document::document(std::shared_ptr<storage const> s) : storage_{std::move(s)} {}

result<document> document::parse(std::string_view bytes, parse_options const& options) {
  if (bytes.size() > options.limits.source) return errc::too_large;
  auto s = std::make_shared<storage>();
  auto const charset = charset_of(bytes, options.content_type);
  s->converted = encoding_of_label(charset) != "utf-8";
  s->source = s->converted ? to_utf8(bytes, charset) : std::string{bytes};
  auto parsed = s->source;
  cut_nesting(parsed, options.limits.depth);
  arena memory{options.limits.memory};
  // Twice and more of what was cut, because Gumbo makes up elements between ours.
  auto const* const output = gumbo_parse(parsed, options.fragment, 4 * options.limits.depth, memory);
  if (!output) return errc::out_of_memory;
  if (!s->build(*output, parsed.data(), options.fragment, options.limits.nodes)) return errc::too_many_nodes;
  return document{std::move(s)};
}

std::string_view document::source() const noexcept { return storage_->source; }
bool document::converted() const noexcept { return storage_->converted; }
std::vector<node> const& document::nodes() const noexcept { return storage_->nodes; }

node_id document::first_child(node_id n) const noexcept { return nodes()[n].end > n + 1 ? n + 1 : no_node; }

attribute const* document::attributes_begin(node_id n) const noexcept {
  return storage_->attributes.data() + nodes()[n].attributes_begin;
}
attribute const* document::attributes_end(node_id n) const noexcept {
  return storage_->attributes.data() + nodes()[n].attributes_end;
}

attribute const* document::find_attribute(node_id n, std::string_view name) const noexcept {
  auto const* const end = attributes_end(n);
  auto const* const a = std::find_if(attributes_begin(n), end, [&](attribute const& x) { return x.name == name; });
  return a == end ? nullptr : a;
}

std::string_view document::attribute_or_empty(node_id n, std::string_view name) const noexcept {
  auto const* const a = find_attribute(n, name);
  return a ? a->value : std::string_view{};
}

bool document::is(node_id n, std::string_view name) const noexcept {
  auto const& x = nodes()[n];
  return x.kind == node_kind::element && !x.foreign && x.name == name;
}

node_id document::find(std::string_view name) const noexcept {
  for (node_id n = 0; n < size(); ++n)
    if (is(n, name)) return n;
  return no_node;
}

std::string_view document::source_of(node_id n) const noexcept {
  auto const& x = nodes()[n];
  return x.placed ? source().substr(x.begin, x.finish - x.begin) : std::string_view{};
}

std::string document::text_of(node_id n) const {
  std::string out;
  for (auto i = n; i < nodes()[n].end;) {
    auto const& x = nodes()[i];
    if (x.kind == node_kind::text) out += x.text;
    i = i != n && x.kind == node_kind::element && is_hidden(x.name) ? x.end : i + 1;
  }
  return out;
}

std::string_view document::base_href() const noexcept {
  for (node_id n = 0; n < size(); ++n) {
    if (is(n, "base") && find_attribute(n, "href")) return attribute_or_empty(n, "href");
    if (is(n, "body")) break;
  }
  return {};
}

bool is_void(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 14> names{"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                                                          "input", "link", "meta", "param", "source", "track", "wbr"};
  return among(name, names);
}

bool is_hidden(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 5> names{"script", "style", "noscript", "template", "title"};
  return among(name, names);
}

}  // namespace cistern::stitch::html
