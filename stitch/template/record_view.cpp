#include "stitch/template/record_view.hpp"

#include "stitch/template/category_places.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

struct word_range {
  std::size_t from = 0, to = 0;
  [[nodiscard]] bool holds(std::size_t i) const noexcept { return i >= from && i < to; }
  [[nodiscard]] bool meets(word_range o) const noexcept { return from < o.to && o.from < to; }
};

// The words of the record that follow the item's text, looked for at every place where its first words stand.
struct place {
  following match;
  std::size_t from = 0;
  double quality = 0;
};

place find_text(std::vector<shown_word> const& shown, std::vector<word_range> const& taken, content const& told) {
  place best;
  auto const& words = told.words();
  if (words.empty()) return best;
  std::size_t tries = 0;
  for (std::size_t i = 0; i < shown.size() && tries < 64; ++i) {
    if (std::any_of(taken.begin(), taken.end(), [&](word_range t) { return t.holds(i); })) continue;
    bool const starts = shown[i].text == words[0].text &&
                        (words.size() < 2 || i + 1 >= shown.size() || shown[i + 1].text == words[1].text);
    if (!starts) continue;
    ++tries;
    auto const m = follow(shown, i, words);
    if (m.matched > best.match.matched) best = {m, i, 0};
  }
  if (best.match.matched > 0)
    best.quality = static_cast<double>(best.match.matched) / static_cast<double>(best.match.shown_end - best.from);
  return best;
}

bool within(document const& page, node_id n, node_id top) { return n >= top && n < page[top].end; }

// Where the title stands among words [from, to), if nearly all of its words do.
std::optional<word_range> title_in(std::vector<shown_word> const& words, word_range range,
                                   std::vector<std::string_view> const& title) {
  for (auto i = range.from; i + title.size() <= range.to; ++i) {
    std::size_t same = 0;
    for (std::size_t k = 0; k < title.size(); ++k) same += lower(words[i + k].text) == lower(title[k]);
    if (10 * same >= 8 * title.size()) return word_range{i, i + title.size()};
  }
  return {};
}

// A link around a whole record that shows no title at all, but a text.
bool is_card(std::vector<shown_word> const& words, word_range range, std::vector<std::string_view> const& title) {
  constexpr std::size_t longer = 8;
  if (range.to - range.from < title.size() + longer) return false;
  std::unordered_set<std::string> absent;
  for (auto const& t : title) absent.insert(lower(t));
  auto const all = absent.size();
  for (auto i = range.from; i < range.to; ++i) absent.erase(lower(words[i].text));
  return 2 * absent.size() > all;
}

// The words of the title inside the title link; the whole link when the title reads differently there. A link around a
// picture has no words: then the title is inside another one.
word_range title_range(document const& page, record const& r, std::vector<shown_word> const& words,
                       feed::item const& item) {
  auto const before = [&](node_id n) {
    auto const at = std::partition_point(words.begin(), words.end(), [&](shown_word const& w) { return w.node < n; });
    return static_cast<std::size_t>(at - words.begin());
  };
  auto const words_in = [&](node_id top) { return word_range{before(top), before(page[top].end)}; };
  auto const title = words_of(item.title);
  auto const own = words_in(r.link);
  if (title.empty()) return own;
  if (own.from < own.to) {
    auto const found = title_in(words, own, title);
    return found ? *found : is_card(words, own, title) ? word_range{own.from, own.from} : own;
  }
  for (auto n = r.first; n < page[r.last].end; ++n) {
    if (!page.is(n, "a")) continue;
    auto const found = title_in(words, words_in(n), title);
    if (found) return *found;
  }
  return own;
}

