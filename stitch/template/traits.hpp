#pragma once

/// What several items can have in common: a part of a page may show only the items of one author, of one category, or
/// from one of the sites that a planet gathers.

#include "stitch/template/items.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace cistern::stitch::templates {

enum class trait : std::uint8_t { category, author, host };
inline constexpr trait all_traits[] = {trait::category, trait::author, trait::host};

/// The values that an item has of a trait at a time: none, one, or several categories.
[[nodiscard]] std::set<std::string> values_of(trait t, item_table const& items, item_id i, std::size_t time);

}  // namespace cistern::stitch::templates
