#include "stitch/template/nested_groups.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/content.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

// The child of the group's root that the container is, or lies in.
node_id inner_of(document const& page, record_group const& g) {
  auto n = g.container;
  while (n != no_node && page[n].parent != g.root) n = page[n].parent;
  return n;
}

record const* first_of(list const& l, std::size_t group) {
  auto const r = std::find_if(l.records.begin(), l.records.end(), [&](record const& x) { return x.group == group; });
  return r == l.records.end() ? nullptr : &*r;
}

// What an inner group says before its records.
std::string words_before(document const& page, node_id inner, node_id first) {
  std::string out;
  for (auto const& w : shown_words(page, inner, first)) (out += out.empty() ? "" : " ") += w.text;
  return out;
}

std::string spaced_words(std::string_view text) {
  std::string out;
  for (auto const& w : words_of(text)) (out += out.empty() ? "" : " ") += w;
  return out;
}

struct inner_group {
  std::size_t outer = 0;
  std::string author;
  node_id node = no_node, first = no_node;
  std::uint32_t begin = 0, end = 0, first_record = 0, last_record = 0;
};

struct outer_group {
  std::string label;
  std::uint32_t begin = 0, end = 0, heading_begin = 0, heading_end = 0, first_inner = 0, last_inner = 0;
};

class nested_layout {
public:
  nested_layout(document const& page, list const& l, sequence const& entries) : page_{page} {
    for (std::size_t g = 0; g < l.groups.size() && sound_; ++g) add(l, g);
    for (std::size_t i = 0; i < l.records.size(); ++i) {
      place_[entries[i]] = l.records[i].group;
      if (i > 0 && l.records[i - 1].group == l.records[i].group)
        gap_ = bytes(page[l.records[i - 1].last].finish, page[l.records[i].first].begin);
    }
    for (std::size_t g = 1; g < inner_.size(); ++g)
      if (inner_[g].outer == inner_[g - 1].outer) inner_joint_ = bytes(inner_[g - 1].end, inner_[g].begin);
    if (outer_.size() > 1) outer_joint_ = bytes(outer_[0].end, outer_[1].begin);
  }

  // Each inner heading must be the name of all its items' author.
  bool named_by_author(list const& l, heading_writer const& heading) {
    for (auto const& r : l.records) {
      if (r.item == no_item) return false;
      auto& g = inner_[r.group];
      auto const name = heading.author(r.item);
      if (words_before(page_, g.node, g.first) != spaced_words(name)) return false;
      g.author = name;
    }
    return true;
  }

  [[nodiscard]] bool sound() const noexcept { return sound_; }

  std::optional<page_edit> draw(sequence const& next, std::function<std::string(entry)> const& text_of,
                                heading_writer const& heading) {
    std::string out;
    place open;
    std::size_t passed = 0;  // outer groups of the page that are drawn or left out
    for (std::size_t i = 0; i < next.size(); ++i) {
      auto const to = place_of(next, i, open, heading);
      if (!to) return {};
      bool const same_outer = i > 0 && to->label == open.label && to->outer == open.outer;
      bool const same_inner = same_outer && to->inner == open.inner && to->author == open.author;
      if (same_inner) {
        out += gap_ + text_of(next[i]);
        continue;
      }
      if (i > 0) out += inner_close(open);
      if (same_outer) {
        out += inner_joint_;
      } else {
        if (to->outer && *to->outer < passed) return {};  // an order of groups that nothing explains
        if (i > 0) out += outer_close(open) + joint_before(*to, passed);
        out += outer_open(*to);
        if (to->outer) passed = *to->outer + 1;
      }
      out += inner_open(*to) + text_of(next[i]);
      open = *to;
    }
    if (!next.empty()) out += inner_close(open) + outer_close(open);
    return page_edit{outer_.front().begin, outer_.back().end, out};
  }

private:
  struct place {
    std::optional<std::size_t> outer, inner;  // of the page's own
    std::string label, author;
  };

  void add(list const& l, std::size_t g) {
    auto const& group = l.groups[g];
    auto const node = inner_of(page_, group);
    auto const* const first = first_of(l, g);
    sound_ = node != no_node && first && group.heading != no_node && page_[node].placed && page_[group.root].placed &&
             page_[group.heading].placed && page_[first->first].placed;
    if (!sound_) return;
    auto const &root = page_[group.root], &box = page_[node], &head = page_[group.heading];
    if (outer_.empty() || outer_.back().begin != root.begin)
      outer_.push_back({single_spaced(head.text), root.begin, root.finish, head.begin, head.finish, box.begin, 0});
    outer_.back().last_inner = box.finish;
    inner_group in{outer_.size() - 1, {}, node, first->first, box.begin, box.finish, page_[first->first].begin, 0};
    for (auto const& r : l.records)
      if (r.group == g) in.last_record = page_[r.last].finish;
    sound_ = in.first_record >= in.begin && in.last_record <= in.end && head.finish <= outer_.back().first_inner &&
             (inner_.empty() || inner_.back().end <= in.begin);
    inner_.push_back(std::move(in));
  }

