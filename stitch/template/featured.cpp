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

std::size_t told_of(item_table const& items, record const& r, std::size_t time) {
  return r.item == no_item ? 0 : items.as_of(r.item, time).content.size();
}

// A list on one page, and whether other pages show another one first.
struct sight {
  html::document const& page;
  list const& shown;
  item_table const& items;
  std::size_t time;
  bool one_first;
};

// The first one has its whole text, the others have less and a link to the rest. Where it is the only first one that is
// known it could be a short text that needs no such link, unless others that are no longer have it.
bool lacks_link_of_others(sight const& s) {
  auto const& page = s.page;
  auto const& records = s.shown.records;
  auto const links = [&](record const& r) {
    std::size_t out = 0;
    auto const href = page.attribute_or_empty(r.link, "href");
    for (auto n = r.first; n < page[r.last].end; ++n)
      out += page.is(n, "a") && page.attribute_or_empty(n, "href") == href;
    return out;
  };
  auto const others = links(records[1]);
  if (links(records[0]) >= others) return false;
  auto const told = told_of(s.items, records[0], s.time);
  bool const no_shorter = std::any_of(records.begin() + 1, records.end(), [&](record const& r) {
    auto const theirs = told_of(s.items, r, s.time);
    return theirs > 0 && theirs <= told;
  });
  bool const proven = !s.one_first || no_shorter;
  auto const words = size_of(page, records[0]);
  return std::all_of(records.begin() + 1, records.end(), [&](record const& r) {
    return links(r) == others && (proven || 4 * words > 5 * size_of(page, r));
  });
}

// Elements with their classes and how deep they lie.
std::set<std::string> dresses_in(html::document const& page, record const& r) {
  std::set<std::string> out;
  for (auto n = r.first; n < page[r.last].end; ++n)
    if (auto const c = single_spaced(page.attribute_or_empty(n, "class")); !c.empty())
      out.insert(std::to_string(page[n].depth - page[r.first].depth) + std::string{page[n].name} + "." + c);
  return out;
}

// Something that all the others have is replaced by something that none of them has, and that is not of its text.
bool differs_inside(sight const& s) {
  auto const& records = s.shown.records;
  auto own = dresses_in(s.page, records[0]);
  std::set<std::string> common;
  for (std::size_t i = 1; i < records.size(); ++i) {
    auto const theirs = dresses_in(s.page, records[i]);
    for (auto const& d : theirs) own.erase(d);
    if (i == 1) common = theirs;
    std::erase_if(common, [&](std::string const& d) { return !theirs.contains(d); });
  }
  auto const first = dresses_in(s.page, records[0]);
  bool const lacks =
      std::any_of(common.begin(), common.end(), [&](std::string const& d) { return !first.contains(d); });
  if (!lacks || records[0].item == no_item) return false;
  auto const& told = s.items.as_of(records[0].item, s.time).content;
  return std::any_of(own.begin(), own.end(),
                     [&](std::string const& d) { return told.find(d.substr(d.find('.') + 1)) == std::string::npos; });
}

bool first_is_other(sight const& s) {
  auto const& page = s.page;
  auto const& l = s.shown;
  if (l.groups.size() != 1 || l.records.size() < 3 || l.groups[0].heading != html::no_node) return false;
  std::size_t most = 0;
  for (std::size_t i = 1; i < l.records.size(); ++i) most = std::max(most, size_of(page, l.records[i]));
  if (auto const first = size_of(page, l.records[0]); first > 60 && first > 4 * most) return true;
  if (lacks_link_of_others(s) || differs_inside(s)) return true;
  auto const dress = [&](record const& r) {
    return std::string{page[r.root].name} + "." + single_spaced(page.attribute_or_empty(r.root, "class"));
  };
  auto const others = dress(l.records[1]);
  return dress(l.records[0]) != others &&
         std::all_of(l.records.begin() + 1, l.records.end(), [&](record const& r) { return dress(r) == others; });
}

// The same first record on all pages while others come and go below it, though the feeds have newer ones: put there by
// hand.
bool is_pinned(std::vector<list*> const& same, item_table const& items) {
  auto const& now = same.back()->records;
  bool moved = false, newest = true;
  for (std::size_t t = 0; t < same.size(); ++t) {
    auto const& then = same[t]->records;
    if (then[0].key != now[0].key) return false;
    moved |= then[1].key != now[1].key;
    newest = newest && !items.order(t).empty() && items.order(t).front() == then[0].item;
  }
  return moved && !newest;
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

void split_featured(std::vector<html::document const*> const& pages, item_table const& items,
                    std::vector<std::vector<list>>& lists) {
  auto const last = lists.size() - 1;
  std::vector<std::vector<list>> first(lists.size());
  for (auto& l : lists[last]) {
    std::vector<list*> same;
    for (std::size_t t = 0; t < last; ++t)
      same.push_back(const_cast<list*>(counterpart(l, lists[t])));  // ours to change: lists is
    same.push_back(&l);
    bool all = true;
    bool const one_first = std::all_of(same.begin(), same.end(), [&](list const* s) {
      return s && !s->records.empty() && s->records[0].key == l.records[0].key;
    });
    for (std::size_t t = 0; t <= last; ++t)
      all = all && same[t] && first_is_other({*pages[t], *same[t], items, t, one_first});
    if (!all || is_pinned(same, items)) continue;
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
