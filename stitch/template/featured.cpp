#include "stitch/template/featured.hpp"

#include "stitch/template/content.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace cistern::stitch::templates {
namespace {

std::size_t size_of(html::document const& page, record const& r) {
  return shown_words(page, r.first, page[r.last].end).size();
}

// The first one has its whole text, the others have less and a link to the rest. On one page alone it could be a short
// text that needs no such link.
bool lacks_link_of_others(html::document const& page, list const& l, bool one_page) {
  auto const links = [&](record const& r) {
    std::size_t out = 0;
    auto const href = page.attribute_or_empty(r.link, "href");
    for (auto n = r.first; n < page[r.last].end; ++n)
      out += page.is(n, "a") && page.attribute_or_empty(n, "href") == href;
    return out;
  };
  auto const others = links(l.records[1]);
  if (links(l.records[0]) >= others) return false;
  auto const words = size_of(page, l.records[0]);
  return std::all_of(l.records.begin() + 1, l.records.end(), [&](record const& r) {
    return links(r) == others && (!one_page || 4 * words > 5 * size_of(page, r));
  });
}

bool first_is_other(html::document const& page, list const& l, bool one_page) {
  if (l.groups.size() != 1 || l.records.size() < 3 || l.groups[0].heading != html::no_node) return false;
  std::size_t most = 0;
  for (std::size_t i = 1; i < l.records.size(); ++i) most = std::max(most, size_of(page, l.records[i]));
  if (auto const first = size_of(page, l.records[0]); first > 60 && first > 4 * most) return true;
  if (lacks_link_of_others(page, l, one_page)) return true;
  auto const dress = [&](record const& r) {
    return std::string{page[r.root].name} + "." + single_spaced(page.attribute_or_empty(r.root, "class"));
  };
  auto const others = dress(l.records[1]);
  return dress(l.records[0]) != others &&
         std::all_of(l.records.begin() + 1, l.records.end(), [&](record const& r) { return dress(r) == others; });
}

// The same first record on all pages while others come and go below it: put there by hand, not the newest.
bool is_pinned(std::vector<list*> const& same) {
  auto const& now = same.back()->records;
  bool moved = false;
  for (auto const* l : same) {
    if (l->records[0].key != now[0].key) return false;
    moved |= l->records[1].key != now[1].key;
  }
  return moved;
}

}  // namespace

list const* counterpart(list const& l, std::vector<list> const& earlier) {
  auto const shared = [&](list const& e) {
    std::set<std::string_view> keys;
    for (auto const& r : l.records) keys.insert(r.key);
    return std::count_if(e.records.begin(), e.records.end(), [&](record const& r) { return keys.contains(r.key); });
  };
  list const* best = nullptr;
  std::tuple<bool, std::ptrdiff_t, std::size_t> most{};
  for (auto const& e : earlier) {
    bool const same_place = e.signature == l.signature;
    if (e.path != l.path || ((l.section || e.section) && !same_place)) continue;
    std::tuple const likeness{same_place, shared(e), e.known};
    if (!best || likeness > most) best = &e, most = likeness;
  }
  return best;
}

void split_featured(std::vector<html::document const*> const& pages, std::vector<std::vector<list>>& lists) {
  auto const last = lists.size() - 1;
  std::vector<std::vector<list>> first(lists.size());
  for (auto& l : lists[last]) {
    std::vector<list*> same;
    for (std::size_t t = 0; t < last; ++t)
      same.push_back(const_cast<list*>(counterpart(l, lists[t])));  // ours to change: lists is
    same.push_back(&l);
    bool all = true;
    bool const one_page = std::all_of(same.begin(), same.end(), [&](list const* s) {
      return s && !s->records.empty() && s->records[0].key == l.records[0].key;
    });
    for (std::size_t t = 0; t <= last; ++t) all = all && same[t] && first_is_other(*pages[t], *same[t], one_page);
    if (!all || is_pinned(same)) continue;
    for (std::size_t t = 0; t <= last; ++t) {
      auto& whole = *same[t];
      list lone{whole.path ^ 1,
                whole.signature + " (first)",
                {whole.records[0]},
                whole.groups,
                whole.records[0].item != no_item ? 1u : 0u,
                false,
                trait::category,
                {}};
      whole.records.erase(whole.records.begin());
      whole.known -= lone.known;
      first[t].push_back(std::move(lone));
    }
  }
  for (std::size_t t = 0; t <= last; ++t)
    for (auto& l : first[t])
      if (l.known > 0) lists[t].push_back(std::move(l));
}

}  // namespace cistern::stitch::templates
