#include "stitch/template/record_runs.hpp"

#include "stitch/template/group_headings.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cistern::stitch::templates {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

namespace {

// How far the last record reaches: up to the last node like the one that ends every other record, over elements
// that the others have below their roots; or as far as it looks like the record before it.
std::size_t last_trail(std::vector<node_id> const& children, std::vector<std::size_t> const& at, std::size_t lead,
                       std::function<std::string(node_id)> const& shape,
                       std::function<std::string(node_id)> const& kind) {
  std::set<std::string> shapes, ends;
  auto const end_of = [&](std::size_t i) { return at[i + 1] - std::min(lead, at[i + 1] - at[i] - 1); };
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    for (auto k = at[i] + 1; k < end_of(i); ++k) shapes.insert(shape(children[k]));
    ends.insert(end_of(i) > at[i] + 1 ? kind(children[end_of(i) - 1]) : std::string{});
  }
  std::size_t ended = 0;
  for (auto k = at.back() + 1; ends.size() == 1 && k < children.size() && shapes.contains(shape(children[k])); ++k)
    if (ends.contains(kind(children[k]))) ended = k - at.back();
  if (ended > 0) return ended;
  auto const model = at[at.size() - 2];
  auto const want = end_of(at.size() - 2) - model - 1;
  std::size_t trail = 0;
  while (trail < want && at.back() + trail + 1 < children.size() &&
         kind(children[at.back() + trail + 1]) == kind(children[model + trail + 1]))
    ++trail;
  return trail;
}

// A record alone in its container has around it what the records of the other containers have; where all are alone, all
// that follows it when that looks the same everywhere.
void set_lone_runs(document const& page, list& l, std::function<std::string(node_id)> const& kind) {
  auto const in_line = [&](node_id n) { return page[n].kind == node_kind::element || !blank(page[n].text); };
  auto const kinds_after = [&](node_id root, node_id last) {
    std::vector<std::string> out;
    for (auto c = page[root].next; c != no_node && c <= last; c = page[c].next)
      if (in_line(c)) out.push_back(kind(c));
    return out;
  };
  std::vector<std::size_t> sizes(l.groups.size(), 0);
  for (auto const& r : l.records) ++sizes[r.group];
  std::optional<std::vector<std::string>> model;
  for (auto const& r : l.records)
    if (sizes[r.group] > 1 && !model) model = kinds_after(r.root, r.last);
  if (!model) {
    for (auto const& r : l.records) {
      auto const mine = kinds_after(r.root, page[l.groups[r.group].container].end);
      if (model && *model != mine) return;
      model = mine;
    }
  }
  for (auto& r : l.records) {
    if (sizes[r.group] != 1 || !model) continue;
    std::size_t matched = 0;
    for (auto c = page[r.root].next; c != no_node && matched < model->size(); c = page[c].next) {
      if (!in_line(c)) continue;
      if (kind(c) != (*model)[matched]) break;
      ++matched;
      r.last = c;
    }
  }
}

}  // namespace

// What stands between two records belongs to one of them, or to the gap. Lead: the nodes before each root that look the
// same before every root, the first one included; trail: what is left up to the next record.
void set_runs(document const& page, list& l) {
  auto const shape = [&](node_id n) {
    if (page[n].kind == node_kind::text) return std::string{blank(page[n].text) ? " " : "text"};
    return page[n].kind == node_kind::comment ? std::string{" "} : std::string{page[n].name};
  };
  auto const kind = [&](node_id n) { return shape(n) + "." + single_spaced(page.attribute_or_empty(n, "class")); };
  std::set<node_id> captions;
  for (auto const& r : l.records) captions.insert(r.caption);
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    std::vector<record*> mine;
    for (auto& r : l.records)
      if (r.group == g) mine.push_back(&r);
    if (mine.size() < 2) continue;
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
    auto const stands_apart = [&](node_id n) { return shape(n) == "hr" || captions.contains(n); };
    while (lead < last_room && !stands_apart(children[at.back() - lead - 1]) && same_before(lead + 1) == at.size())
      ++lead;
    // Dates stand over the records only if one stands over the first; else each record has its own below its title.
    auto const headings = kinds_of_headings(page, l.groups[g].container, mine[0]->root);
    std::size_t common_trail = ~std::size_t{0};
    for (std::size_t i = 0; i + 1 < at.size(); ++i)
      common_trail = std::min(common_trail, at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      auto const room = i == 0 ? at[0] : at[i] - at[i - 1] - 1;
      auto const l_i = std::min(lead, room);
      std::size_t trail = common_trail;
      if (i + 1 < at.size())
        trail = at[i + 1] - at[i] - 1 - std::min(lead, at[i + 1] - at[i] - 1);
      else
        trail = last_trail(children, at, lead, shape, kind);
      for (std::size_t k = 0; !headings.empty() && k < trail; ++k) {  // a heading of those that follow is nobody's trail
        auto const n = children[at[i] + k + 1];
        if (is_heading_of(page, n, headings) || captions.contains(n)) trail = k;
      }
      // An element that only an end tag without a beginning made has no bytes; the tag stays in the gap.
      while (trail > 0 && !page[children[at[i] + trail]].placed && page.first_child(children[at[i] + trail]) == no_node)
        --trail;
      mine[i]->first = children[at[i] - l_i];
      mine[i]->last = children[at[i] + trail];
    }
  }
  if (l.groups.size() > 1) set_lone_runs(page, l, kind);
}

}  // namespace cistern::stitch::templates