// The nodes that hold these words and nothing else: one element as high as that is true, or several siblings.
std::optional<body> enclose(document const& page, record const& r, std::vector<shown_word> const& words,
                            word_range range, node_id title_node) {
  auto const holds_title = [&](node_id n) { return within(page, title_node, n); };
  auto const in_run = [&](node_id n) { return n >= r.first && n < page[r.last].end; };
  auto const [from, to] = range;
  auto const covered = [&, from = from, to = to](node_id n) {
    return !(from > 0 && within(page, words[from - 1].node, n)) &&
           !(to < words.size() && within(page, words[to].node, n));
  };
  node_id top = words[from].node;
  while (!within(page, words[to - 1].node, top) && in_run(page[top].parent)) top = page[top].parent;
  body out;
  out.total = to - from;
  bool const together = within(page, words[to - 1].node, top);
  if (together && covered(top)) {
    while (in_run(page[top].parent) && covered(page[top].parent) && !holds_title(page[top].parent))
      top = page[top].parent;
    if (holds_title(top)) return {};
    out.first = out.last = top;
    out.whole_element = page[top].kind == node_kind::element;
    return out;
  }
  // Several siblings: the children of `top`, or of the container when the record is a run.
  auto const parent = together ? top : page[r.first].parent;
  for (auto c = page.first_child(parent); c != no_node; c = page[c].next) {
    if (!in_run(c)) continue;
    if (out.first == no_node && within(page, words[from].node, c)) out.first = c;
    if (within(page, words[to - 1].node, c)) out.last = c;
  }
  if (out.first == no_node || out.last == no_node || out.last < out.first) return {};
  for (auto c = out.first;; c = page[c].next) {
    if (holds_title(c)) return {};
    if (c == out.last) break;
  }
  return out;
}

// A page may know more of a text than the feed tells. Where the feed's ends, the rest of the paragraph belongs to it
// too: left over it would look like words of the page's own.
std::size_t end_of_paragraph(document const& page, record const& r, std::vector<shown_word> const& words,
                             word_range range, std::vector<word_range> const& taken, node_id title_node) {
  auto const holder = page[words[range.to - 1].node].parent;
  if (holder < r.first || holder >= page[r.last].end || within(page, title_node, holder)) return range.to;
  if (page.is(holder, "a") || !within(page, words[range.from].node, holder)) return range.to;
  auto to = range.to;
  while (to < words.size() && within(page, words[to].node, holder)) ++to;
  bool const meets = std::any_of(taken.begin(), taken.end(), [&](word_range t) { return t.meets({range.from, to}); });
  return meets || to - range.to < 4 ? range.to : to;
}

// A text cut by characters ends in the middle of a word: what is left of that word belongs to it too.
std::size_t end_of_cut_word(std::vector<shown_word> const& words, std::size_t to, std::vector<shown_word> const& told,
                            std::size_t told_end) {
  bool const rest = to < words.size() && told_end < told.size() && words[to].node == words[to - 1].node &&
                    words[to].text.size() < told[told_end].text.size() &&
                    told[told_end].text.starts_with(words[to].text);
  return rest ? to + 1 : to;
}

// Where the record shows one of the item's texts, outside of `taken`.
std::optional<std::pair<body, word_range>> body_of(document const& page, record const& r,
                                                   std::vector<shown_word> const& words, item_text const& text,
                                                   node_id title_node, std::vector<word_range> const& taken) {
  std::array<place, std::size(all_sources)> places;
  place const* best = nullptr;
  content const* told = nullptr;
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = find_text(words, taken, text.of(all_sources[i]));
    if (!best || places[i].match.matched > best->match.matched) best = &places[i], told = &text.of(all_sources[i]);
  }
  auto const needed = std::min<std::size_t>(taken.size() > 1 ? 8 : 4, told->words().size());
  if (best->match.matched < std::max<std::size_t>(1, needed) || best->quality < 0.6) return {};
  word_range range{best->from, best->match.shown_end};
  if (std::any_of(taken.begin(), taken.end(), [&](word_range t) { return t.meets(range); })) return {};
  auto const matched_to = range.to;
  range.to = end_of_cut_word(words, range.to, told->words(), best->match.told_end);
  if (best->match.told_end == told->words().size() && best->match.matched >= 8)
    range.to = end_of_paragraph(page, r, words, range, taken, title_node);
  auto out = enclose(page, r, words, range, title_node);
  if (!out) return {};
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto const& p = places[i];
    if (p.from == best->from && p.match.shown_end + 2 >= matched_to && p.quality >= 0.6) out->of[i] = p.match.told_end;
  }
  return std::pair{*out, range};
}

