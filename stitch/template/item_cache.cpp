#include "stitch/template/item_cache.hpp"

#include <algorithm>

namespace cistern::stitch::templates {

item_text const& item_cache::text(feed::item const& item) {
  auto& t = texts_[{item.summary, item.content}];
  if (!t) t = std::make_unique<item_text>(item);
  return *t;
}

item_fields const& item_cache::fields(feed::item const& item, item_id id) {
  auto& f = fields_[&item];
  if (!f) f = std::make_unique<item_fields>(fields_of(item, items_[id].link, items_.base()));
  return *f;
}

std::span<date_zone const> item_cache::zones() {
  constexpr item_id most = 200;
  if (!zones_.empty()) return zones_;
  struct witness {
    std::chrono::sys_seconds time;
    std::optional<std::chrono::minutes> stated;
    std::chrono::sys_days day;
  };
  std::vector<witness> witnesses;
  bool stated = false;
  for (item_id i = 0; i < std::min(most, static_cast<item_id>(items_.size())); ++i) {
    auto const& item = *items_[i].latest;
    auto const when = item.published ? item.published : item.updated;
    stated |= item.zone.has_value();
    if (auto const day = day_in(items_[i].key); day && when) witnesses.push_back({*when, item.zone, *day});
  }
  if (stated) zones_.push_back({{}, true});
  zones_.insert(zones_.end(), likely_zones().begin(), likely_zones().end());
  auto const agreeing = [&](date_zone const& z) {
    return std::count_if(witnesses.begin(), witnesses.end(), [&](witness const& w) {
      return std::chrono::floor<std::chrono::days>(w.time + z.at(w.stated)) == w.day;
    });
  };
  if (witnesses.empty()) return zones_;
  std::vector<std::pair<std::ptrdiff_t, date_zone>> ranked;
  for (auto const& z : zones_) ranked.emplace_back(agreeing(z), z);
  std::stable_sort(ranked.begin(), ranked.end(), [](auto const& x, auto const& y) { return x.first > y.first; });
  std::transform(ranked.begin(), ranked.end(), zones_.begin(), [](auto const& r) { return r.second; });
  return zones_;
}

}  // namespace cistern::stitch::templates
