#include "stitch/template/lists.hpp"

#include "stitch/template/caption_places.hpp"
#include "stitch/template/content.hpp"
#include "stitch/template/group_headings.hpp"
#include "stitch/template/links.hpp"
#include "stitch/template/marks.hpp"
#include "stitch/template/record_runs.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

// Beyond these no page was made for reading; some steps compare records with groups one by one.
constexpr std::size_t most_records = 8000, most_kinds = 64;

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

std::vector<std::uint64_t> tag_paths(document const& page) {
  std::vector<std::uint64_t> out(page.size(), 1469598103934665603ull);
  for (node_id n = 1; n < page.size(); ++n) {
    auto h = out[page[n].parent];
    for (char const c : page[n].name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    out[n] = (h ^ '/') * 1099511628211ull;
  }
  return out;
}

node_id ancestor(document const& page, node_id n, std::uint32_t depth) {
  while (n != no_node && page[n].depth > depth) n = page[n].parent;
  return n;
}

std::uint32_t common_depth(document const& page, node_id x, node_id y) {
  x = ancestor(page, x, page[y].depth);
  y = ancestor(page, y, page[x].depth);
  while (x != y) x = page[x].parent, y = page[y].parent;
  return page[x].depth;
}

// How deep the records of these links begin: as high as each link stays alone. Links in a group of their own could
// climb higher than those with neighbours, so the deepest that at least two agree on counts.
std::uint32_t record_depth(document const& page, std::vector<mark> const& marks) {
  std::map<std::uint32_t, std::size_t> votes;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    std::uint32_t depth = 0;
    if (i > 0 && marks[i - 1].item != marks[i].item)
      depth = std::max(depth, common_depth(page, marks[i - 1].link, marks[i].link) + 1);
    if (i + 1 < marks.size() && marks[i + 1].item != marks[i].item)
      depth = std::max(depth, common_depth(page, marks[i].link, marks[i + 1].link) + 1);
    ++votes[depth];
  }
  auto const needed = std::max<std::size_t>(2, marks.size() / 10);
  for (auto v = votes.rbegin(); v != votes.rend(); ++v)
    if (v->second >= needed) return v->first;
  return votes.rbegin()->first;
}

std::string step_of(document const& page, node_id n) {
  std::string out{page[n].name};
  if (auto const id = page.attribute_or_empty(n, "id"); !id.empty()) (out += '#') += id;
  if (auto const c = single_spaced(page.attribute_or_empty(n, "class")); !c.empty()) (out += '.') += c;
  return out;
}

std::string signature_of(document const& page, node_id n) {
  std::string out;
  for (; n != no_node && page[n].kind == node_kind::element; n = page[n].parent) out = "/" + step_of(page, n) + out;
  return out;
}

// The links of this kind that are not items stand in records of their own when those are siblings of the known ones.
void add_records(document const& page, item_table const& items, std::vector<node_id> const& links,
                 std::map<node_id, item_id> const& known, std::uint32_t depth, list& out) {
  std::set<node_id> containers, parents;
  for (auto const& [link, item] : known) {
    auto const root = ancestor(page, link, depth);
    containers.insert(page[root].parent);
    parents.insert(page[page[root].parent].parent);
  }
  bool const grouped = containers.size() > 1;
  std::unordered_map<node_id, std::size_t> group_of;
  std::set<node_id> taken;
  for (auto const link : links) {
    auto const root = ancestor(page, link, depth);
    auto const container = page[root].parent;
    auto const k = known.find(link);
    bool const beside = containers.contains(container) || (grouped && parents.contains(page[container].parent));
    if (!beside || (k == known.end() && taken.contains(root))) continue;
    if (taken.contains(root)) {
      auto& last = out.records.back();
      if (last.root != root || last.item != no_item) continue;
      out.records.pop_back();
    }
    auto const [g, fresh] = group_of.try_emplace(container, out.groups.size());
    if (fresh) out.groups.push_back({container, container, no_node, no_node});
    taken.insert(root);
    out.records.push_back({.item = k == known.end() ? no_item : k->second,
                           .key = key_of(resolve(items.base(), page.attribute_or_empty(link, "href"))),
                           .root = root,
                           .first = root,
                           .last = root,
                           .link = link,
                           .caption = no_node,
                           .group = g->second});
  }
}

// A link that may lead to an item no feed tells of: to none that another link names.
bool is_look_alike(document const& page, node_id link, item_table const& items) {
  auto const* const href = page.find_attribute(link, "href");
  return href && items.find(href->value) == no_item;
}