std::vector<body> bodies_of(document const& page, record const& r, std::vector<shown_word> const& words,
                            feed::item const& item, item_text const& text) {
  constexpr std::size_t most = 2;
  auto const title = title_range(page, r, words, item);
  auto const title_node = title.from < title.to ? words[title.from].node : r.link;
  std::vector<word_range> taken{title};
  std::vector<body> out;
  while (out.size() < most) {
    auto const found = body_of(page, r, words, text, title_node, taken);
    if (!found) break;
    bool const nested = std::any_of(out.begin(), out.end(), [&](body const& b) {
      return found->first.first < page[b.last].end && b.first < page[found->first.last].end;
    });
    if (nested) break;
    out.push_back(found->first);
    taken.push_back(found->second);
  }
  std::sort(out.begin(), out.end(), [](body const& x, body const& y) { return x.first < y.first; });
  return out;
}

class leaf_walk {
public:
  leaf_walk(record_view& out) : page_{*out.page}, out_{out} {}

  // An explicit stack: records can be as deep as the page.
  void run(node_id first, node_id last) {
    struct todo {
      node_id node;
      std::uint64_t path;
    };
    std::vector<todo> stack;
    auto const push = [&](node_id from, node_id to, std::uint64_t path) {
      std::map<std::pair<std::string_view, bool>, std::size_t> ordinal;
      bool after = false;
      std::vector<todo> mine;
      for (auto c = from; c != no_node; c = page_[c].next) {
        if (auto const* b = body_at(c); b && !b->whole_element) {
          // A text of several paragraphs counts as one, so that what follows has the same path below a short one.
          ++ordinal[{page_[c].kind == node_kind::text ? std::string_view{"#"} : std::string_view{"p"}, after}];
          c = b->last;
          if (c == to) break;
          continue;
        }
        if (auto const* k = categories_at(c)) {
          c = k->last;
          after = true;
          if (c == to) break;
          continue;
        }
        auto const& x = page_[c];
        bool const counts = x.kind == node_kind::element || (x.kind == node_kind::text && !blank(x.text));
        if (counts) {
          auto const name = x.kind == node_kind::text ? std::string_view{"#"} : x.name;
          auto const n = ordinal[{name, after}]++;
          mine.push_back({c, path_below(path, name, n + (after ? 1000 : 0))});
        }
        if (c == to) break;
      }
      stack.insert(stack.end(), mine.rbegin(), mine.rend());
    };
    push(first, last, 7);
    while (!stack.empty()) {
      auto const t = stack.back();
      stack.pop_back();
      auto const& x = page_[t.node];
      if (x.kind == node_kind::text) {
        if (x.placed) out_.leaves.push_back({t.path, t.node, -1, x.begin, x.finish, x.text});
        continue;
      }
      int index = 0;
      for (auto const* a = page_.attributes_begin(t.node); a != page_.attributes_end(t.node); ++a, ++index)
        out_.leaves.push_back({path_below(t.path, a->name, 5000), t.node, index, a->begin, a->end, a->value});
      if (auto const* b = body_at(t.node); b && b->whole_element) continue;
      if (html::is_hidden(x.name)) continue;
      if (auto const c = page_.first_child(t.node); c != no_node) push(c, no_node, t.path);
    }
  }

private:
  [[nodiscard]] body const* body_at(node_id n) const {
    for (auto const& b : out_.bodies)
      if (b.first == n) return &b;
    return nullptr;
  }

  [[nodiscard]] categories_shown const* categories_at(node_id n) const {
    for (auto const& k : out_.categories)
      if (k.first == n) return &k;
    return nullptr;
  }

  document const& page_;
  record_view& out_;
};

}  // namespace

std::uint64_t path_below(std::uint64_t parent, std::string_view name, std::size_t ordinal) {
  auto h = parent * 1099511628211ull ^ (ordinal + 0x9E37);
  for (char const c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

item_text::item_text(feed::item const& item)
    : summary{item.summary}, full{item.content}, paragraph{full.first_paragraph()} {}

record_view view_record(document const& page, record const& r, feed::item const* item, item_text const* text) {
  record_view out;
  out.of = &r;
  out.page = &page;
  out.item = item;
  out.words = shown_words(page, r.first, page[r.last].end);
  if (item && text) out.bodies = bodies_of(page, r, out.words, *item, *text);
  if (item) out.categories = find_categories(page, r, *item, out.bodies);
  leaf_walk{out}.run(r.first, r.last);
  return out;
}

}  // namespace cistern::stitch::templates
