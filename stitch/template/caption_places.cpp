#include "stitch/template/caption_places.hpp"

#include "stitch/template/group_headings.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

std::string author_of(record const& r, item_table const& items, std::size_t time) {
  return r.item == no_item ? std::string{} : single_spaced(items.as_of(r.item, time).author);
}

bool is_name(document const& page, node_id n, std::string const& author) {
  constexpr node_id small = 24;
  return page[n].kind == node_kind::element && page[n].end - n <= small && single_spaced(page.text_of(n)) == author;
}

// The siblings of one container in order, to see what stands before each record.
struct walk {
  bool dated = false;      // a date has been passed
  bool fresh = false;      // and no record since
  node_id name = no_node;  // candidate for the next record
  record const* before = nullptr;
};

// A name stands over the first record below a date and over each that is not by the author of the one before.
bool follows_rule(walk const& w, record const& r, item_table const& items, std::size_t time) {
  bool const same = !w.fresh && w.before && author_of(*w.before, items, time) == author_of(r, items, time);
  return w.dated && (r.caption == no_node) == same;
}

// What stands in a group's own container before its records, below the heading; the text of it.
std::string find_caption(document const& page, record const& first, record_group& g) {
  std::string out;
  if (g.heading >= g.container) return out;
  for (auto c = page.first_child(g.container); c != no_node && c < first.first; c = page[c].next) {
    if (page[c].kind == node_kind::text && blank(page[c].text)) continue;
    if (g.caption_first == no_node) g.caption_first = c;
    g.caption_last = c;
    out += page.text_of(c);
  }
  return single_spaced(out);
}

// Captions inside the containers: all have one, they differ, and containers share a heading or the authors are named.
bool captions_inside(document const& page, item_table const& items, std::size_t time, list& l) {
  std::set<std::string> different;
  bool all = true, named = true, shared = false;
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    auto const r = std::find_if(l.records.begin(), l.records.end(), [&](record const& x) { return x.group == g; });
    auto const text = find_caption(page, *r, l.groups[g]);
    auto const author = author_of(*r, items, time);
    all = all && !words_of(text).empty();
    named = named && !author.empty() && text.find(author) != std::string::npos;
    shared |= g > 0 && l.groups[g].heading == l.groups[g - 1].heading;
    different.insert(text);
  }
  return all && different.size() > 1 && (shared || named);
}

// Groups of the records below each name, in place of those below each date.
void split_at_names(document const& page, list& l) {
  std::vector<record_group> groups;
  for (auto& r : l.records) {
    if (r.caption != no_node) {
      auto g = l.groups[r.group];
      g.caption_first = g.caption_last = r.caption;
      for (auto c = r.caption; c != no_node && c < r.first; c = page[c].next)
        if (page[c].kind != node_kind::text || !blank(page[c].text)) g.caption_last = c;
      groups.push_back(g);
    }
    r.group = groups.size() - 1;
  }
  l.groups = std::move(groups);
}

}  // namespace

void find_author_names(document const& page, item_table const& items, std::size_t time, list& l) {
  bool sound = true;
  std::set<std::string> authors;
  auto next = l.records.begin();
  for (std::size_t g = 0; g < l.groups.size() && sound; ++g) {
    walk w;
    for (auto c = page.first_child(l.groups[g].container); c != no_node && sound; c = page[c].next) {
      if (next == l.records.end() || next->group != g) break;
      if (c != next->root) {
        if (is_heading(page, c)) w.dated = w.fresh = true, w.name = no_node;
        if (auto const author = author_of(*next, items, time); !author.empty() && is_name(page, c, author)) w.name = c;
        continue;
      }
      next->caption = w.name;
      sound = follows_rule(w, *next, items, time);
      authors.insert(author_of(*next, items, time));
      w = {w.dated, false, no_node, &*next};
      ++next;
    }
  }
  // Where only one is named the name may be part of every record.
  if (sound && authors.size() > 1 && next == l.records.end()) return;
  for (auto& r : l.records) r.caption = no_node;
}

void set_captions(document const& page, item_table const& items, std::size_t time, list& l) {
  if (l.groups[0].heading == no_node) return;
  if (l.records[0].caption != no_node) return split_at_names(page, l);
  if (l.groups.size() > 1 && captions_inside(page, items, time, l)) return;
  bool inherited = false;
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    l.groups[g].caption_first = l.groups[g].caption_last = no_node;
    inherited |= g > 0 && l.groups[g].heading == l.groups[g - 1].heading;
  }
  if (inherited && l.groups[0].container != l.groups[1].container)
    for (auto& g : l.groups) g.heading = no_node;
}

}  // namespace cistern::stitch::templates