  std::optional<place> place_of(sequence const& next, std::size_t i, place const& open, heading_writer const& heading) {
    if (auto const now = place_.find(next[i]); now != place_.end()) {
      auto const& g = inner_[now->second];
      return place{g.outer, now->second, outer_[g.outer].label, g.author};
    }
    auto const label = heading.text(next[i]);
    if (!label) return {};
    place fresh{{}, {}, single_spaced(*label), heading.author(next[i])};
    if (i > 0 && open.label == fresh.label) {
      if (open.author == fresh.author) return open;
      fresh.outer = open.outer;
    }
    // Those that follow down to one that is there already: the same day is its day, the same author's row his row.
    bool same_author = true;
    for (auto k = i + 1; k < next.size(); ++k) {
      auto const there = place_.find(next[k]);
      if (there == place_.end()) {
        if (heading.text(next[k]) != label) break;
        same_author = same_author && heading.author(next[k]) == fresh.author;
        continue;
      }
      auto const& g = inner_[there->second];
      if (outer_[g.outer].label != fresh.label) break;
      fresh.outer = g.outer;
      if (same_author && g.author == fresh.author) fresh.inner = there->second;
      break;
    }
    return fresh;
  }

  std::string joint_before(place const& to, std::size_t passed) const {
    if (to.outer && *to.outer > 0 && *to.outer >= passed)
      return bytes(outer_[*to.outer - 1].end, outer_[*to.outer].begin);
    return outer_joint_;
  }
  std::string outer_open(place const& p) const {
    auto const& o = outer_[p.outer.value_or(0)];
    return bytes(o.begin, o.heading_begin) + (p.outer ? bytes(o.heading_begin, o.heading_end) : escape_text(p.label)) +
           bytes(o.heading_end, o.first_inner);
  }
  std::string outer_close(place const& p) const {
    auto const& o = outer_[p.outer.value_or(0)];
    return bytes(o.last_inner, o.end);
  }
  std::string inner_open(place const& p) const {
    if (p.inner) return bytes(inner_[*p.inner].begin, inner_[*p.inner].first_record);
    for (auto const& g : inner_)
      if (g.author == p.author) return bytes(g.begin, g.first_record);
    return renamed(inner_.front(), p.author);
  }
  std::string inner_close(place const& p) const {
    auto const& g = inner_[p.inner.value_or(0)];
    return bytes(g.last_record, g.end);
  }

  // The head of a group with another author's name: his address and his picture are not known.
  std::string renamed(inner_group const& g, std::string const& author) const {
    std::string out;
    auto at = g.begin;
    bool named = false;
    auto const replace = [&](std::uint32_t from, std::uint32_t to, std::string const& with) {
      if (from < at) return;
      ((out += bytes(at, from)) += with);
      at = to;
    };
    for (auto n = g.node; n < g.first; ++n) {
      auto const& x = page_[n];
      if (!x.placed) continue;
      if (x.kind == node_kind::text && !words_of(x.text).empty()) {
        replace(x.begin, x.finish, named ? std::string{} : escape_text(author));
        named = true;
      } else if (page_.is(n, "img")) {
        replace(x.begin, x.finish, {});
      } else if (x.kind == node_kind::element) {
        for (auto const* a = page_.attributes_begin(n); a != page_.attributes_end(n); ++a)
          if (a->name != "class") replace(a->begin, a->end, {});
      }
    }
    return out + bytes(at, g.first_record);
  }

  std::string bytes(std::uint32_t from, std::uint32_t to) const {
    return to > from ? std::string{page_.source().substr(from, to - from)} : std::string{};
  }

  document const& page_;
  std::vector<outer_group> outer_;
  std::vector<inner_group> inner_;
  std::map<entry, std::size_t> place_;
  std::string gap_ = "\n", inner_joint_ = "\n", outer_joint_ = "\n";
  bool sound_ = true;
};

}  // namespace

bool has_inner_groups(document const& page, list const& l) {
  if (l.groups.size() < 2) return false;
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    auto const node = inner_of(page, l.groups[g]);
    auto const* const first = first_of(l, g);
    if (node == no_node || !first || l.groups[g].heading >= node) return false;
    if (words_before(page, node, first->first).empty()) return false;
  }
  return true;
}

std::optional<page_edit> lay_out_nested(document const& page, list const& l, sequence const& entries,
                                        sequence const& next, std::function<std::string(entry)> const& text_of,
                                        heading_writer const& heading) {
  nested_layout layout{page, l, entries};
  if (!layout.sound() || !layout.named_by_author(l, heading)) return {};
  return layout.draw(next, text_of, heading);
}

}  // namespace cistern::stitch::templates
