#pragma once

/// Which of its texts a list shows of an item, and how much of it. Page makers choose by the item: up to its mark where
/// the author set one and so many words where not, a summary where somebody wrote one and the beginning where not.

#include "stitch/template/excerpt.hpp"
#include "stitch/template/item_cache.hpp"
#include "stitch/template/record_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

enum class excerpt_condition : std::uint8_t {
  always,
  marked,      // the text has a mark where the teaser ends
  summarised,  // the summary is no beginning of the content
  has_content
};

struct excerpt_choice {
  excerpt_condition when = excerpt_condition::always;
  excerpt_rule yes, no;
  double support = 0;  // share of the records that show a text for which it gives how much of it
  excerpt_rule whole{};     // for an item without the summary that the others have
  std::size_t longest = 0;  // words that a record shows

  [[nodiscard]] excerpt_rule const& of(item_text const& text) const;
  [[nodiscard]] bool shows(item_text const& text) const;  // a text, for an item that has these
  [[nodiscard]] bool ever() const noexcept { return yes.by != cut::none || no.by != cut::none; }
};

/// The texts that stand at place `which` in records of one list. `others` are records of a list that looks different
/// but shows the same kind of items: what holds for those is believed where the list itself has few.
[[nodiscard]] excerpt_choice learn_excerpts(std::vector<record_view> const& samples,
                                            std::vector<record_view> const& others, std::size_t which,
                                            item_cache& cache);

[[nodiscard]] std::string describe(excerpt_choice const& choice);

}  // namespace cistern::stitch::templates
