#include "stitch/template/layout.hpp"

#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>

namespace cistern::stitch::templates {
namespace {

using html::document;

std::uint32_t begin_of(document const& page, record const& r) { return page[r.first].begin; }
std::uint32_t end_of(document const& page, record const& r) { return page[r.last].finish; }

bool in_place(document const& page, list const& l) {
  std::uint32_t reached = 0;
  for (auto const& r : l.records) {
    if (!page[r.first].placed || !page[r.last].placed || begin_of(page, r) < reached) return false;
    reached = end_of(page, r);
  }
  return true;
}

std::string most_common(std::vector<std::string> const& gaps) {
  std::map<std::string, std::size_t> tally;
  for (auto const& g : gaps) ++tally[g];
  std::string best = "\n";
  std::size_t most = 0;
  for (auto const& [g, n] : tally)
    if (n > most) most = n, best = g;
  return best;
}

// A group of records under a heading, as bytes: what comes before the first record, and after the last.
struct segment {
  std::string label;
  std::uint32_t begin = 0, end = 0, heading_begin = 0, heading_end = 0, first_record = 0, last_record = 0;
};

std::optional<segment> segment_of(document const& page, list const& l, std::size_t g) {
  auto const& group = l.groups[g];
  if (group.heading == html::no_node || !page[group.heading].placed || !page[group.first].placed) return {};
  segment s;
  s.label = single_spaced(page[group.heading].text);
  s.begin = page[group.first].begin;
  s.heading_begin = page[group.heading].begin;
  s.heading_end = page[group.heading].finish;
  for (auto const& r : l.records) {
    if (r.group != g) continue;
    if (s.last_record == 0) s.first_record = begin_of(page, r);
    s.last_record = end_of(page, r);
  }
  bool const shared = l.groups.size() == 1 || group.container == l.groups[g == 0 ? 1 : g - 1].container;
  if (!shared && !page[group.root].placed) return {};
  s.end = shared ? s.last_record : page[group.root].finish;
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

using entry_writer = std::function<std::string(entry)>;

// Redraws the whole run of groups: each keeps its own bytes around its records; a new heading's are copied from the
// first.
class group_layout {
public:
  group_layout(document const& page, list const& l, sequence const& entries, std::vector<segment> segments)
      : source_{page.source()}, segments_{std::move(segments)} {
    std::vector<std::string> gaps, joints;
    for (std::size_t i = 0; i < l.records.size(); ++i) {
      label_now_[entries[i]] = segments_[l.records[i].group].label;
      if (i > 0 && l.records[i - 1].group == l.records[i].group)
        gaps.push_back(bytes(end_of(page, l.records[i - 1]), begin_of(page, l.records[i])));
    }
    for (std::size_t g = 0; g < segments_.size(); ++g) {
      place_.try_emplace(segments_[g].label, g);
      if (g > 0) joints.push_back(bytes(segments_[g - 1].end, segments_[g].begin));
    }
    gap_ = most_common(gaps);
    joint_ = most_common(joints);
    for (auto const& j : joints) nested_ |= j != joint_ && j.find_first_not_of(" \t\r\n") != std::string::npos;
  }

  std::optional<page_edit> draw(sequence const& next, entry_writer const& text_of, heading_writer const& heading) {
    std::string out, current;
    segment const* open = nullptr;
    for (auto const e : next) {
      auto const now = label_now_.find(e);
      auto const label = now != label_now_.end() ? std::optional{now->second} : heading.text(e);
      if (!label) return {};
      if (open && single_spaced(*label) == current) {
        out += gap_ + text_of(e);
        continue;
      }
      if (open) out += bytes(open->last_record, open->end) + joint_;
      current = single_spaced(*label);
      auto const known = place_.find(current);
      if (known == place_.end() && nested_ && !same_year_as_neighbour(next, e, heading))
        return {};  // under which outer heading?
      open = &segments_[known != place_.end() ? known->second : 0];
      out += bytes(open->begin, open->heading_begin);
      out += known != place_.end() ? bytes(open->heading_begin, open->heading_end) : escape_text(*label);
      out += bytes(open->heading_end, open->first_record) + text_of(e);
    }
    if (open) out += bytes(open->last_record, open->end);
    return page_edit{segments_.front().begin, segments_.back().end, out};
  }

private:
  // The group after a new one is there already and of the same year.
  bool same_year_as_neighbour(sequence const& next, entry e, heading_writer const& heading) const {
    auto at = std::find(next.begin(), next.end(), e);
    while (at != next.end() && !label_now_.contains(*at)) ++at;
    return at != next.end() && heading.year(e) != 0 && heading.year(e) == heading.year(*at);
  }

  std::string bytes(std::uint32_t from, std::uint32_t to) const { return std::string{source_.substr(from, to - from)}; }

  std::string_view source_;
  std::vector<segment> segments_;
  std::map<entry, std::string> label_now_;
  std::map<std::string, std::size_t> place_;
  std::string gap_, joint_;
  bool nested_ = false;  // some groups are set off by more than the others
};

// Slot by slot: the gaps between records stay where they are, also those between the rows of a grid.
class slot_layout {
public:
  slot_layout(document const& page, list const& l, sequence const& entries) : page_{page}, list_{l}, entries_{entries} {
    if (l.records.size() < 2) return;
    even_ = class_of(l.records[0]);
    odd_ = class_of(l.records[1]);
    for (std::size_t i = 0; i < l.records.size(); ++i)
      if (class_of(l.records[i]) != (i % 2 == 0 ? even_ : odd_)) even_ = odd_ = "";
  }

  std::vector<page_edit> draw(sequence const& next, entry_writer const& text_of) {
    auto const slots = list_.records.size();
    for (std::size_t i = 0; i < std::min(slots, next.size()); ++i)
      if (next[i] != entries_[i])
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
    auto const gap = most_common(gaps);
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
  std::string even_, odd_;
  std::vector<page_edit> edits_;
};

}  // namespace

std::optional<std::vector<page_edit>> lay_out(document const& page, list const& l, sequence const& entries,
                                              sequence const& next, record_writer const& write,
                                              heading_writer const& heading) {
  if (!in_place(page, l) || next.empty()) return {};
  auto const source = page.source();
  std::map<entry, std::string> bytes;
  for (std::size_t i = 0; i < l.records.size(); ++i)
    bytes.try_emplace(entries[i], source.substr(begin_of(page, l.records[i]),
                                                end_of(page, l.records[i]) - begin_of(page, l.records[i])));
  auto const text_of = [&](entry e) {
    auto const b = bytes.find(e);
    return b != bytes.end() ? b->second : write(e);
  };
  if (l.groups[0].heading != html::no_node) {
    auto segments = segments_of(page, l);
    if (!segments) return {};
    auto edit = group_layout{page, l, entries, std::move(*segments)}.draw(next, text_of, heading);
    if (!edit) return {};
    return std::vector{std::move(*edit)};
  }
  return slot_layout{page, l, entries}.draw(next, text_of);
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