std::set<std::string> classes_of(document const& page, node_id n) {
  std::set<std::string> out;
  auto rest = page.attribute_or_empty(n, "class");
  while (!(rest = trimmed(rest)).empty()) {
    auto const end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    out.emplace(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return out;
}

// A button beside a lone title is no entry of the same list: it wears other classes.
bool dressed_otherwise(document const& page, node_id link, std::set<std::string> const& known) {
  auto const mine = classes_of(page, link);
  return !known.empty() && !mine.empty() &&
         std::none_of(mine.begin(), mine.end(), [&](std::string const& c) { return known.contains(c); });
}

bool leads_home(document const& page, node_id link, item_table const& items) {
  return key_of(resolve(items.base(), page.attribute_or_empty(link, "href"))).empty();
}

// Siblings that only happen to have such a link: they are dressed like none of the known records (pages to turn), or
// follow each of them in the same number (the lower half of a record).
void drop_strangers(document const& page, list& l) {
  std::set<std::string> common;
  std::size_t known = 0, follows = 0;
  bool regular = !l.records.empty() && l.records[0].item != no_item;
  for (std::size_t i = 0; i < l.records.size(); ++i) {
    auto const& r = l.records[i];
    if (r.item == no_item) {
      ++follows;
      continue;
    }
    auto const mine = classes_of(page, r.root);
    if (known++ == 0) common = mine;
    std::erase_if(common, [&](std::string const& c) { return !mine.contains(c); });
  }
  if (known < 2 || follows == 0) return;
  auto const each = follows / known;
  for (std::size_t i = 0; i < l.records.size(); ++i)
    regular = regular && each * known == follows && (l.records[i].item != no_item) == (i % (each + 1) == 0);
  std::erase_if(l.records, [&](record const& r) {
    if (r.item != no_item) return false;
    auto const mine = classes_of(page, r.root);
    auto const shared = std::any_of(mine.begin(), mine.end(), [&](std::string const& c) { return common.contains(c); });
    return regular || (!common.empty() && !shared);
  });
  for (std::size_t g = l.groups.size(); g-- > 0;) {  // a group that was nothing but strangers
    if (std::any_of(l.records.begin(), l.records.end(), [&](record const& r) { return r.group == g; })) continue;
    l.groups.erase(l.groups.begin() + static_cast<std::ptrdiff_t>(g));
    for (auto& r : l.records) r.group -= r.group > g;
  }
}

// Group roots: climb from the containers until they meet.
void set_group_roots(document const& page, list& l) {
  if (l.groups.size() < 2) return;
  auto meet = page[l.groups[0].container].depth;
  for (std::size_t i = 1; i < l.groups.size(); ++i)
    meet = std::min(meet, common_depth(page, l.groups[i - 1].container, l.groups[i].container));
  for (auto& g : l.groups) g.root = ancestor(page, g.container, meet + 1);
}

// Where each item stands in the feeds: at the page's own time first, then at later ones, then at earlier ones; what the
// feed has dropped by now is older than all that it still has.
std::vector<int> feed_places(item_table const& items, std::size_t time) {
  std::vector<int> place(items.size(), -1);
  auto const read = [&](std::size_t t, int base) {
    for (std::size_t i = 0; i < items.order(t).size(); ++i)
      if (auto& p = place[static_cast<std::size_t>(items.order(t)[i])]; p < 0) p = base + static_cast<int>(i);
  };
  for (auto t = time; t < items.times(); ++t) read(t, 0);
  auto base = static_cast<int>(items.order(time).size());
  for (auto t = time; t-- > 0;) {
    read(t, base);
    base += static_cast<int>(items.order(t).size());
  }
  return place;
}

std::vector<std::vector<item_id>> items_by_group(list const& whole) {
  std::vector<std::vector<item_id>> out(whole.groups.size());
  for (auto const& r : whole.records)
    if (r.item != no_item) out[r.group].push_back(r.item);
  return out;
}

bool runs_on(std::vector<std::vector<item_id>> const& groups, std::vector<int> const& place) {
  int reached = -1;
  for (auto const& g : groups)
    for (auto const i : g) {
      if (place[static_cast<std::size_t>(i)] < reached) return false;
      reached = place[static_cast<std::size_t>(i)];
    }
  return true;
}

// What stands before a group's records and after the group before it, in lower case.
std::string words_above(document const& page, list const& whole, std::size_t g) {
  constexpr node_id reach = 40;
  node_id from = 0, first = no_node;
  for (auto const& r : whole.records) {
    if (r.group + 1 == g) from = page[r.root].end;
    if (r.group == g && first == no_node) first = r.root;
  }
  std::string out;
  for (auto n = std::max(from, first > reach ? first - reach : 0); n < first; ++n)
    if (page[n].kind == node_kind::text) (out += lower(page[n].text)) += ' ';
  return out;
}

// What the items of each group, and of no other, have in common; nothing when the groups are no sections. Of several
// things the one that the page names above the group counts; one that is named there may be some other group's item's
// too, for an item may belong to two.
std::optional<std::vector<std::string>> sections_of(document const& page, list const& whole,
                                                    std::vector<std::vector<item_id>> const& groups,
                                                    item_table const& items, std::size_t time, trait t) {
  std::vector<std::set<std::string>> common, any;
  for (auto const& g : groups) {
    std::set<std::string> all, some;
    for (std::size_t i = 0; i < g.size(); ++i) {
      auto const mine = values_of(t, items, g[i], time);
      some.insert(mine.begin(), mine.end());
      if (i == 0) all = mine;
      std::erase_if(all, [&](std::string const& v) { return !mine.contains(v); });
    }
    common.push_back(std::move(all));
    any.push_back(std::move(some));
  }
  std::vector<std::string> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::string> own;
    for (auto const& v : common[g]) {
      bool const shared = [&] {
        for (std::size_t o = 0; o < any.size(); ++o)
          if (o != g && any[o].contains(v)) return true;
        return false;
      }();
      if (!shared) own.push_back(v);
    }
    auto const above = own.size() != 1 ? words_above(page, whole, g) : std::string{};
    auto const is_named = [&](auto const& v) { return above.find(lower(v)) != std::string::npos; };
    if (own.empty()) {
      std::copy_if(common[g].begin(), common[g].end(), std::back_inserter(own), is_named);
      if (own.size() != 1 || std::find(out.begin(), out.end(), own[0]) != out.end()) return {};
    }
    auto const named = std::find_if(own.begin(), own.end(), is_named);
    out.push_back(named == own.end() ? own.front() : *named);
  }
  return out;
}

list part_of(document const& page, list const& whole, std::size_t g) {
  return {.path = whole.path,
          .signature = signature_of(page, whole.groups[g].container),
          .records = {},
          .groups = {},
          .known = 0,
          .section = false,
          .section_trait = trait::category,
          .section_value = {}};
}

void add_group(list const& whole, std::size_t g, list& to) {
  for (auto const& r : whole.records) {
    if (r.group != g) continue;
    to.records.push_back(r);
    to.records.back().group = to.groups.size();
    to.known += r.item != no_item;
  }
  to.groups.push_back(whole.groups[g]);
}

bool named_above(document const& page, list const& whole, std::vector<std::string> const& values) {
  for (std::size_t g = 0; g < values.size(); ++g)
    if (words_above(page, whole, g).find(lower(values[g])) == std::string::npos) return false;
  return true;
}

// Groups that have a trait each and do not follow one another in the feed's order; or do so by chance, when each stands
// under the name of its category.
std::vector<list> split_sections(document const& page, list const& whole, item_table const& items, std::size_t time,
                                 std::vector<int> const& place) {
  auto const groups = items_by_group(whole);
  constexpr std::size_t most_sections = 64;
  if (groups.size() < 2 || groups.size() > most_sections) return {};
  bool const in_order = runs_on(groups, place);
  for (auto const t : all_traits) {
    if (in_order && t != trait::category) continue;
    auto const values = sections_of(page, whole, groups, items, time, t);
    if (values && (!in_order || named_above(page, whole, *values))) {
      std::vector<list> out;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        auto& l = out.emplace_back(part_of(page, whole, g));
        l.section = true;
        l.section_trait = t;
        l.section_value = (*values)[g];
        l.signature += " (" + (*values)[g] + ")";
        add_group(whole, g, l);
      }
      return out;
    }
  }
  return {};
}

