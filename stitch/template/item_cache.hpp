#pragma once

/// Parsed texts and fields of items, made when first asked for. The same item at two times mostly says the same: its
/// texts are parsed once.

#include "stitch/template/items.hpp"
#include "stitch/template/pattern.hpp"
#include "stitch/template/record_view.hpp"

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cistern::stitch::templates {

class item_cache {
public:
  explicit item_cache(item_table const& items) : items_{items} {}
  [[nodiscard]] item_text const& text(feed::item const& item);
  [[nodiscard]] item_fields const& fields(feed::item const& item, std::string_view link);

private:
  item_table const& items_;
  std::map<std::pair<std::string_view, std::string_view>, std::unique_ptr<item_text>> texts_;  // by summary, content
  std::unordered_map<feed::item const*, std::unique_ptr<item_fields>> fields_;
};

}  // namespace cistern::stitch::templates
