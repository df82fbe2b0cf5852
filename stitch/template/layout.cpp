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

}  // namespace

std::optional<std::vector<page_edit>> lay_out(document const& page, list const& l, sequence const& entries,
                                              sequence const& next, record_writer const& write) {
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
  std::vector<page_edit> out;
  // Slot by slot: the gaps between records stay where they are, also those between groups.
  auto const slots = l.records.size();
  auto const common = std::min(slots, next.size());
  for (std::size_t i = 0; i < common; ++i)
    if (next[i] != entries[i])
      out.push_back({begin_of(page, l.records[i]), end_of(page, l.records[i]), text_of(next[i])});
  if (next.size() < slots) {  // the last ones go, with the gap before each
    for (std::size_t i = next.size(); i < slots; ++i) {
      bool const same_group = i > 0 && l.records[i - 1].group == l.records[i].group;
      out.push_back(
          {same_group ? end_of(page, l.records[i - 1]) : begin_of(page, l.records[i]), end_of(page, l.records[i]), ""});
    }
  }
  if (next.size() > slots) {
    std::vector<std::string> gaps;
    for (std::size_t i = 1; i < slots; ++i)
      if (l.records[i - 1].group == l.records[i].group)
        gaps.emplace_back(source.substr(end_of(page, l.records[i - 1]),
                                        begin_of(page, l.records[i]) - end_of(page, l.records[i - 1])));
    auto const gap = most_common(gaps);
    std::string more;
    for (std::size_t i = slots; i < next.size(); ++i) more += gap + text_of(next[i]);
    auto const at = end_of(page, l.records.back());
    out.push_back({at, at, more});
  }
  return out;
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