bool is_section_heading(document const& page, node_id n) {
  bool const ranked =
      page[n].name.size() == 2 && page[n].name[0] == 'h' && page[n].name[1] >= '1' && page[n].name[1] <= '6';
  return ranked && !is_heading(page, n);
}

// The records of one container, grouped by the headings that stand among them; as they are where each has its own.
list grouped_by_headings(document const& page, list const& whole) {
  list out = whole;
  std::size_t group = 0;
  std::vector<std::size_t> sizes{0};
  for (std::size_t i = 0; i < out.records.size(); ++i) {
    auto& r = out.records[i];
    if (is_section_heading(page, r.root)) return whole;  // headings are the records
    bool heading = false;
    for (auto c = i == 0 ? r.root : page[out.records[i - 1].root].next; c != no_node && c != r.root; c = page[c].next)
      heading |= is_section_heading(page, c);
    if (heading) {
      ++group;
      sizes.push_back(0);
      out.groups.push_back(out.groups[0]);
    }
    r.group = group;
    ++sizes.back();
  }
  bool const some_of_several = std::any_of(sizes.begin(), sizes.end(), [](std::size_t n) { return n > 1; });
  return some_of_several ? out : whole;
}

// Containers in other parts of the page that happen to have the same tag path are lists of their own. They belong
// together when the items run on from one to the next.
std::vector<list> split(document const& page, list whole, item_table const& items, std::size_t time) {
  auto const place = feed_places(items, time);
  auto out =
      split_sections(page, whole.groups.size() == 1 ? grouped_by_headings(page, whole) : whole, items, time, place);
  if (!out.empty()) return out;
  auto const groups = items_by_group(whole);
  std::set<item_id> seen;
  int reached = -1;
  for (std::size_t g = 0; g < whole.groups.size(); ++g) {
    auto const& mine = groups[g];
    bool const repeats = std::any_of(mine.begin(), mine.end(), [&](item_id i) { return seen.contains(i); });
    bool const earlier = !mine.empty() && place[static_cast<std::size_t>(mine.front())] < reached;
    if (out.empty() || repeats || earlier) {
      out.push_back(part_of(page, whole, g));
      seen.clear();
    }
    add_group(whole, g, out.back());
    seen.insert(mine.begin(), mine.end());
    if (!mine.empty()) reached = place[static_cast<std::size_t>(mine.back())];
  }
  std::erase_if(out, [](list const& l) { return l.known == 0; });
  for (auto& l : out) set_group_roots(page, l);
  return out;
}

