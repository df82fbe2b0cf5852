#include "stitch/template/category_places.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

bool within(document const& page, node_id n, node_id top) { return n >= top && n < page[top].end; }

// The element that says this name and nothing else, as far in as it goes; nothing for the record itself.
node_id unit_of(document const& page, record const& r, node_id text) {
  auto const unit = page[text].parent;
  if (unit < r.first || within(page, r.link, unit) || within(page, unit, r.link) || unit == r.root) return no_node;
  for (auto c = page.first_child(unit); c != no_node; c = page[c].next)
    if (c != text && (page[c].kind == node_kind::text ? !blank(page[c].text) : !page.text_of(c).empty()))
      return no_node;
  return unit;
}

// The nearest class or id around a unit inside the record, and the unit's own.
std::string place_of(document const& page, record const& r, node_id unit) {
  auto const named = [&](node_id n) {
    auto const c = page.attribute_or_empty(n, "class");
    return single_spaced(c.empty() ? page.attribute_or_empty(n, "id") : c);
  };
  auto out = std::string{page[unit].name};
  auto outer = page[unit].parent;
  while (outer != no_node && outer > r.root && named(outer).empty()) outer = page[outer].parent;
  return out + " in " +
         (outer != no_node && outer >= r.first ? std::string{page[outer].name} + "." + named(outer) : "");
}

bool words_between(document const& page, node_id from, node_id to) {
  for (auto n = page[from].end; n < to; ++n)
    if (page[n].kind == node_kind::text && !words_of(page[n].text).empty()) return true;
  return false;
}

// Units that have a wrapper each are joined at the wrappers.
node_id wrapper_of(document const& page, node_id unit) {
  auto const parent = page[unit].parent;
  std::size_t elements = 0;
  for (auto c = page.first_child(parent); c != no_node; c = page[c].next) {
    elements += page[c].kind == node_kind::element;
    if (page[c].kind == node_kind::text && !words_of(page[c].text).empty()) return no_node;
  }
  return elements == 1 ? parent : no_node;
}

}  // namespace

std::string bare_name(std::string_view shown) {
  static constexpr std::string_view marks = "#,;|/[]()\xC2\xA0 \t\r\n";
  auto const from = shown.find_first_not_of(marks);
  if (from == std::string_view::npos) return {};
  return lower(single_spaced(shown.substr(from, shown.find_last_not_of(marks) + 1 - from)));
}

std::vector<categories_shown> find_categories(document const& page, record const& r, feed::item const& item,
                                              std::vector<body> const& bodies) {
  std::set<std::string> names;
  for (auto const& c : item.categories) names.insert(bare_name(c));
  std::vector<categories_shown> out;
  auto const in_body = [&](node_id n) {
    return std::any_of(bodies.begin(), bodies.end(),
                       [&](body const& b) { return n >= b.first && n < page[b.last].end; });
  };
  for (auto n = r.first; n < page[r.last].end && !names.empty(); ++n) {
    if (page[n].kind != node_kind::text || in_body(n) || !names.contains(bare_name(page[n].text))) continue;
    auto unit = unit_of(page, r, n);
    if (unit == no_node || !page[unit].placed) continue;
    auto place = place_of(page, r, unit);
    auto* const last = out.empty() ? nullptr : &out.back();
    if (last && page[last->last].parent == page[unit].parent && !words_between(page, last->last, unit)) {
      last->last = unit;
      last->each.push_back(unit);
      continue;
    }
    auto const wrapper = wrapper_of(page, unit);
    auto const wrapped_before = last ? (last->each.size() == 1 ? wrapper_of(page, last->last) : last->last) : no_node;
    bool const wrapped = last && wrapper != no_node && wrapped_before != no_node && last->place == place &&
                         page[wrapped_before].parent == page[wrapper].parent &&
                         !words_between(page, wrapped_before, wrapper) && page[wrapper].placed &&
                         page[wrapped_before].placed && wrapper > r.root;
    if (wrapped) {
      if (last->each.size() == 1) last->first = last->each[0] = wrapped_before;
      last->last = wrapper;
      last->each.push_back(wrapper);
      continue;
    }
    auto const same =
        std::count_if(out.begin(), out.end(), [&](categories_shown const& k) { return k.place.starts_with(place); });
    if (same > 0) place += " (" + std::to_string(same + 1) + ")";
    out.push_back({std::move(place), unit, unit, {unit}});
  }
  return out;
}

std::vector<std::string> category_choice::of(feed::item const& item) const {
  auto all = item.categories;
  if (!known.empty()) {
    std::erase_if(all, [&](std::string const& name) { return !known.contains(bare_name(name)); });
    return all;
  }
  if (from_end) std::reverse(all.begin(), all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(skip, all.size())));
  all.resize(std::min(most, all.size()));
  if (from_end) std::reverse(all.begin(), all.end());
  return all;
}

category_choice learn_choice(std::string const& place, std::vector<record_view> const& samples) {
  constexpr auto all = ~std::size_t{0};
  category_choice const positions[] = {{0, all, false, {}}, {0, 1, false, {}}, {1, all, false, {}}, {0, 2, false, {}},
                                       {0, 3, false, {}},   {1, 1, false, {}}, {1, all, true, {}},  {0, 1, true, {}}};
  category_choice best;
  std::size_t most = 0;
  category_choice by_name;
  auto const right = [&](category_choice const& choice) {
    return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), [&](record_view const& v) {
      auto const told = choice.of(*v.item);
      auto const k = std::find_if(v.categories.begin(), v.categories.end(),
                                  [&](categories_shown const& c) { return c.place == place; });
      if (k == v.categories.end()) return told.empty();
      std::multiset<std::string> shown, wanted;
      for (auto const n : k->each) shown.insert(bare_name(v.page->text_of(n)));
      for (auto const& name : told) wanted.insert(bare_name(name));
      return shown == wanted;
    }));
  };
  for (auto const& choice : positions)
    if (auto const n = right(choice); n > most) most = n, best = choice;
  for (auto const& v : samples)
    for (auto const& k : v.categories)
      if (k.place == place)
        for (auto const n : k.each) by_name.known.insert(bare_name(v.page->text_of(n)));
  if (10 * most < 7 * samples.size() && right(by_name) > most) return by_name;
  return best;
}

}  // namespace cistern::stitch::templates
