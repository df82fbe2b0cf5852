#include "stitch/template/stitch.hpp"

#include "stitch/template/counters.hpp"
#include "stitch/template/featured.hpp"
#include "stitch/template/marks.hpp"
#include "stitch/template/novelty_fill.hpp"
#include "stitch/template/region.hpp"
#include "stitch/template/static_entries.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cistern::stitch::templates {
namespace {

class entry_numbers {
public:
  sequence of(list const& l) {
    sequence out;
    for (auto const& r : l.records) out.push_back(r.item != no_item ? r.item : number(r.key));
    return out;
  }

private:
  entry number(std::string const& key) {
    return unknown_.try_emplace(key, -2 - static_cast<entry>(unknown_.size())).first->second;
  }
  std::map<std::string, entry> unknown_;
};

// The same list on every page, the last page's own last.
std::vector<list const*> history(list const& l, std::vector<std::vector<list>> const& lists) {
  std::vector<list const*> out;
  for (std::size_t t = 0; t + 1 < lists.size(); ++t) out.push_back(counterpart(l, lists[t]));
  out.push_back(&l);
  return out;
}

// What the list showed. A page saved twice under the same feed is no second witness: the earlier one tells nothing.
std::vector<sequence> sequences(std::vector<list const*> const& at, entry_numbers& numbers, item_table const& items) {
  std::vector<sequence> out;
  for (auto const* l : at) out.push_back(l ? numbers.of(*l) : sequence{});
  for (std::size_t t = 0; t + 1 < out.size(); ++t)
    if (out[t] == out[t + 1] && items.order(t) == items.order(t + 1)) out[t].clear();
  return out;
}

region start(list const& l, std::vector<std::vector<list>> const& lists, entry_numbers& numbers,
             item_table const& items) {
  region r;
  r.shown_now = &l;
  r.at = history(l, lists);
  r.shown = sequences(r.at, numbers, items);
  r.report.place = l.signature;
  r.report.shown = l.records.size();
  r.report.container = l.groups[0].container;
  for (auto const& one : l.records) r.report.records.push_back(one.root);
  return r;
}

std::size_t words_in(html::document const& page, list const& l) {
  std::size_t out = 0;
  for (auto const& r : l.records) out += shown_words(page, r.first, page[r.last].end).size();
  return out;
}

// Titles only, of the newest items that another list shows with more about them.
bool is_digest(std::size_t i, std::vector<region> const& regions, std::vector<std::size_t> const& words) {
  auto const& mine = regions[i].shown.back();
  if (mine.size() < 2 || mine.size() > 10) return false;  // longer ones have met their bound
  for (std::size_t o = 0; o < regions.size(); ++o) {
    auto const& theirs = regions[o].shown.back();
    auto const both = std::count_if(
        mine.begin(), mine.end(), [&](entry e) { return std::find(theirs.begin(), theirs.end(), e) != theirs.end(); });
    bool const same_items = static_cast<std::size_t>(both) == std::min(mine.size(), theirs.size()) && theirs.size() > 1;
    if (o != i && same_items && words[o] * mine.size() > 3 * words[i] * theirs.size()) return true;
  }
  return false;
}

void plan_all(html::document const& page, std::vector<region>& regions, item_table const& items) {
  std::vector<bool> window;
  std::vector<std::size_t> words;
  for (auto const& r : regions) {
    window.push_back(r.shown.back().size() > 1 && plan_list(r.shown, items));
    words.push_back(words_in(page, *r.shown_now));
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    surroundings around;
    around.digest = is_digest(i, regions, words);
    if (auto const& l = *regions[i].shown_now; l.section)
      around.section = std::pair{l.section_trait == trait::category ? filter_kind::category
                                 : l.section_trait == trait::author ? filter_kind::author
                                                                    : filter_kind::host,
                                 l.section_value};
    for (std::size_t o = 0; o < regions.size(); ++o) {
      if (o == i) continue;
      auto const& theirs = regions[o].shown.back();
      around.anywhere.insert(theirs.begin(), theirs.end());
      if (window[o]) around.windows.insert(theirs.begin(), theirs.end());
    }
    regions[i].plan = plan_list(regions[i].shown, items, around);
  }
}

// A section that is new on the page may be believed when one beside it follows the same kind of rule with a witness.
void believe_siblings(std::vector<region>& regions) {
  for (auto& r : regions) {
    bool const is_new = std::all_of(r.shown.begin(), r.shown.end() - 1, [](sequence const& s) { return s.empty(); });
    if (!r.shown_now->section || !r.plan || !is_new) continue;
    for (auto const& o : regions)
      if (o.plan && o.shown_now->section && o.shown_now->path == r.shown_now->path &&
          o.plan->rule.filter == r.plan->rule.filter && o.plan->confidence - 0.1 > r.plan->confidence) {
        r.plan->confidence = o.plan->confidence - 0.1;
        r.plan->reasons.emplace_back("a section beside it follows the same rule");
      }
  }
}

// A section that has just become as long as one beside it that has met its limit has met the same.
void share_limits(std::vector<region>& regions) {
  for (auto& r : regions) {
    if (!r.shown_now->section || !r.plan || r.plan->rule.length != length_kind::all_of_feed) continue;
    bool const full = std::any_of(regions.begin(), regions.end(), [&](region const& o) {
      return o.plan && o.shown_now->section && o.shown_now->path == r.shown_now->path &&
             o.plan->rule.length == length_kind::fixed && o.plan->rule.count == r.shown.back().size();
    });
    if (!full) continue;
    r.plan->rule.length = length_kind::fixed;
    r.plan->rule.count = r.shown.back().size();
    if (r.plan->next.size() > r.plan->rule.count) r.plan->next.resize(r.plan->rule.count);
    r.plan->reasons.emplace_back("a section beside it has met its limit at the same length");
  }
}

// Sections side by side of which one follows no rule: what another one seems to follow may be chance.
void doubt_siblings(std::vector<region>& regions) {
  for (auto& r : regions) {
    if (!r.plan || (r.plan->rule.filter == filter_kind::none && !r.plan->rule.incremental)) continue;
    bool const riddle = std::any_of(regions.begin(), regions.end(), [&](region const& o) {
      return &o != &r && o.shown_now->path == r.shown_now->path && !o.plan;
    });
    if (!riddle) continue;
    r.plan->confidence = std::min(r.plan->confidence, 0.4);
    r.plan->reasons.emplace_back("a list beside it follows no rule");
  }
}

// Whether `o` stands in the same box as the records of `r`, below them.
bool stands_below(region const& o, region const& r, html::document const& page) {
  auto const& last = r.shown_now->records.back();
  auto const at = o.shown_now->records[0].first;
  return at >= page[last.last].end && at < page[page[last.root].parent].end;
}

// A list that nothing explains but that goes on where another one ends should take over what leaves that; one entry
// may do so by chance, unless it stands right there.
bool goes_on_from(region const& o, region const& r, std::set<entry> const& leaving, html::document const& page,
                  item_table const& items) {
  auto const& order = items.order(o.shown.size() - 1);
  std::set<entry> const there(o.shown.back().begin(), o.shown.back().end());
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    if (leaving.contains(order[i]) && !there.contains(order[i]) && o.shown.back().front() == order[i + 1])
      return there.size() > 1 || stands_below(o, r, page);
  return false;
}

// An item that leaves one list for another would vanish if only the first were redrawn.
bool loses_items(region const& r, std::vector<region> const& regions, html::document const& page,
                 item_table const& items) {
  std::set<entry> const next(r.plan->next.begin(), r.plan->next.end());
  std::set<entry> leaving;
  for (auto const e : r.shown.back())
    if (e >= 0 && !next.contains(e)) leaving.insert(e);
  if (leaving.empty()) return false;
  for (auto const& o : regions) {
    if (&o == &r || o.report.stitched) continue;
    if (!o.plan && goes_on_from(o, r, leaving, page, items)) return true;
    if (!o.plan) continue;
    std::set<entry> const there(o.shown.back().begin(), o.shown.back().end());
    for (auto const e : o.plan->next)
      if (leaving.contains(e) && !there.contains(e)) return true;
  }
  return false;
}

// An item that a list takes over from one that is left alone would stand in both.
bool doubles_items(region const& r, std::vector<region> const& regions) {
  std::set<entry> const there(r.shown.back().begin(), r.shown.back().end());
  std::set<entry> coming;
  for (auto const e : r.plan->next)
    if (e >= 0 && !there.contains(e)) coming.insert(e);
  for (auto const& o : regions) {
    if (&o == &r || o.report.stitched) continue;
    // One that leaves out the newest gets what the place of the newest should give up, explained or not.
    if (!o.plan && r.plan->rule.offset == 0) continue;
    std::set<entry> next;
    if (o.plan) next.insert(o.plan->next.begin(), o.plan->next.end());
    for (auto const e : o.shown.back())
      if (coming.contains(e) && !next.contains(e)) return true;
  }
  return false;
}

// Items that a title of the page leads to where no list was found.
std::set<entry> outside_of(std::vector<region> const& regions, html::document const& page, item_table const& items) {
  std::set<entry> out;
  for (auto const& m : find_marks(page, items)) {
    bool const listed = std::any_of(regions.begin(), regions.end(), [&](region const& r) {
      return std::any_of(r.shown_now->records.begin(), r.shown_now->records.end(),
                         [&](record const& x) { return m.link >= x.first && m.link < page[x.last].end; });
    });
    if (m.titled && !listed) out.insert(m.item);
  }
  return out;
}

// A list that leaves out what stands before it would show it a second time when it moves on and that stays.
bool repeats_outside(region const& r, std::set<entry> const& outside) {
  std::set<entry> const there(r.shown.back().begin(), r.shown.back().end());
  return r.plan->rule.offset > 0 && std::any_of(r.plan->next.begin(), r.plan->next.end(),
                                                [&](entry e) { return !there.contains(e) && outside.contains(e); });
}

void settle(std::vector<region>& regions, html::document const& page, item_table const& items,
            std::set<entry> const& outside, double threshold) {
  for (auto& r : regions) {
    r.report.stitched = r.edits && r.report.confidence >= threshold;
    if (!r.report.stitched || !repeats_outside(r, outside)) continue;
    r.report.stitched = false;
    r.report.reasons.emplace_back("items would stand twice that the page shows outside of its lists");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& r : regions) {
      if (!r.report.stitched) continue;
      bool const lost = loses_items(r, regions, page, items);
      if (!lost && !doubles_items(r, regions)) continue;
      r.report.stitched = false;
      r.report.reasons.emplace_back(lost ? "items would vanish that another list should take over"
                                         : "items would stand twice that another list should give up");
      changed = true;
    }
  }
}

}  // namespace