// Whether these words stand one after another in the text, from `from` on; then `from` is what follows them.
bool goes_on(std::vector<shown_word> const& shown, std::vector<shown_word> const& told, std::size_t& from) {
  auto const same = [](shown_word const& x, shown_word const& y) { return x.text == y.text; };
  auto const at =
      std::search(told.begin() + static_cast<std::ptrdiff_t>(from), told.end(), shown.begin(), shown.end(), same);
  if (at == told.end()) return false;
  from = static_cast<std::size_t>(at - told.begin()) + shown.size();
  return true;
}

bool leads_elsewhere(document const& page, node_id n, std::string_view href) {
  for (auto i = n; i < page[n].end; ++i)
    if (page.is(i, "a") && page.attribute_or_empty(i, "href") != href) return true;
  return false;
}

// The text of a record without neighbours may stand below its title, in elements of their own or between them. A few
// short lines (a date, an author) may come first, and a link to the rest last.
node_id end_of_text(document const& page, node_id top, std::string_view href, content const& told) {
  constexpr std::size_t enough = 20, short_line = 8, most_lines = 3;
  std::unordered_set<std::string_view> words;
  for (auto const& w : told.words()) words.insert(w.text);
  auto last = top;
  std::size_t lines = 0, reached = 0;
  for (auto c = page[top].next; c != no_node; c = page[c].next) {
    auto const shown = shown_words(page, c, page[c].end);
    if (shown.empty()) continue;
    auto const same = static_cast<std::size_t>(
        std::count_if(shown.begin(), shown.end(), [&](shown_word const& w) { return words.contains(w.text); }));
    bool const text = shown.size() >= enough && 10 * same >= 8 * shown.size();
    if (text || (last != top && goes_on(shown, told.words(), reached))) {
      last = c;
    } else if (last != top && !leads_elsewhere(page, c, href) && page.is(c, "a")) {
      return c;
    } else if (last != top || shown.size() > short_line || ++lines > most_lines || leads_elsewhere(page, c, href)) {
      break;
    }
  }
  return last;
}

// Where posts stand one below another with nothing around each, the last one of a container reaches as far as what
// follows is of its text.
void reach_end_of_text(document const& page, item_table const& items, std::size_t time, list& l) {
  constexpr std::size_t most_groups = 16;
  for (std::size_t g = 0; g < std::min(l.groups.size(), most_groups); ++g) {
    record* r = nullptr;
    for (auto& x : l.records)
      if (x.group == g) r = &x;
    if (!r || r->item == no_item || r->last == r->root) continue;
    content const told{items.as_of(r->item, time).content};
    std::size_t reached = 0;
    for (auto c = page[r->last].next; c != no_node; c = page[c].next) {
      auto const shown = shown_words(page, c, page[c].end);
      if (shown.empty()) continue;
      if (!goes_on(shown, told.words(), reached)) break;
      r->last = c;
    }
  }
}

