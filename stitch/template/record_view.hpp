#pragma once

/// One record taken apart: what it shows of the item's text, its category links, and every other text and attribute as
/// a leaf with a path that the same leaf has in the list's other records.

#include "stitch/html/document.hpp"
#include "stitch/template/content.hpp"
#include "stitch/template/excerpt.hpp"
#include "stitch/template/lists.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

struct leaf {
  std::uint64_t path = 0;
  html::node_id node = html::no_node;  // the text node, or the element that has the attribute
  int attribute = -1;                  // index among the element's, or -1 for text
  std::uint32_t begin = 0, end = 0;    // in the source
  std::string_view value;
};

/// Sibling nodes [first, last] that show the item's summary or content.
struct body {
  html::node_id first = html::no_node, last = html::no_node;
  bool whole_element = false;                            // first == last, an element whose inside is the text
  std::array<std::size_t, std::size(all_sources)> of{};  // words that are shown of each text of the item, or 0
  std::size_t total = 0;                                 // words on the page
};

/// Categories that stand together. A record may have two such places: one for its category, one for its tags.
struct categories_shown {
  std::string place;                                          // the same in all records of the list
  html::node_id first = html::no_node, last = html::no_node;  // siblings
  std::vector<html::node_id> each;
};

struct record_view {
  record const* of = nullptr;
  html::document const* page = nullptr;
  feed::item const* item = nullptr;
  std::size_t pages = 1;     // how many pages show the record like this
  std::vector<body> bodies;  // none, one, or two: an excerpt and the whole
  std::vector<categories_shown> categories;
  std::vector<leaf> leaves;
  std::vector<shown_word> words;
};

/// Texts of an item, parsed once.
struct item_text {
  explicit item_text(feed::item const& item);
  [[nodiscard]] content const& of(text_source s) const noexcept {
    return s == text_source::summary ? summary : s == text_source::content ? full : paragraph;
  }
  content summary, full, paragraph;
};

[[nodiscard]] record_view view_record(html::document const& page, record const& r, feed::item const* item,
                                      item_text const* text);

[[nodiscard]] std::uint64_t path_below(std::uint64_t parent, std::string_view name, std::size_t ordinal);

}  // namespace cistern::stitch::templates
