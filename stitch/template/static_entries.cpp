#include "stitch/template/static_entries.hpp"

#include "stitch/template/content.hpp"
#include "stitch/template/featured.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;

// Places in a list of the last page, and those of the same entries on the earlier one.
struct places {
  std::set<std::size_t> now, then;
};

bool is_unknown(list const& l, std::size_t i) { return l.records[i].item == no_item; }

// Entries that no feed knows and that stay at the end while what stands before them goes: a link to all the others.
places static_tail(list const& now, list const& then) {
  constexpr std::size_t most = 3;
  auto const n = now.records.size(), m = then.records.size();
  places out;
  for (std::size_t k = 1; k <= std::min({most, n, m}); ++k) {
    if (!is_unknown(now, n - k) || now.records[n - k].key != then.records[m - k].key) break;
    out.now.insert(n - k);
    out.then.insert(m - k);
  }
  if (out.now.size() == std::min(n, m) || out.now.empty()) return {};
  auto const& before = then.records[*out.then.begin() - 1].key;
  bool const stays =
      std::any_of(now.records.begin(), now.records.end(), [&](record const& r) { return r.key == before; });
  return stays ? places{} : out;
}

// Entries that no feed knows and that keep their place while one that stood above them goes below: a notice.
places overtaken(list const& now, list const& then) {
  std::map<std::string_view, std::size_t> place;  // the last of each
  for (std::size_t i = 0; i < now.records.size(); ++i) place[now.records[i].key] = i;
  places out;
  std::size_t lowest = 0;  // where any of those that stood above has come to
  for (std::size_t i = 0; i < std::min(now.records.size(), then.records.size()); ++i) {
    auto const& key = then.records[i].key;
    if (lowest > i && is_unknown(now, i) && now.records[i].key == key) out.now.insert(i), out.then.insert(i);
    if (auto const p = place.find(key); p != place.end() && !out.then.contains(i)) lowest = std::max(lowest, p->second);
  }
  return out;
}

void drop(list& l, std::set<std::size_t> const& which) {
  std::size_t i = 0;
  std::erase_if(l.records, [&](record const&) { return which.contains(i++); });
}

bool empties_group(list const& l, std::set<std::size_t> const& which) {
  std::set<std::size_t> filled;
  for (std::size_t i = 0; i < l.records.size(); ++i)
    if (!which.contains(i)) filled.insert(l.records[i].group);
  return filled.size() < l.groups.size();
}

// By its place in the list: the last node of a record that follows its root, where no other record has its like.
std::map<std::size_t, node_id> odd_ends(document const& page, list const& l) {
  auto const kind = [&](node_id n) {
    return std::string{page[n].name} + "." + single_spaced(page.attribute_or_empty(n, "class"));
  };
  std::map<std::string, std::set<std::size_t>> owners;
  for (std::size_t i = 0; i < l.records.size(); ++i)
    for (auto n = l.records[i].first; n != html::no_node && n <= l.records[i].last; n = page[n].next)
      owners[kind(n)].insert(i);
  std::map<std::size_t, node_id> out;
  for (std::size_t i = 0; i < l.records.size(); ++i) {
    auto const last = l.records[i].last;
    if (last > l.records[i].root && owners[kind(last)].size() == 1) out.emplace(i, last);
  }
  return out;
}

// The node before, on the way back from the last one of a record to its root.
node_id before(document const& page, node_id from, node_id last) {
  auto out = from;
  for (auto n = from; n != html::no_node && n < last; n = page[n].next)
    if (page[n].kind == html::node_kind::element || !blank(page[n].text)) out = n;
  return out;
}

// What follows the record at one place on both pages though it is another record now: it is none of either's.
bool cut_static_ends(document const& page, list& now, document const& old_page, list& then) {
  auto const old_ends = odd_ends(old_page, then);
  bool any = false;
  for (auto const& [place, end] : odd_ends(page, now)) {
    auto const old = old_ends.find(place);
    if (old == old_ends.end() || now.records[place].key == then.records[place].key) continue;
    if (page.source_of(end) != old_page.source_of(old->second)) continue;
    if (shown_words(page, end, page[end].end).empty()) continue;
    now.records[place].last = before(page, now.records[place].root, end);
    then.records[place].last = before(old_page, then.records[place].root, old->second);
    any = true;
  }
  return any;
}

}  // namespace

void drop_static_entries(std::vector<document const*> const& pages, std::vector<std::vector<list>>& lists) {
  auto const last = lists.size() - 1;
  for (auto& l : lists[last])
    for (std::size_t t = 0; t < last; ++t) {
      auto* const old = const_cast<list*>(counterpart(l, lists[t]));  // ours to change: lists is
      if (!old) continue;
      constexpr int most_ends = 3;
      for (int i = 0; i < most_ends && cut_static_ends(*pages[last], l, *pages[t], *old); ++i) {
      }
      auto which = static_tail(l, *old);
      if (which.now.empty()) which = overtaken(l, *old);
      if (which.now.empty() || empties_group(l, which.now) || empties_group(*old, which.then)) continue;
      drop(*old, which.then);
      drop(l, which.now);
      break;
    }
}

}  // namespace cistern::stitch::templates
