#include "stitch/template/nested_layout.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/text.hpp"

#include <map>

namespace cistern::stitch::templates {
namespace {

using html::document;

// What stands between two records: nothing of note, a caption, or a heading and a caption. The bytes around those are
// the same wherever the same stands between two records.
struct joint {
  std::string before, between, after;
};

class nested_layout {
public:
  nested_layout(document const& page, list const& l, sequence const& entries)
      : page_{page}, list_{l}, source_{page.source()} {
    std::vector<joint> plain, captions, headings;
    for (std::size_t i = 0; i < l.records.size(); ++i) {
      place_[entries[i]] = l.records[i].group;
      if (i == 0) continue;
      auto const from = l.records[i - 1].group, to = l.records[i].group;
      auto const begin = end_of(page, l.records[i - 1]), end = begin_of(page, l.records[i]);
      if (from == to)
        plain.push_back({bytes(begin, end), {}, {}});
      else if (l.groups[from].heading == l.groups[to].heading)
        captions.push_back(caption_joint(begin, l.groups[to], end));
      else
        headings.push_back(heading_joint(begin, l.groups[to], end));
    }
    plain_ = agreed(plain);
    caption_ = captions.empty() ? joint_of_containers() : agreed(captions);
    heading_ = agreed(headings);
    sound_ = sound_ && !headings.empty();
  }

  [[nodiscard]] bool sound() const noexcept { return sound_; }

  std::optional<page_edit> draw(sequence const& next, entry_writer const& text_of,
                                heading_writer const& heading) const {
    auto const& top = list_.groups[0];
    auto const first = heading_joint(page_[top.heading].begin, top, begin_of(page_, list_.records[0]));
    std::string out;
    std::optional<spot> open;
    for (auto const e : next) {
      auto const to = spot_of(e, heading);
      if (!to) return {};
      if (!open) {
        out += to->heading + first.between + to->caption + first.after;
      } else if (to->label != open->label) {
        out += heading_->before + to->heading + heading_->between + to->caption + heading_->after;
      } else if (to->caption != open->caption) {
        if (!caption_) return {};
        out += caption_->before + to->caption + caption_->after;
      } else {
        out += plain_ ? plain_->before : "\n";
      }
      out += text_of(e);
      open = to;
    }
    return page_edit{page_[top.heading].begin, end_of(page_, list_.records.back()), out};
  }

private:
  struct spot {
    std::string label;             // as one reads it
    std::string heading, caption;  // bytes
  };

  joint caption_joint(std::uint32_t begin, record_group const& g, std::uint32_t end) {
    auto const from = page_[g.caption_first].begin, to = page_[g.caption_last].finish;
    sound_ = sound_ && page_[g.caption_first].placed && page_[g.caption_last].placed && begin <= from && to <= end;
    return sound_ ? joint{bytes(begin, from), {}, bytes(to, end)} : joint{};
  }

  [[nodiscard]] joint heading_joint(std::uint32_t begin, record_group const& g, std::uint32_t end) const {
    auto const &head = page_[g.heading], &first = page_[g.caption_first], &last = page_[g.caption_last];
    bool const in_order = head.placed && first.placed && last.placed && begin <= head.begin &&
                          head.finish <= first.begin && last.finish <= end;
    if (!in_order) return {};
    return {bytes(begin, head.begin), bytes(head.finish, first.begin), bytes(last.finish, end)};
  }

  // Where no date has two authors: one container ends and the next begins, when each has its own inside of the date's.
  [[nodiscard]] std::optional<joint> joint_of_containers() const {
    auto const& g = list_.groups[0];
    auto const& box = page_[g.container];
    if (g.container == g.root || g.heading >= g.container || !box.placed) return {};
    std::uint32_t last = 0;
    for (auto const& r : list_.records)
      if (r.group == 0) last = end_of(page_, r);
    return joint{bytes(last, box.finish) + "\n" + bytes(box.begin, page_[g.caption_first].begin),
                 {},
                 bytes(page_[g.caption_last].finish, begin_of(page_, list_.records[0]))};
  }

  // The bytes around are the same everywhere, white space aside: anything else would have to go with a record.
  std::optional<joint> agreed(std::vector<joint> const& all) {
    if (all.empty()) return {};
    auto const bare = [](joint const& j) {
      return single_spaced(j.before) + "\n" + single_spaced(j.between) + "\n" + single_spaced(j.after);
    };
    for (auto const& j : all) sound_ = sound_ && bare(j) == bare(all[0]);
    return all[0];
  }

  [[nodiscard]] std::optional<spot> spot_of(entry e, heading_writer const& heading) const {
    if (auto const now = place_.find(e); now != place_.end()) {
      auto const& g = list_.groups[now->second];
      return spot{single_spaced(page_[g.heading].text), std::string{page_.source_of(g.heading)},
                  bytes(page_[g.caption_first].begin, page_[g.caption_last].finish)};
    }
    auto const label = heading.text(e);
    auto const caption = heading.caption(e);
    if (!label || !caption) return {};
    return spot{single_spaced(*label), escape_text(*label), *caption};
  }

  std::string bytes(std::uint32_t from, std::uint32_t to) const {
    return from < to ? std::string{source_.substr(from, to - from)} : std::string{};
  }

  document const& page_;
  list const& list_;
  std::string_view source_;
  std::map<entry, std::size_t> place_;
  std::optional<joint> plain_, caption_, heading_;
  bool sound_ = true;
};

}  // namespace

std::optional<std::vector<page_edit>> lay_out_nested(document const& page, list const& l, sequence const& entries,
                                                     sequence const& next, entry_writer const& text_of,
                                                     heading_writer const& heading) {
  nested_layout const layout{page, l, entries};
  if (!layout.sound()) return {};
  auto edit = layout.draw(next, text_of, heading);
  if (!edit) return {};
  return std::vector{std::move(*edit)};
}

}  // namespace cistern::stitch::templates
