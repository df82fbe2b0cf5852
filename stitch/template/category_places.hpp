#pragma once

/// Where a record shows its item's categories, and which of them.

#include "stitch/template/record_view.hpp"

#include <set>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

[[nodiscard]] std::vector<categories_shown> find_categories(html::document const& page, record const& r,
                                                            feed::item const& item, std::vector<body> const& bodies);

/// Which of an item's categories a place shows: all, the first only, all but the first (a category, then tags) ...
struct category_choice {
  std::size_t skip = 0;
  std::size_t most = ~std::size_t{0};
  bool from_end = false;        // counted from the last one
  std::set<std::string> known;  // when not empty: only these names, in lower case
  [[nodiscard]] std::vector<std::string> of(feed::item const& item) const;
};

/// By the records that have the place and those that have not.
[[nodiscard]] category_choice learn_choice(std::string const& place, std::vector<record_view> const& samples);

/// The name as a record shows it, without the marks around it, in lower case.
[[nodiscard]] std::string bare_name(std::string_view shown);

}  // namespace cistern::stitch::templates
