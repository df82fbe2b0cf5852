#include "stitch/template/layout.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/nested_layout.hpp"
#include "stitch/template/record_bytes.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

using html::document;

bool in_place(document const& page, list const& l) {
  std::uint32_t reached = 0;
  for (auto const& r : l.records) {
    if (!page[r.first].placed || !page[r.last].placed || begin_of(page, r) < reached) return false;
    reached = end_of(page, r);
  }
  return true;
}

// A group of records under a heading, as bytes: what comes before the first record, and after the last.
struct segment {
  std::string label;
  std::string says;  // besides heading and records, numbers aside
  std::uint32_t begin = 0, end = 0, heading_begin = 0, heading_end = 0, first_record = 0, last_record = 0;
};

// The words of [from, to) that are no numbers, but for those of one node.
void add_words(document const& page, html::node_id from, html::node_id to, html::node_id except, std::string& out) {
  for (auto n = from; n < to; ++n)
    if (n != except && page[n].kind == html::node_kind::text)
      for (auto const& w : words_of(page[n].text))
        if (w.find_first_not_of("0123456789") != std::string_view::npos) (out += w) += ' ';
}

std::optional<segment> segment_of(document const& page, list const& l, std::size_t g) {
  auto const& group = l.groups[g];
  if (group.heading == html::no_node || !page[group.heading].placed || !page[group.first].placed) return {};
  segment s;
  s.label = single_spaced(page[group.heading].text);
  s.begin = page[group.first].begin;
  s.heading_begin = page[group.heading].begin;
  s.heading_end = page[group.heading].finish;
  auto after = html::no_node;  // the node that follows the records
  for (auto const& r : l.records) {
    if (r.group != g) continue;
    if (s.last_record == 0) {
      s.first_record = begin_of(page, r);
      add_words(page, group.first, r.first, group.heading, s.says);
    }
    s.last_record = end_of(page, r);
    after = page[r.last].end;
  }
  bool const shared = l.groups.size() == 1 || group.container == l.groups[g == 0 ? 1 : g - 1].container;
  if (!shared && !page[group.root].placed) return {};
  s.end = shared ? s.last_record : page[group.root].finish;
  if (!shared) add_words(page, after, page[group.root].end, html::no_node, s.says);
  if (s.begin > s.heading_begin || s.heading_end > s.first_record || s.last_record > s.end) return {};
  return s;
}

std::optional<std::vector<segment>> segments_of(document const& page, list const& l) {
  std::vector<segment> out;
  for (std::size_t g = 0; g < l.groups.size(); ++g) {
    auto s = segment_of(page, l, g);
    if (!s || (!out.empty() && s->begin < out.back().end)) return {};
    out.push_back(std::move(*s));
  }
  return out;
}

// Redraws the whole run of groups: each keeps its own bytes around its records and before itself, where an outer
// heading may stand (years over months); a new group's bytes are copied from the first that says what most say.
class group_layout {
public:
  group_layout(document const& page, list const& l, sequence const& entries, std::vector<segment> segments)
      : source_{page.source()}, segments_{std::move(segments)} {
    std::vector<std::string> gaps, joints;
    gaps_.resize(segments_.size());
    for (std::size_t i = 0; i < l.records.size(); ++i) {
      auto const g = l.records[i].group;
      place_[entries[i]] = g;
      if (i == 0 || l.records[i - 1].group != g) continue;
      gaps.push_back(bytes(end_of(page, l.records[i - 1]), begin_of(page, l.records[i])));
      gaps_[g].push_back(gaps.back());
    }
    for (std::size_t g = 1; g < segments_.size(); ++g)
      joints.push_back(bytes(segments_[g - 1].end, segments_[g].begin));
    gap_ = usual_gap(gaps);
    joint_ = most_common(joints);
    choose_model();
    for (auto const& j : joints) nested_ |= j != joint_ && j.find_first_not_of(" \t\r\n") != std::string::npos;
  }

  std::optional<page_edit> draw(sequence const& next, entry_writer const& text_of, heading_writer const& heading) {
    std::string out;
    group open;
    std::size_t below = 0;  // groups that are drawn or passed
    std::size_t drawn = 0;  // records of the open one
    for (std::size_t i = 0; i < next.size(); ++i) {
      auto const to = group_of(next, i, open, heading);
      if (!to) return {};
      if (i > 0 && same(*to, open)) {
        out += gap(open, drawn++) + text_of(next[i]);
        continue;
      }
      drawn = 0;
      if (i > 0) out += after(open);
      bool const follows = to->at && *to->at > 0 && *to->at >= below;
      if (to->at && *to->at < below) return {};  // an order of groups that nothing explains
      if (i > 0) out += follows ? bytes(segments_[*to->at - 1].end, segments_[*to->at].begin) : joint_;
      if (i == 0 && to->at && *to->at > 0 && nested_) return {};
      if (to->at) below = *to->at + 1;
      if (!to->at && !model_) return {};  // what else a group says is not known
      out += before(*to) + text_of(next[i]);
      open = *to;
    }
    if (!next.empty()) out += after(open);
    return page_edit{segments_.front().begin, segments_.back().end, out};
  }

private:
  struct group {
    std::optional<std::size_t> at;  // one of the page's own
    std::string label;
    int year = 0;
  };