// A record without neighbours reaches as far as nothing else of the page is in it: no other list, no navigation.
void widen_lone_record(document const& page, list& l, std::vector<list> const& lists, feed::item const* told) {
  auto const busy = [&](node_id n) {
    for (auto const& other : lists)
      for (auto const& r : other.records)
        if (&other != &l && r.link >= n && r.link < page[n].end) return true;
    for (auto i = n; i < page[n].end; ++i)
      if (page.is(i, "nav") || page.is(i, "form")) return true;
    return page.is(n, "body") || page.is(n, "html") || page.is(n, "nav") || n == 0;
  };
  auto& r = l.records[0];
  auto top = r.link;
  while (page[top].parent != no_node && !busy(page[top].parent)) top = page[top].parent;
  r.root = r.first = r.last = top;
  if (told && shown_words(page, top, page[top].end).size() < 60)
    r.last = end_of_text(page, top, page.attribute_or_empty(r.link, "href"),
                         content{told->content.empty() ? told->summary : told->content});
  l.groups = {{page[top].parent, page[top].parent, no_node, no_node}};
}

}  // namespace

std::vector<list> find_lists(document const& page, item_table const& items, std::size_t time) {
  auto const paths = tag_paths(page);
  auto const marks = find_marks(page, items);
  std::map<std::uint64_t, std::vector<mark>> kinds;
  std::unordered_set<node_id> marked;
  for (auto const& m : marks) kinds[paths[m.link]].push_back(m), marked.insert(m.link);
  std::unordered_map<std::uint64_t, std::vector<node_id>> links;
  for (node_id n = 0; n < page.size(); ++n)
    if (page.is(n, "a") && kinds.contains(paths[n]) && (marked.contains(n) || is_look_alike(page, n, items)))
      links[paths[n]].push_back(n);

  std::vector<std::pair<std::size_t, std::vector<list>>> found;
  for (auto const& [path, kind] : kinds) {
    std::set<item_id> distinct;
    std::size_t titled = 0;
    for (auto const& m : kind) distinct.insert(m.item), titled += m.titled;
    auto const dress = classes_of(page, kind[0].link);
    auto const alike = std::count_if(links[path].begin(), links[path].end(), [&](node_id n) {
      return !marked.contains(n) && !leads_home(page, n, items) && !dressed_otherwise(page, n, dress);
    });
    if (distinct.size() == 1 && alike > 0) continue;  // look-alikes that no feed knows
    if (distinct.size() == 1)
      std::erase_if(links[path], [&](node_id n) { return !marked.contains(n); });  // the way home, a button
    list whole;
    whole.path = path;
    std::map<node_id, item_id> known;
    for (auto const& m : kind) known[m.link] = m.item;
    auto const depth = distinct.size() > 1 ? record_depth(page, kind) : page[kind[0].link].depth;
    add_records(page, items, links[path], known, std::max<std::uint32_t>(depth, 1), whole);
    drop_strangers(page, whole);
    if (whole.records.size() > most_records) continue;
    auto lists = split(page, std::move(whole), items, time);
    for (auto& l : lists) {
      find_author_names(page, items, time, l);
      set_runs(page, l);
      reach_end_of_text(page, items, time, l);
      set_headings(page, l);
      set_captions(page, items, time, l);
    }
    found.emplace_back(distinct.size() * 1000 + titled, std::move(lists));
  }
  std::stable_sort(found.begin(), found.end(), [](auto const& x, auto const& y) { return x.first > y.first; });
  std::vector<list> out;
  if (found.size() > most_kinds) found.resize(most_kinds);
  std::vector<char> taken(page.size(), 0);  // what lies in a record already
  for (auto& [weight, lists] : found)
    for (auto& l : lists) {
      auto const covered =
          std::count_if(l.records.begin(), l.records.end(), [&](record const& r) { return taken[r.link] != 0; });
      if (2 * static_cast<std::size_t>(covered) >= l.records.size()) continue;
      for (auto const& r : l.records) std::fill(taken.begin() + r.first, taken.begin() + page[r.last].end, char{1});
      out.push_back(std::move(l));
    }
  for (auto& l : out)
    if (l.records.size() == 1)
      widen_lone_record(page, l, out, l.known > 0 ? &items.as_of(l.records[0].item, time) : nullptr);
  std::sort(out.begin(), out.end(),
            [](list const& x, list const& y) { return x.records[0].first < y.records[0].first; });
  return out;
}

}  // namespace cistern::stitch::templates
