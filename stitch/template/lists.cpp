#include "stitch/template/lists.hpp"

#include "stitch/template/dates.hpp"
#include "stitch/template/links.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
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
                           .group = g->second});
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

// Containers in other parts of the page that happen to have the same tag path are lists of their own. They belong
// together when the items run on from one to the next.
std::vector<list> split(document const& page, list whole, item_table const& items, std::size_t time) {
  std::vector<list> out;
  std::set<item_id> seen;
  std::vector<int> place(items.size(), -1);
  std::vector<std::size_t> times{time};  // the page's own time first, then later and earlier ones
  for (std::size_t t = items.times(); t-- > 0;)
    if (t != time) times.push_back(t);
  for (auto const t : times)
    for (std::size_t i = 0; i < items.order(t).size(); ++i)
      if (auto& p = place[static_cast<std::size_t>(items.order(t)[i])]; p < 0) p = static_cast<int>(i);
  int reached = -1;
  for (std::size_t g = 0; g < whole.groups.size(); ++g) {
    std::vector<record> mine;
    for (auto const& r : whole.records)
      if (r.group == g) mine.push_back(r);
    bool repeats = false;
    int first = -1, last = -1;
    for (auto const& r : mine) {
      if (r.item == no_item) continue;
      repeats |= seen.contains(r.item);
      auto const p = place[static_cast<std::size_t>(r.item)];
      if (first < 0) first = p;
      last = p;
    }
    if (out.empty() || repeats || (first >= 0 && first < reached)) {
      out.push_back({.path = whole.path,
                     .signature = signature_of(page, whole.groups[g].container),
                     .records = {},
                     .groups = {},
                     .known = 0});
      seen.clear();
    }
    auto& l = out.back();
    for (auto& r : mine) {
      if (r.item != no_item) seen.insert(r.item), ++l.known;
      r.group = l.groups.size();
      l.records.push_back(std::move(r));
    }
    l.groups.push_back(whole.groups[g]);
    if (last >= 0) reached = last;
  }
  std::erase_if(out, [](list const& l) { return l.known == 0; });
  for (auto& l : out) set_group_roots(page, l);
  return out;
}

// An element that says nothing but a date and has no link.
bool is_heading(document const& page, node_id n) {
  if (page[n].kind != node_kind::element || page[n].end - n > 24) return false;
  for (auto i = n; i < page[n].end; ++i)
    if (page.is(i, "time") || page.is(i, "img")) return false;
  return looks_like_date(single_spaced(page.text_of(n)));
}

// What stands between two records belongs to one of them, or to the gap. Lead: the nodes before each root that look the
// same before every root, the first one included; trail: what is left up to the next record.
void set_runs(document const& page, list& l) {
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    std::vector<record*> mine;
    for (auto& r : l.records)
      if (r.group == g) mine.push_back(&r);
    if (mine.size() < 2) continue;
    auto const shape = [&](node_id n) {
      if (page[n].kind == node_kind::text) return std::string{blank(page[n].text) ? " " : "text"};
      return page[n].kind == node_kind::comment ? std::string{" "} : std::string{page[n].name};
    };
    std::vector<node_id> children;
    for (auto c = page.first_child(l.groups[g].container); c != no_node; c = page[c].next)
      if (shape(c) != " ") children.push_back(c);
    std::vector<std::size_t> at;
    for (auto const* r : mine)
      at.push_back(static_cast<std::size_t>(std::find(children.begin(), children.end(), r->root) - children.begin()));
    std::size_t lead = 0;
    auto const same_before = [&](std::size_t k) {
      std::size_t agree = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        auto const room = i == 0 ? at[0] : at[i] - at[i - 1] - 1;
        if (k > room) continue;
        if (shape(children[at[i] - k]) == shape(children[at.back() - k])) ++agree;
      }
      return agree;
    };
    auto const last_room = at.back() - at[at.size() - 2] - 1;
    while (lead < last_room && shape(children[at.back() - lead - 1]) != "hr" && same_before(lead + 1) == at.size())
      ++lead;
    std::size_t common_trail = ~std::size_t{0};
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
      common_trail = std::min(common_trail, at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto const room = i == 0 ? at[0] : at[i] - at[i - 1] - 1;
      auto const l_i = std::min(lead, room);
      std::size_t trail = common_trail;
      if (i + 1 < at.size())
        trail = at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1);
      else {  // the last one: as far as it looks like the others' trails
        trail = 0;
        auto const& model = at.size() >= 2 ? at[at.size() - 2] : at[0];
        auto const want = at[at.size() - 1] - model - 1 - std::min(lead, at[at.size() - 1] - model - 1);
        while (trail < want && at[i] + trail + 1 < children.size() &&
               shape(children[at[i] + trail + 1]) == shape(children[model + trail + 1]))
          ++trail;
      }
      for (std::size_t k = 0; k < trail; ++k)  // a heading of the records that follow is nobody's trail
        if (is_heading(page, children[at[i] + k + 1])) trail = k;
      mine[i]->first = children[at[i] - l_i];
      mine[i]->last = children[at[i] + trail];
    }
  }
}

