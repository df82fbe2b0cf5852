#include "stitch/template/items.hpp"

#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>

namespace cistern::stitch::templates {

void item_table::add(std::vector<feed::feed> const& feeds) {
  auto const time = order_.size();
  auto& order = order_.emplace_back();
  auto& from = feed_of_.emplace_back();
  for (auto& item : items_) item.at.push_back(nullptr);
  for (std::size_t f = 0; f < feeds.size(); ++f) {
    for (auto const& entry : feeds[f].items) {
      auto key = key_of(resolve(base_, entry.link));
      if (key.empty()) continue;
      auto const [place, fresh] = by_key_.try_emplace(key, static_cast<item_id>(items_.size()));
      if (fresh)
        items_.push_back({.key = std::move(key),
                          .link = {},
                          .latest = nullptr,
                          .at = std::vector<feed::item const*>(time + 1),
                          .title_words = {}});
      auto& item = items_[static_cast<std::size_t>(place->second)];
      if (item.at[time]) continue;  // the same item twice in one feed, or in two feeds
      item.at[time] = item.latest = &entry;
      item.link = resolve(base_, entry.link);
      for (auto const& w : words_of(entry.title))
        if (std::find(item.title_words.begin(), item.title_words.end(), w) == item.title_words.end())
          item.title_words.emplace_back(w);
      order.push_back(place->second);
      from.push_back(f);
    }
  }
}

item_id item_table::find(std::string_view href) const {
  if (trimmed(href).empty() || trimmed(href).front() == '#') return no_item;
  auto const found = by_key_.find(key_of(resolve(base_, href)));
  return found == by_key_.end() ? no_item : found->second;
}

feed::item const& item_table::as_of(item_id i, std::size_t time) const {
  auto const& item = (*this)[i];
  return item.at[time] ? *item.at[time] : *item.latest;
}

}  // namespace cistern::stitch::templates