outcome stitch(std::string_view base, std::vector<snapshot> const& snapshots, std::vector<feed::feed> const& feeds,
               options const& o) {
  if (o.method == method::novelty) return stitch_by_novelty(base, snapshots, feeds);
  outcome out;
  if (snapshots.empty()) return out;
  auto const& page = snapshots.back().page;
  out.page = page.source();
  item_table items{std::string{base}};
  for (auto const& s : snapshots) items.add(s.feeds);
  items.add(feeds);
  std::vector<std::vector<list>> lists;
  std::vector<html::document const*> pages;
  for (std::size_t t = 0; t < snapshots.size(); ++t) {
    lists.push_back(find_lists(snapshots[t].page, items, t));
    pages.push_back(&snapshots[t].page);
  }
  split_featured(pages, items, lists);
  drop_static_entries(pages, lists);
  entry_numbers numbers;
  std::vector<region> regions;
  for (auto const& l : lists.back()) regions.push_back(start(l, lists, numbers, items));
  for (auto& r : regions)
    for (auto const& other : regions)
      if (other.shown_now->path == (r.shown_now->path ^ 1)) r.twin = other.shown_now;
  plan_all(page, regions, items);
  believe_siblings(regions);
  share_limits(regions);
  doubt_siblings(regions);
  item_cache cache{items};
  std::set<entry> on_page;
  for (auto const& r : regions) on_page.insert(r.shown.back().begin(), r.shown.back().end());
  for (auto& r : regions) {
    if (!r.plan) {
      r.report.reasons.emplace_back("no rule gives the items that this list shows");
      continue;
    }
    r.report.rule = describe(r.plan->rule);
    r.report.reasons = r.plan->reasons;
    r.report.confidence = r.plan->confidence;
    draw(r, {snapshots, items, cache, on_page});
  }
  settle(regions, page, items, outside_of(regions, page, items), o.threshold);
  std::vector<page_edit> edits;
  std::vector<tally> tallies;
  for (auto& r : regions) {
    if (r.report.stitched) {
      if (auto const n = r.shown.size(); n > 1)
        tallies.push_back({r.shown[n - 2].size(), r.shown[n - 1].size(), r.plan->next.size()});
      edits.insert(edits.end(), r.edits->begin(), r.edits->end());
      out.confidence = std::max(out.confidence, r.report.confidence);
    }
    out.regions.push_back(std::move(r.report));
  }
  if (!edits.empty()) {
    if (pages.size() > 1) {
      auto counted = count_up(*pages[pages.size() - 2], page, tallies, edits);
      edits.insert(edits.end(), counted.begin(), counted.end());
    }
    out.declined = false;
    out.page = apply(page.source(), std::move(edits));
  }
  return out;
}

}  // namespace cistern::stitch::templates