  static bool same(group const& x, group const& y) {
    if (x.at && y.at) return *x.at == *y.at;
    return x.label == y.label && agree(x.year, y.year);
  }
  static bool agree(int x, int y) { return x == 0 || y == 0 || x == y; }

  // Where an entry is now; or the group before or after it that has the heading it needs; or a new one.
  std::optional<group> group_of(sequence const& next, std::size_t i, group const& open, heading_writer const& heading) {
    if (auto const now = place_.find(next[i]); now != place_.end())
      return group{now->second, segments_[now->second].label, heading.year(next[i])};
    auto const label = heading.text(next[i]);
    if (!label) return {};
    group const fresh{{}, single_spaced(*label), heading.year(next[i])};
    if (i > 0 && same(fresh, open)) return open;
    if (nested_ && i > 0 && !agree(fresh.year, open.year)) return {};
    auto at = next.begin() + static_cast<std::ptrdiff_t>(i);
    while (at != next.end() && !place_.contains(*at)) ++at;
    if (at != next.end()) {
      group const later{place_.at(*at), segments_[place_.at(*at)].label, heading.year(*at)};
      if (same(fresh, later)) return later;
      if (nested_ && (fresh.year == 0 || fresh.year != later.year)) return {};  // under which outer heading?
    } else if (nested_) {
      return {};
    }
    return fresh;
  }

  void choose_model() {
    std::vector<std::string> say;
    for (auto const& s : segments_) say.push_back(s.says);
    auto const usual = most_common(say);
    auto const same = static_cast<std::size_t>(std::count(say.begin(), say.end(), usual));
    if (2 * same < say.size() || (same == 1 && say.size() > 1)) return;
    model_ = static_cast<std::size_t>(std::find(say.begin(), say.end(), usual) - say.begin());
  }

  // What follows the n-th record of a group.
  std::string const& gap(group const& g, std::size_t n) const {
    return g.at && n < gaps_[*g.at].size() ? gaps_[*g.at][n] : gap_;
  }
  std::string before(group const& g) const {
    auto const& s = segments_[g.at.value_or(model_.value_or(0))];
    return bytes(s.begin, s.heading_begin) + (g.at ? bytes(s.heading_begin, s.heading_end) : escape_text(g.label)) +
           bytes(s.heading_end, s.first_record);
  }
  std::string after(group const& g) const {
    auto const& s = segments_[g.at.value_or(model_.value_or(0))];
    return bytes(s.last_record, s.end);
  }
  std::string bytes(std::uint32_t from, std::uint32_t to) const { return std::string{source_.substr(from, to - from)}; }

  std::string_view source_;
  std::vector<segment> segments_;
  std::map<entry, std::size_t> place_;
  std::vector<std::vector<std::string>> gaps_;  // by group
  std::string gap_, joint_;
  std::optional<std::size_t> model_;  // the group that new ones are copied from
  bool nested_ = false;               // some groups are set off by more than the others
};

// Slot by slot: the gaps between records stay where they are, also those between the rows of a grid.
class slot_layout {
public:
  slot_layout(document const& page, list const& l, sequence const& entries, record_writer const& writer)
      : page_{page}, list_{l}, entries_{entries}, revised_{writer.revised} {
    if (l.records.size() < 2) return;
    even_ = class_of(l.records[0]);
    odd_ = class_of(l.records[1]);
    for (std::size_t i = 0; i < l.records.size(); ++i)
      if (class_of(l.records[i]) != (i % 2 == 0 ? even_ : odd_)) even_ = odd_ = "";
  }

  std::vector<page_edit> draw(sequence const& next, entry_writer const& text_of) {
    auto const slots = list_.records.size();
    for (std::size_t i = 0; i < std::min(slots, next.size()); ++i)
      if (next[i] != entries_[i] || revised_.contains(next[i]))
        edits_.push_back(
            {begin_of(page_, list_.records[i]), end_of(page_, list_.records[i]), dressed(text_of(next[i]), i)});
    for (std::size_t i = next.size(); i < slots; ++i) drop(i, next.size());
    if (next.size() > slots) append(next, text_of);
    return std::move(edits_);
  }

private:
  std::string class_of(record const& r) const { return std::string{page_.attribute_or_empty(r.root, "class")}; }

