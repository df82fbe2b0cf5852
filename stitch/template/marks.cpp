#include "stitch/template/marks.hpp"

#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;

bool is_titled(document const& page, node_id link, known_item const& item) {
  if (item.title_words.empty()) return false;
  auto const small = [](std::string_view text) { return in_case(text, letter_case::lower); };
  auto const text = small(page.text_of(link) + " " + std::string{page.attribute_or_empty(link, "title")});
  std::unordered_set<std::string_view> have;
  for (auto const& w : words_of(text)) have.insert(w);
  auto const told = small(item.latest->title);
  auto const title = words_of(told);
  std::unordered_set<std::string_view> want(title.begin(), title.end());
  auto const found = static_cast<std::size_t>(
      std::count_if(want.begin(), want.end(), [&](auto const& w) { return have.contains(w); }));
  if (!want.empty() && 10 * found >= 6 * want.size()) return true;
  auto const any = std::count_if(item.title_words.begin(), item.title_words.end(),
                                 [&](auto const& w) { return have.contains(small(w)); });
  return static_cast<double>(any) >= 0.8 * static_cast<double>(item.title_words.size());
}

// Links that say exactly an item's title, for feeds whose own links lead elsewhere: through a counter, or to where the
// item was before it moved. Only titles that one item alone has count.
std::vector<mark> marks_by_title(document const& page, item_table const& items) {
  constexpr std::size_t shortest = 8;
  std::unordered_map<std::string, item_id> by_title;
  for (item_id i = 0; i < static_cast<item_id>(items.size()); ++i) {
    auto title = lower(single_spaced(items[i].latest->title));
    if (title.size() < shortest) continue;
    auto const [known, fresh] = by_title.try_emplace(std::move(title), i);
    if (!fresh) known->second = no_item;
  }
  std::vector<mark> out;
  std::unordered_set<item_id> distinct;
  for (node_id n = 0; n < page.size(); ++n) {
    auto const* const href = page.is(n, "a") ? page.find_attribute(n, "href") : nullptr;
    if (!href || key_of(resolve(items.base(), href->value)).empty()) continue;
    auto const found = by_title.find(lower(single_spaced(page.text_of(n))));
    if (found == by_title.end() || found->second == no_item) continue;
    out.push_back({n, found->second, true});
    distinct.insert(found->second);
  }
  if (distinct.size() < 2) out.clear();  // one may be chance
  return out;
}

}  // namespace

std::vector<mark> find_marks(document const& page, item_table const& items) {
  std::vector<mark> all;
  std::unordered_set<item_id> titled;
  for (node_id n = 0; n < page.size(); ++n) {
    if (!page.is(n, "a")) continue;
    auto const* const href = page.find_attribute(n, "href");
    auto const item = href ? items.find(href->value) : no_item;
    if (item == no_item) continue;
    all.push_back({n, item, is_titled(page, n, items[item])});
    if (all.back().titled) titled.insert(item);
  }
  if (all.empty()) return marks_by_title(page, items);
  std::erase_if(all, [&](mark const& m) { return !m.titled && titled.contains(m.item); });
  return all;
}

}  // namespace cistern::stitch::templates
