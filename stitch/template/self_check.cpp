#include "stitch/template/self_check.hpp"

#include "stitch/template/content.hpp"
#include "stitch/template/items.hpp"
#include "stitch/template/lists.hpp"
#include "stitch/template/marks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::node_id;
using tally = std::map<std::string_view, std::size_t>;

struct reading {
  std::vector<item_id> row;          // items in the order of their links, repetitions in a row once
  std::map<item_id, tally> records;  // words by item, over all lists
  tally outside;
};

reading read(document const& page, item_table const& items) {
  reading out;
  for (auto const& m : find_marks(page, items))
    if (out.row.empty() || out.row.back() != m.item) out.row.push_back(m.item);
  std::vector<item_id> owner(page.size(), no_item);
  for (auto const& l : find_lists(page, items, 0))
    for (auto const& r : l.records)
      if (r.item != no_item) std::fill(owner.begin() + r.first, owner.begin() + page[r.last].end, r.item);
  auto const body = page.find("body");
  if (body == html::no_node) return out;
  for (auto const& w : shown_words(page, body, page[body].end))
    ++(owner[w.node] == no_item ? out.outside : out.records[owner[w.node]])[w.text];
  return out;
}

// Words in common over all words, Dice's way.
double alike(tally const& x, tally const& y) {
  std::size_t both = 0, all = 0;
  for (auto const& [w, n] : x) all += n;
  for (auto const& [w, n] : y) {
    all += n;
    if (auto const i = x.find(w); i != x.end()) both += std::min(n, i->second);
  }
  return all == 0 ? 1 : 2.0 * static_cast<double>(both) / static_cast<double>(all);
}

double alike(std::vector<item_id> const& x, std::vector<item_id> const& y) {
  if (x == y) return 1;
  std::vector<std::size_t> row(y.size() + 1, 0);  // longest common subsequence; pages show hundreds of items at most
  for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 2000); ++i) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      auto const above = row[j + 1];
      row[j + 1] = x[i] == y[j] ? diagonal + 1 : std::max(row[j + 1], row[j]);
      diagonal = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(x.size() + y.size());
}

}  // namespace

check self_check(document const& stitched, document const& served, std::string_view base,
                 std::vector<feed::feed> const& feeds) {
  item_table items{std::string{base}};
  items.add(feeds);
  auto const got = read(stitched, items), truth = read(served, items);
  check out;
  out.shown = got.row.size();
  out.expected = truth.row.size();
  std::set<item_id> const mine(got.row.begin(), got.row.end()), theirs(truth.row.begin(), truth.row.end());
  std::size_t both = 0;
  double words = 0;
  for (auto const i : theirs) {
    if (!mine.contains(i)) continue;
    ++both;
    auto const g = got.records.find(i), t = truth.records.find(i);
    words += g != got.records.end() && t != truth.records.end()   ? alike(g->second, t->second)
             : g == got.records.end() && t == truth.records.end() ? 1
                                                                  : 0;
  }
  if (auto const all = mine.size() + theirs.size(); all > 0)
    out.items = 2.0 * static_cast<double>(both) / static_cast<double>(all);
  if (both > 0) out.words = words / static_cast<double>(both);
  out.order = alike(got.row, truth.row);
  out.outside = alike(got.outside, truth.outside);
  out.score = out.order * out.words * out.outside;
  return out;
}

}  // namespace cistern::stitch::templates
