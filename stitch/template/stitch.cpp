#include "stitch/template/stitch.hpp"

#include "stitch/template/featured.hpp"
#include "stitch/template/layout.hpp"
#include "stitch/template/lists.hpp"
#include "stitch/template/novelty_fill.hpp"
#include "stitch/template/plan.hpp"
#include "stitch/template/record_template.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace cistern::stitch::templates {
namespace {

class entry_numbers {
public:
  sequence of(list const& l) {
    sequence out;
    for (auto const& r : l.records) out.push_back(r.item != no_item ? r.item : number(r.key));
    return out;
  }

private:
  entry number(std::string const& key) {
    return unknown_.try_emplace(key, -2 - static_cast<entry>(unknown_.size())).first->second;
  }
  std::map<std::string, entry> unknown_;
};

// The same list on every page, the last page's own last.
std::vector<list const*> history(list const& l, std::vector<std::vector<list>> const& lists) {
  std::vector<list const*> out;
  for (std::size_t t = 0; t + 1 < lists.size(); ++t) out.push_back(counterpart(l, lists[t]));
  out.push_back(&l);
  return out;
}

std::vector<sequence> sequences(std::vector<list const*> const& at, entry_numbers& numbers) {
  std::vector<sequence> out;
  for (auto const* l : at) out.push_back(l ? numbers.of(*l) : sequence{});
  return out;
}

std::vector<std::size_t> group_sizes(list const& l) {
  std::vector<std::size_t> out(l.groups.size(), 0);
  for (auto const& r : l.records) ++out[r.group];
  return out;
}

// One container, groups under dates, or rows that nearly all have the same length.
bool regular(list const& l) {
  if (l.groups.size() == 1 || l.groups[0].heading != html::no_node) return true;
  auto const sizes = group_sizes(l);
  std::map<std::size_t, std::size_t> tally;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) ++tally[sizes[i]];
  auto const most =
      std::max_element(tally.begin(), tally.end(), [](auto const& x, auto const& y) { return x.second < y.second; });
  return 10 * most->second >= 8 * (sizes.size() - 1);
}

