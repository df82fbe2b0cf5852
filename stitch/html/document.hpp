#pragma once

/// The only door to Gumbo. A page becomes one flat table of nodes in document order that owns its text: no pointers to
/// free, no recursion to fear, and each node knows where its bytes are in the source, so that a page can be changed by
/// replacing byte ranges and never has to be written anew.
///
/// Hostile input costs bounded time and memory: the source is limited, nesting is cut before Gumbo sees the text
/// (html/nesting.hpp), and Gumbo's own memory is counted and the parse abandoned at the limit.

#include "stitch/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::html {

using node_id = std::uint32_t;
inline constexpr node_id no_node = ~node_id{0};

enum class node_kind : std::uint8_t { document, element, text, comment };

/// One attribute, value decoded. The range is that of the whole attribute in the source; the value's has no quotes.
struct attribute {
  std::string_view name;  // lower case
  std::string_view value;
  std::uint32_t begin = 0, end = 0;
  std::uint32_t value_begin = 0, value_end = 0;
};

/// One node. The subtree of node n is the id range [n, end), parents come before children.
struct node {
  node_kind kind = node_kind::element;
  bool foreign = false;   // inside svg or math
  bool placed = false;    // has a source range of its own, inside its parent's and after its elder siblings'
  std::string_view name;  // element: lower-case tag name
  std::string_view text;  // text and comment: decoded
  node_id parent = no_node;
  node_id next = no_node;  // next sibling
  node_id end = 0;         // one past the last descendant
  std::uint32_t depth = 0;
  std::uint32_t attributes_begin = 0, attributes_end = 0;
  std::uint32_t begin = 0, finish = 0;              // bytes of the whole node, tags included
  std::uint32_t inner_begin = 0, inner_finish = 0;  // bytes between the tags
};

struct limits {
  std::size_t source = 16u << 20;  // bytes
  std::size_t nodes = 1'000'000;
  std::size_t depth = 512;
  std::size_t memory = 512u << 20;  // what Gumbo may use at most
};

enum class errc { too_large = 1, too_many_nodes, out_of_memory };
[[nodiscard]] boost::system::error_code make_error_code(errc e) noexcept;

struct parse_options {
  std::string_view content_type = {};  // the HTTP header's value, when known
  bool fragment = false;               // the inside of a <div>, not a whole page
  html::limits limits = {};
};

/// A parsed page. A cheap value: copies share the same immutable tree, and views stay valid as long as one copy lives.
class document {
public:
  /// Bytes as served, of any charset that browsers know.
  [[nodiscard]] static result<document> parse(std::string_view bytes, parse_options const& options = {});

  /// The page as UTF-8: the served bytes themselves when they were UTF-8 already. Node ranges refer to it.
  [[nodiscard]] std::string_view source() const noexcept;
  [[nodiscard]] bool converted() const noexcept;  // source() is not what was served

  [[nodiscard]] std::vector<node> const& nodes() const noexcept;  // [0] is the document
  [[nodiscard]] node const& operator[](node_id n) const noexcept { return nodes()[n]; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes().size(); }

  [[nodiscard]] node_id first_child(node_id n) const noexcept;  // or no_node
  [[nodiscard]] attribute const* attributes_begin(node_id n) const noexcept;
  [[nodiscard]] attribute const* attributes_end(node_id n) const noexcept;
  [[nodiscard]] attribute const* find_attribute(node_id n, std::string_view name) const noexcept;  // or nullptr
  [[nodiscard]] std::string_view attribute_or_empty(node_id n, std::string_view name) const noexcept;

  [[nodiscard]] bool is(node_id n, std::string_view name) const noexcept;  // an element of that name, not foreign
  [[nodiscard]] node_id find(std::string_view name) const noexcept;        // the first such element, or no_node
  [[nodiscard]] std::string_view source_of(node_id n) const noexcept;
  [[nodiscard]] std::string text_of(node_id n) const;  // all text below n, but not that of scripts and styles

  /// The address that relative links start from: <base href> resolved by the caller against the page's own.
  [[nodiscard]] std::string_view base_href() const noexcept;

private:
  struct storage;
  explicit document(std::shared_ptr<storage const> s);
  std::shared_ptr<storage const> storage_;  // shared: snapshots, templates and reports look at the same tree
};

/// Elements that never have content or an end tag.
[[nodiscard]] bool is_void(std::string_view name) noexcept;
/// Elements whose text no reader sees.
[[nodiscard]] bool is_hidden(std::string_view name) noexcept;

}  // namespace cistern::stitch::html

template <>
struct boost::system::is_error_code_enum<cistern::stitch::html::errc> : std::true_type {};
