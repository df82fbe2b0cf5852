#include "stitch/template/nested_layout.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/text.hpp"

#include <map>

namespace cistern::stitch::templates {
namespace {

using html::document;

struct range {
  std::uint32_t begin = 0, end = 0;
};

// One container with its caption and records, and one heading with its containers, as bytes.
struct inner_group {
  range whole, caption, records;
  std::size_t outer = 0;
};
struct outer_group {
  range whole, heading, inside;  // inside: from its first container to its last
  std::string label;
};

class nested_layout {
public:
  nested_layout(document const& page, list const& l, sequence const& entries) : source_{page.source()} {
    for (std::size_t g = 0; g < l.groups.size(); ++g) add(page, l, g);
    std::vector<std::string> gaps, inner, outer;
    for (std::size_t i = 0; i < l.records.size(); ++i) {
      place_[entries[i]] = l.records[i].group;
      if (i > 0 && l.records[i - 1].group == l.records[i].group)
        gaps.push_back(bytes({end_of(page, l.records[i - 1]), begin_of(page, l.records[i])}));
    }
    for (std::size_t g = 1; g < inner_.size(); ++g)
      if (inner_[g].outer == inner_[g - 1].outer)
        inner.push_back(bytes({inner_[g - 1].whole.end, inner_[g].whole.begin}));
    for (std::size_t o = 1; o < outer_.size(); ++o)
      outer.push_back(bytes({outer_[o - 1].whole.end, outer_[o].whole.begin}));
    gap_ = agreed(gaps);
    inner_joint_ = agreed(inner);
    outer_joint_ = agreed(outer);
  }

  [[nodiscard]] bool regular() const {
    for (auto const& i : inner_)
      if (i.whole.begin > i.caption.begin || i.caption.end > i.records.begin || i.records.end > i.whole.end)
        return false;
    std::uint32_t reached = 0;
    for (auto const& o : outer_) {
      if (o.whole.begin < reached || o.heading.begin < o.whole.begin || o.inside.begin < o.heading.end ||
          o.whole.end < o.inside.end)
        return false;
      reached = o.whole.end;
    }
    return regular_ && !outer_.empty();
  }

  std::optional<page_edit> draw(sequence const& next, entry_writer const& text_of,
                                heading_writer const& heading) const {
    std::string out;
    std::optional<spot> open;
    for (auto const e : next) {
      auto const to = spot_of(e, heading);
      if (!to) return {};
      bool const same_day = open && open->label == to->label;
      if (same_day && open->caption == to->caption) {
        out += gap_ + text_of(e);
        continue;
      }
      if (open) out += after(inner_[open->inner]);
      if (!same_day) {
        if (open) out += after(outer_[inner_[open->inner].outer]) + outer_joint_;
        out += before(outer_[inner_[to->inner].outer], to->label, to->fresh);
      } else {
        out += inner_joint_;
      }
      auto const& i = inner_[to->inner];
      out +=
          bytes({i.whole.begin, i.caption.begin}) + to->caption + bytes({i.caption.end, i.records.begin}) + text_of(e);
      open = to;
    }
    if (open) out += after(inner_[open->inner]) + after(outer_[inner_[open->inner].outer]);
    return page_edit{outer_.front().whole.begin, outer_.back().whole.end, out};
  }

private:
  struct spot {
    std::size_t inner = 0;  // whose bytes stand around it
    bool fresh = false;
    std::string label, caption;
  };

  void add(document const& page, list const& l, std::size_t g) {
    auto const& group = l.groups[g];
    bool const same = g > 0 && l.groups[g - 1].root == group.root;
    auto const top = group.container;
    for (auto const n : {group.root, top, group.heading, group.caption_first, group.caption_last})
      regular_ = regular_ && page[n].placed;
    regular_ = regular_ && page[top].parent == group.root;
    if (!same) {
      auto const &root = page[group.root], &head = page[group.heading];
      outer_.push_back({{root.begin, root.finish},
                        {head.begin, head.finish},
                        {page[top].begin, page[top].finish},
                        single_spaced(head.text)});
    }
    outer_.back().inside.end = page[top].finish;
    inner_group i{{page[top].begin, page[top].finish},
                  {page[group.caption_first].begin, page[group.caption_last].finish},
                  {},
                  outer_.size() - 1};
    for (auto const& r : l.records) {
      if (r.group != g) continue;
      if (i.records.end == 0) i.records.begin = begin_of(page, r);
      i.records.end = end_of(page, r);
    }
    inner_.push_back(i);
  }

  // What stands between all neighbours, white space aside: anything else would have to go with one of them.
  std::string agreed(std::vector<std::string> const& between) {
    auto const out = most_common(between);
    for (auto const& b : between) regular_ = regular_ && (blank(b) ? blank(out) : b == out);
    return out;
  }

  std::optional<spot> spot_of(entry e, heading_writer const& heading) const {
    if (auto const now = place_.find(e); now != place_.end())
      return spot{now->second, false, outer_[inner_[now->second].outer].label, bytes(inner_[now->second].caption)};
    auto const label = heading.text(e);
    auto const caption = heading.caption(e);
    if (!label || !caption) return {};
    return spot{0, true, single_spaced(*label), *caption};
  }

  std::string before(outer_group const& o, std::string const& label, bool fresh) const {
    return bytes({o.whole.begin, o.heading.begin}) + (fresh ? escape_text(label) : bytes(o.heading)) +
           bytes({o.heading.end, o.inside.begin});
  }
  std::string after(inner_group const& i) const { return bytes({i.records.end, i.whole.end}); }
  std::string after(outer_group const& o) const { return bytes({o.inside.end, o.whole.end}); }
  std::string bytes(range r) const { return std::string{source_.substr(r.begin, r.end - r.begin)}; }

  std::string_view source_;
  std::vector<inner_group> inner_;
  std::vector<outer_group> outer_;
  std::map<entry, std::size_t> place_;
  std::string gap_, inner_joint_, outer_joint_;
  bool regular_ = true;
};

}  // namespace

std::optional<std::vector<page_edit>> lay_out_nested(document const& page, list const& l, sequence const& entries,
                                                     sequence const& next, entry_writer const& text_of,
                                                     heading_writer const& heading) {
  nested_layout const layout{page, l, entries};
  if (!layout.regular()) return {};
  auto edit = layout.draw(next, text_of, heading);
  if (!edit) return {};
  return std::vector{std::move(*edit)};
}

}  // namespace cistern::stitch::templates
