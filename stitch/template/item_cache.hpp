#pragma once

/// Parsed texts and fields of items, made when first asked for. The same item at two times mostly says the same: its
/// texts are parsed once.

#include "stitch/template/items.hpp"
#include "stitch/template/pattern.hpp"
#include "stitch/template/record_view.hpp"

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cistern::stitch::templates {

class item_cache {
public:
  explicit item_cache(item_table const& items) : items_{items} {}
  [[nodiscard]] item_text const& text(feed::item const& item);
  [[nodiscard]] item_fields const& fields(feed::item const& item, item_id id);
  /// Zones that the site may write its dates in, the likeliest first: where addresses name a day, those that give it.
  [[nodiscard]] std::span<date_zone const> zones();

private:
  item_table const& items_;
  std::map<std::pair<std::string_view, std::string_view>, std::unique_ptr<item_text>> texts_;  // by summary, content
  std::unordered_map<feed::item const*, std::unique_ptr<item_fields>> fields_;
  std::vector<date_zone> zones_;
};

}  // namespace cistern::stitch::templates
