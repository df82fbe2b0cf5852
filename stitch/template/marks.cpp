#include "stitch/template/marks.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;

bool is_titled(document const& page, node_id link, known_item const& item) {
  if (item.title_words.empty()) return false;
  auto const text = page.text_of(link) + " " + std::string{page.attribute_or_empty(link, "title")};
  std::unordered_set<std::string_view> have;
  for (auto const& w : words_of(text)) have.insert(w);
  auto const title = words_of(item.latest->title);
  std::unordered_set<std::string_view> want(title.begin(), title.end());
  auto const found = static_cast<std::size_t>(
      std::count_if(want.begin(), want.end(), [&](auto const& w) { return have.contains(w); }));
  if (!want.empty() && 10 * found >= 6 * want.size()) return true;
  auto const any =
      std::count_if(item.title_words.begin(), item.title_words.end(), [&](auto const& w) { return have.contains(w); });
  return static_cast<double>(any) >= 0.8 * static_cast<double>(item.title_words.size());
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
  std::erase_if(all, [&](mark const& m) { return !m.titled && titled.contains(m.item); });
  return all;
}

}  // namespace cistern::stitch::templates
