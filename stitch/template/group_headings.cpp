#include "stitch/template/group_headings.hpp"

#include "stitch/template/dates.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

std::string kind_of(document const& page, node_id n) {
  return std::string{page[n].name} + "." + single_spaced(page.attribute_or_empty(n, "class"));
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

// Containers below the first one's heading that have none of their own belong under the one before.
void inherit_headings(list& l) {
  for (std::size_t g = 1; g < l.groups.size(); ++g)
    if (l.groups[g].heading == no_node) l.groups[g].heading = l.groups[g - 1].heading;
}

}  // namespace

bool is_heading(document const& page, node_id n) {
  if (page[n].kind != node_kind::element || page[n].end - n > 24) return false;
  for (auto i = n; i < page[n].end; ++i)
    if (page.is(i, "time") || page.is(i, "img")) return false;
  return looks_like_date(single_spaced(page.text_of(n)));
}

std::set<std::string> kinds_of_headings(document const& page, node_id container, node_id before) {
  std::set<std::string> out;
  for (auto c = page.first_child(container); c != no_node && c < before; c = page[c].next)
    if (is_heading(page, c)) out.insert(kind_of(page, c));
  return out;
}

bool is_heading_of(document const& page, node_id n, std::set<std::string> const& kinds) {
  return page[n].kind == node_kind::element && kinds.contains(kind_of(page, n)) && is_heading(page, n);
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
    if (!all && l.groups[0].heading != no_node)
      inherit_headings(l);
    else if (!all)
      for (auto& g : l.groups) g.heading = no_node;
    return;
  }
  std::vector<record_group> groups;
  auto const container = l.groups[0].container;
  node_id before = no_node;
  auto const kinds = kinds_of_headings(page, container, l.records[0].first);
  for (auto& r : l.records) {
    record_group g{container, container, no_node, no_node};
    find_heading(page, container, before, r.first, g);
    if (g.heading != no_node && !kinds.contains(kind_of(page, g.first))) g.heading = g.first = no_node;
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

}  // namespace cistern::stitch::templates