  // The class of the place, where odd and even ones alternate.
  std::string dressed(std::string text, std::size_t place) const {
    if (even_ == odd_ || even_.empty() || odd_.empty()) return text;
    auto const& want = place % 2 == 0 ? even_ : odd_;
    auto const& other = place % 2 == 0 ? odd_ : even_;
    if (auto const at = text.find(other); at != std::string::npos && at < text.find('>'))
      text.replace(at, other.size(), want);
    return text;
  }

  // A record goes with the gap before it, and its row with the last one in it.
  void drop(std::size_t i, std::size_t kept) {
    auto const& r = list_.records[i];
    bool const same_group = i > 0 && list_.records[i - 1].group == r.group;
    bool const row_goes =
        !same_group && i >= kept && list_.groups.size() > 1 && page_[list_.groups[r.group].root].placed;
    if (row_goes) {
      auto const& root = page_[list_.groups[r.group].root];
      edits_.push_back({root.begin, root.finish, ""});
    } else {
      edits_.push_back({same_group ? end_of(page_, list_.records[i - 1]) : begin_of(page_, r), end_of(page_, r), ""});
    }
  }

  std::string bytes(std::uint32_t from, std::uint32_t to) const {
    return std::string{page_.source().substr(from, to - from)};
  }

  void append(sequence const& next, entry_writer const& text_of) {
    auto const& records = list_.records;
    std::vector<std::string> gaps;
    std::vector<std::size_t> sizes(list_.groups.size(), 0);
    for (std::size_t i = 0; i < records.size(); ++i) {
      ++sizes[records[i].group];
      if (i > 0 && records[i - 1].group == records[i].group)
        gaps.push_back(bytes(end_of(page_, records[i - 1]), begin_of(page_, records[i])));
    }
    auto const gap = usual_gap(gaps);
    auto const& root = page_[list_.groups.back().root];
    auto const row = sizes.size() > 1 && root.placed ? sizes[0] : next.size();  // records to a row
    auto const first_of_last = static_cast<std::size_t>(records.size() - sizes.back());
    auto const open = bytes(root.begin, begin_of(page_, records[first_of_last])),
               close = bytes(end_of(page_, records.back()), root.finish);
    std::string inside, outside;
    auto filled = sizes.back();
    for (std::size_t i = records.size(); i < next.size(); ++i) {
      auto const text = dressed(text_of(next[i]), i);
      if (filled < row) {
        (outside.empty() ? inside : outside) += gap + text;
        ++filled;
      } else {
        outside += (outside.empty() ? "" : close) + "\n" + open + text;
        filled = 1;
      }
    }
    if (!outside.empty()) outside += close;
    edits_.push_back({end_of(page_, records.back()), end_of(page_, records.back()), inside});
    if (!outside.empty()) edits_.push_back({root.finish, root.finish, outside});
  }

  document const& page_;
  list const& list_;
  sequence const& entries_;
  std::map<entry, std::string> const& revised_;
  std::string even_, odd_;
  std::vector<page_edit> edits_;
};

}  // namespace

std::optional<std::vector<page_edit>> lay_out(document const& page, list const& l, sequence const& entries,
                                              sequence const& next, record_writer const& writer,
                                              heading_writer const& heading) {
  if (!in_place(page, l) || next.empty()) return {};
  auto const source = page.source();
  auto bytes = writer.revised;
  for (std::size_t i = 0; i < l.records.size(); ++i)
    bytes.try_emplace(entries[i], source.substr(begin_of(page, l.records[i]),
                                                end_of(page, l.records[i]) - begin_of(page, l.records[i])));
  auto const text_of = [&](entry e) {
    auto const b = bytes.find(e);
    return b != bytes.end() ? b->second : writer.write(e);
  };
  if (l.groups[0].caption_first != html::no_node) return lay_out_nested(page, l, entries, next, text_of, heading);
  if (l.groups[0].heading != html::no_node) {
    auto segments = segments_of(page, l);
    if (!segments) return {};
    auto edit = group_layout{page, l, entries, std::move(*segments)}.draw(next, text_of, heading);
    if (!edit) return {};
    return std::vector{std::move(*edit)};
  }
  return slot_layout{page, l, entries, writer}.draw(next, text_of);
}

std::string apply(std::string_view source, std::vector<page_edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](page_edit const& x, page_edit const& y) { return x.begin < y.begin; });
  std::string out;
  std::uint32_t at = 0;
  for (auto const& e : edits) {
    if (e.begin < at) continue;
    out += source.substr(at, e.begin - at);
    out += e.text;
    at = e.end;
  }
  out += source.substr(at);
  return out;
}

}  // namespace cistern::stitch::templates
