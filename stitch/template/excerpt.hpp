#pragma once

/// Where a page cuts an item's text, learned from the records that show some of it.

#include "stitch/template/content.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

/// Which text of an item a page shows.
enum class text_source : std::uint8_t { summary, content, paragraph };  // the last: the content's first paragraph
inline constexpr text_source all_sources[] = {text_source::summary, text_source::content, text_source::paragraph};

enum class cut : std::uint8_t {
  none,
  all,
  blocks,
  all_but_blocks,
  more,
  gap,
  words,
  spaced_words,
  unbroken_words,
  characters,
  sentences,
  sentence_after
};

struct excerpt_rule {
  cut by = cut::none;
  text_source from = text_source::summary;
  std::size_t limit = 0;
  std::size_t frame = 0;  // at most this many blocks, whatever else cuts; 0 for no such bound
  bool plain = false;     // the page shows bare text where the item has markup
  std::string ellipsis;   // what follows a text that was cut
  double support = 0;     // share of the samples that the rule foretells

  [[nodiscard]] std::size_t count(content const& text) const;  // words to show

private:
  [[nodiscard]] std::size_t uncut(content const& text) const;
};

struct excerpt_sample {
  content const* text;
  std::size_t shown;
  bool has_markup;     // the page's text has elements in it
  std::string ending;  // what the page shows right after the last word
};

/// How well a number of words foretells another: 1 when it is the same, 0 when it is far off.
[[nodiscard]] double closeness(std::size_t foretold, std::size_t shown);

[[nodiscard]] excerpt_rule learn_excerpt(std::vector<excerpt_sample> const& samples, text_source from);
[[nodiscard]] std::string describe(excerpt_rule const& rule);

}  // namespace cistern::stitch::templates
