#include "stitch/template/item_cache.hpp"

namespace cistern::stitch::templates {

item_text const& item_cache::text(feed::item const& item) {
  auto& t = texts_[{item.summary, item.content}];
  if (!t) t = std::make_unique<item_text>(item);
  return *t;
}

item_fields const& item_cache::fields(feed::item const& item, std::string_view link) {
  auto& f = fields_[&item];
  if (!f) f = std::make_unique<item_fields>(fields_of(item, link, items_.base()));
  return *f;
}

}  // namespace cistern::stitch::templates