node_id first_text(document const& page, node_id n) {
  for (auto i = n; i < page[n].end; ++i)
    if (page[i].kind == node_kind::text && looks_like_date(single_spaced(page[i].text))) return i;
  return no_node;
}

// The nearest heading among the nodes of `parent` from `after` (or its first child) up to `before`.
void find_heading(document const& page, node_id parent, node_id after, node_id before, record_group& g) {
  auto c = after == no_node ? page.first_child(parent) : page[after].next;
  for (; c != no_node && c < before; c = page[c].next)
    if (is_heading(page, c))
      if (auto const text = first_text(page, c); text != no_node) g.heading = text, g.first = c;
}

// Groups by date: containers under headings of their own, or one container with headings among the records.
void set_headings(document const& page, list& l) {
  if (l.groups.size() > 1) {
    for (std::size_t g = 0; g < l.groups.size(); ++g) {
      auto& group = l.groups[g];
      group.first = group.root;
      auto const r = std::find_if(l.records.begin(), l.records.end(), [&](record const& x) { return x.group == g; });
      for (auto n = group.root; n < r->first; ++n)
        if (is_heading(page, n) && page[n].end <= r->first) {
          group.heading = first_text(page, n);
          break;
        }
      if (group.heading == no_node && page[group.root].parent != no_node)
        find_heading(page, page[group.root].parent, g == 0 ? no_node : l.groups[g - 1].root, group.root, group);
    }
    bool const all =
        std::all_of(l.groups.begin(), l.groups.end(), [](record_group const& g) { return g.heading != no_node; });
    if (!all)
      for (auto& g : l.groups) g.heading = no_node;
    return;
  }
  std::vector<record_group> groups;
  auto const container = l.groups[0].container;
  node_id before = no_node;
  for (auto& r : l.records) {
    record_group g{container, container, no_node, no_node};
    find_heading(page, container, before, r.first, g);
    if (g.heading != no_node || groups.empty()) groups.push_back(g);
    r.group = groups.size() - 1;
    before = r.last;
  }
  bool const headed = groups.size() > 1 || groups[0].heading != no_node;
  if (headed && std::all_of(groups.begin(), groups.end(), [](record_group const& g) { return g.heading != no_node; })) {
    l.groups = std::move(groups);
    return;
  }
  for (auto& r : l.records) r.group = 0;
}

// A record without neighbours reaches as far as nothing else of the page is in it: no other list, no navigation.
void widen_lone_record(document const& page, list& l, std::vector<list> const& lists) {
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
  l.groups = {{page[top].parent, page[top].parent, no_node, no_node}};
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

std::vector<list> find_lists(document const& page, item_table const& items, std::size_t time) {
  auto const paths = tag_paths(page);
  auto const marks = find_marks(page, items);
  std::map<std::uint64_t, std::vector<mark>> kinds;
  for (auto const& m : marks) kinds[paths[m.link]].push_back(m);
  std::unordered_map<std::uint64_t, std::vector<node_id>> links;
  for (node_id n = 0; n < page.size(); ++n)
    if (page.is(n, "a") && kinds.contains(paths[n]) && page.find_attribute(n, "href")) links[paths[n]].push_back(n);

  std::vector<std::pair<std::size_t, std::vector<list>>> found;
  for (auto const& [path, kind] : kinds) {
    std::set<item_id> distinct;
    std::size_t titled = 0;
    for (auto const& m : kind) distinct.insert(m.item), titled += m.titled;
    if (distinct.size() == 1 && links[path].size() > kind.size()) continue;  // look-alikes that no feed knows
    list whole;
    whole.path = path;
    std::map<node_id, item_id> known;
    for (auto const& m : kind) known[m.link] = m.item;
    auto const depth = distinct.size() > 1 ? record_depth(page, kind) : page[kind[0].link].depth;
    add_records(page, items, links[path], known, std::max<std::uint32_t>(depth, 1), whole);
    if (whole.records.size() > most_records) continue;
    auto lists = split(page, std::move(whole), items, time);
    for (auto& l : lists) {
      set_runs(page, l);
      set_headings(page, l);
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
    if (l.records.size() == 1) widen_lone_record(page, l, out);
  std::sort(out.begin(), out.end(),
            [](list const& x, list const& y) { return x.records[0].first < y.records[0].first; });
  return out;
}

}  // namespace cistern::stitch::templates