int year_of(feed::item const& item) {
  using namespace std::chrono;
  auto const when = item.published ? item.published : item.updated;
  constexpr sys_seconds last{seconds{7'258'118'400}};  // beyond that feeds lie
  return when && when->time_since_epoch().count() >= 0 && *when < last
             ? static_cast<int>(year_month_day{floor<days>(*when)}.year())
             : 0;
}

// How the headings of groups follow from the dates of their items, when they do for every item that is shown.
std::optional<pattern> learn_headings(list const& l, html::document const& page, item_table const& items,
                                      item_cache& cache, std::size_t time) {
  if (l.groups[0].heading == html::no_node) return {};
  std::vector<sample> samples;
  for (auto const& r : l.records)
    if (r.item != no_item && l.groups[r.group].heading != html::no_node)
      samples.push_back(
          {page[l.groups[r.group].heading].text, &cache.fields(items.as_of(r.item, time), items[r.item].link)});
  auto out = learn_pattern(samples, true);
  if (!out.uses_date() || !out.explained()) return {};
  std::size_t agree = 0;
  for (auto const& s : samples) agree += out.write(*s.item) == std::string{s.value};
  if (10 * agree < 9 * samples.size()) return {};
  return out;
}

std::vector<field_report> fields_of_region(record_template const& writer, html::document const& page) {
  std::vector<field_report> out;
  for (auto const& [path, pattern] : writer.patterns()) {
    if (pattern.constant()) continue;
    field_report f{describe(pattern), pattern.support, {}};
    for (auto const& v : writer.samples())
      if (v.page == &page)
        for (auto const& l : v.leaves)
          if (l.path == path) f.nodes.push_back(l.node);
    if (!f.nodes.empty()) out.push_back(std::move(f));
  }
  for (auto const& v : writer.samples())
    if (v.page == &page && v.body)
      out.push_back({"{" + describe(writer.excerpt()) + "}", writer.excerpt().support, {v.body->first}});
  return out;
}

}  // namespace

outcome stitch(std::string_view base, std::vector<snapshot> const& snapshots, std::vector<feed::feed> const& feeds,
               options const& o) {
  if (o.method == method::novelty) return stitch_by_novelty(base, snapshots, feeds);
  outcome out;
  if (snapshots.empty()) return out;
  auto const last = snapshots.size() - 1;
  auto const& page = snapshots[last].page;
  out.page = page.source();
  item_table items{std::string{base}};
  for (auto const& s : snapshots) items.add(s.feeds);
  items.add(feeds);
  std::vector<std::vector<list>> lists;
  for (std::size_t t = 0; t < snapshots.size(); ++t) lists.push_back(find_lists(snapshots[t].page, items, t));
  std::vector<html::document const*> pages;
  for (auto const& one : snapshots) pages.push_back(&one.page);
  split_featured(pages, lists);
  item_cache cache{items};
  entry_numbers numbers;
  std::vector<page_edit> edits;
  std::map<list const*, sequence> windows;  // lists that are explained, so that one can see what another leaves out
  for (auto const& l : lists[last])
    if (l.records.size() > 1)
      if (auto const shown = sequences(history(l, lists), numbers); plan_list(shown, items, {}))
        windows[&l] = shown[last];
  for (auto const& l : lists[last]) {
    region_report report;
    report.place = l.signature;
    report.shown = l.records.size();
    report.container = l.groups[0].container;
    for (auto const& r : l.records) report.records.push_back(r.root);
    auto const at = history(l, lists);
    auto const shown = sequences(at, numbers);
    sequence elsewhere;
    for (auto const& [other, entries] : windows)
      if (other != &l) elsewhere.insert(elsewhere.end(), entries.begin(), entries.end());
    auto const plan = plan_list(shown, items, elsewhere);
    if (!plan) {
      report.reasons.emplace_back("no rule gives the items that this list shows");
      out.regions.push_back(std::move(report));
      continue;
    }
    report.rule = describe(plan->rule);
    report.reasons = plan->reasons;
    report.confidence = plan->confidence;
    if (plan->next == shown[last]) {
      report.reasons.emplace_back("nothing changes");
      out.regions.push_back(std::move(report));
      continue;
    }
    std::vector<record_view> samples;
    for (auto t = snapshots.size(); t-- > 0;) {
      if (!at[t]) continue;
      std::size_t taken = 0;
      for (auto const& r : at[t]->records) {
        if (r.item == no_item || ++taken > 24) continue;
        auto const& item = items.as_of(r.item, t);
        samples.push_back(view_record(snapshots[t].page, r, &item, &cache.text(item)));
      }
    }
    record_template const writer{std::move(samples), items, cache};
    report.excerpt = describe(writer.excerpt());
    report.fields = fields_of_region(writer, page);
    auto const quality = writer.self_test();
    report.confidence *= 0.3 + 0.7 * quality;
    report.reasons.push_back("the record template reproduces " + std::to_string(static_cast<int>(100 * quality + 0.5)) +
                             "% of the records tried");
    auto const write = [&](item_id i) {
      ++report.made;
      return writer.write(i, *items[i].latest);
    };
    if (!regular(l) && (last == 0 || !at[last - 1] || group_sizes(l) != group_sizes(*at[last - 1]))) {
      report.reasons.emplace_back("its records stand in groups that follow no rule");
      report.confidence = 0;
    }
    auto const headings = learn_headings(l, page, items, cache, last);
    heading_writer const heading{[&](item_id i) {
                                   return headings ? headings->write(cache.fields(*items[i].latest, items[i].link))
                                                   : std::nullopt;
                                 },
                                 [&](entry e) { return e < 0 ? 0 : year_of(*items[e].latest); }};
    auto const placed = lay_out(page, l, shown[last], plan->next, write, heading);
    if (!placed) report.reasons.emplace_back("the markup does not allow it");
    if (placed && report.confidence >= o.threshold) {
      report.stitched = true;
      edits.insert(edits.end(), placed->begin(), placed->end());
      out.confidence = std::max(out.confidence, report.confidence);
    }
    out.regions.push_back(std::move(report));
  }
  if (!edits.empty()) {
    out.declined = false;
    out.page = apply(page.source(), std::move(edits));
  }
  return out;
}

}  // namespace cistern::stitch::templates
