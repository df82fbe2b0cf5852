#include "stitch/template/region.hpp"

#include "stitch/template/captions.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace cistern::stitch::templates {
namespace {

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
      samples.push_back({page[l.groups[r.group].heading].text, &cache.fields(items.as_of(r.item, time), r.item)});
  auto out = learn_pattern(samples, cache.zones(), true);
  if (!out.uses_date() || !out.explained()) return {};
  std::size_t agree = 0;
  for (auto const& s : samples) agree += out.write(*s.item) == std::string{s.value};
  if (10 * agree < 9 * samples.size()) return {};
  return out;
}

std::size_t headings_in(list const& l) {
  std::set<html::node_id> out;
  for (auto const& g : l.groups) out.insert(g.heading);
  return out.contains(html::no_node) ? 0 : out.size();
}

// How many headings the list has on every page, where it has room for so many days and not for so many records.
std::optional<std::size_t> steady_headings(region const& r) {
  constexpr std::size_t least = 2;
  auto const n = headings_in(*r.shown_now);
  if (!r.plan || r.plan->rule.length != length_kind::fixed || n < least) return {};
  bool other_length = false;
  for (std::size_t t = 0; t < r.at.size(); ++t) {
    if (!r.at[t] || r.shown[t].empty()) continue;
    if (headings_in(*r.at[t]) != n) return {};
    other_length |= r.shown[t].size() != r.shown.back().size();
  }
  return other_length ? std::optional{n} : std::nullopt;
}

// As many items as have room under `headings` headings; nothing where the page was not cut between two of them.
std::optional<sequence> under_headings(region const& r, html::document const& page, std::size_t headings,
                                       pattern const& written, drawing const& with) {
  std::map<entry, std::string> shown;
  for (std::size_t i = 0; i < r.shown.back().size(); ++i)
    shown[r.shown.back()[i]] = page[r.shown_now->groups[r.shown_now->records[i].group].heading].text;
  std::vector<std::string> labels;
  auto const oldest = r.shown.back().back();
  sequence out;
  bool after_oldest = false;
  for (auto const e : r.plan->uncut) {
    auto const known = shown.find(e);
    auto const text = known != shown.end() ? std::optional{known->second}
                      : e < 0              ? std::nullopt
                                           : written.write(with.cache.fields(*with.items[e].latest, e));
    if (!text) return {};
    bool const opens = labels.empty() || labels.back() != single_spaced(*text);
    if (after_oldest && !opens) return {};
    after_oldest = e == oldest;
    if (opens) labels.push_back(single_spaced(*text));
    if (labels.size() <= headings) out.push_back(e);
  }
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
    for (std::size_t b = 0; v.page == &page && b < v.bodies.size(); ++b)
      out.push_back({"{" + describe(writer.excerpt(b)) + "}", writer.excerpt(b).support, {v.bodies[b].first}});
  return out;
}

std::string_view bytes_of(html::document const& page, record const& r) {
  auto const &first = page[r.first], &last = page[r.last];
  return first.placed && last.placed && first.begin <= last.finish
             ? page.source().substr(first.begin, last.finish - first.begin)
             : std::string_view{};
}

// Records whose items are known, those of the page to be stitched first. A record that an earlier page has byte for
// byte as a later one, of an item that says the same, is taken apart once and counted for both.
std::vector<record_view> samples_of(region const& r, drawing const& with) {
  constexpr std::size_t most_of_a_page = 24;
  std::vector<record_view> out;
  for (auto t = r.at.size(); t-- > 0;) {
    if (!r.at[t]) continue;
    auto const& page = with.snapshots[t].page;
    std::size_t taken = 0;
    for (auto const& shown : r.at[t]->records) {
      if (shown.item == no_item || ++taken > most_of_a_page) continue;
      auto const& item = with.items.as_of(shown.item, t);
      auto const same = std::find_if(out.begin(), out.end(), [&](record_view const& v) {
        return v.of->item == shown.item && v.page != &page && v.item->summary == item.summary &&
               v.item->content == item.content && bytes_of(*v.page, *v.of) == bytes_of(page, shown);
      });
      if (same != out.end())
        ++same->pages;
      else
        out.push_back(view_record(page, shown, &item, &with.cache.text(item)));
    }
  }
  return out;
}

// What stands around a record's text: the element that it is in, and how many links lead to the item.
std::pair<std::string, std::size_t> frame_of_text(record_view const& v) {
  auto const& page = *v.page;
  if (v.bodies.empty()) return {};
  auto const& b = v.bodies[0];
  auto const holder = b.whole_element ? b.first : page[b.first].parent;
  auto const href = page.attribute_or_empty(v.of->link, "href");
  std::size_t links = 0;
  for (auto n = v.of->first; n < page[v.of->last].end; ++n)
    links += page.is(n, "a") && page.attribute_or_empty(n, "href") == href;
  return {std::string{page[holder].name} + "." + std::string{page.attribute_or_empty(holder, "class")}, links};
}

// The records of the list that the first one was set apart from, or of the first one, when their texts are framed as
// some here are: a list that sets one text off from the others may well cut the others only.
std::vector<record_view> samples_of_twin(region const& r, std::vector<record_view> const& own, drawing const& with) {
  std::vector<record_view> out;
  if (!r.twin || own.empty()) return out;
  auto const time = r.at.size() - 1;
  std::set<std::pair<std::string, std::size_t>> frames;
  for (auto const& v : own) frames.insert(frame_of_text(v));
  for (auto const& shown : r.twin->records) {
    if (shown.item == no_item) continue;
    auto const& item = with.items.as_of(shown.item, time);
    auto view = view_record(with.snapshots[time].page, shown, &item, &with.cache.text(item));
    if (frames.contains(frame_of_text(view))) out.push_back(std::move(view));
  }
  return out;
}

// Records that stay but whose items say something else now, written anew where the template is exact about them.
std::map<entry, std::string> revisions(region const& r, record_template const& writer, drawing const& with) {
  std::map<entry, std::string> out;
  auto const last = r.at.size() - 1;
  for (auto const& shown : r.shown_now->records) {
    if (shown.item == no_item) continue;
    auto const* const was = with.items[shown.item].at[last];
    auto const* const is = with.items[shown.item].at[last + 1];
    if (!was || !is || (was->title == is->title && was->summary == is->summary && was->content == is->content))
      continue;
    if (auto text = writer.rewrite(shown, *was, *is)) out.emplace(shown.item, std::move(*text));
  }
  return out;
}

std::vector<std::uint64_t> leaf_paths(record_view const& v) {
  std::vector<std::uint64_t> out;
  for (auto const& l : v.leaves)
    if (l.node != v.of->root) out.push_back(l.path);
  std::sort(out.begin(), out.end());
  return out;
}

// Whether what all records of this list have in common, the root's own dress aside, stands in that one too.
bool says_the_same(record_view const& v, record_template const& writer) {
  return std::all_of(v.leaves.begin(), v.leaves.end(), [&](leaf const& l) {
    auto const p = writer.patterns().find(l.path);
    return l.node == v.of->root || p == writer.patterns().end() || !p->second.constant() || p->second.support < 0.5 ||
           p->second.write({}) == std::string{l.value};
  });
}

// A record that the twin shows now, in this list's dress: only the start tag differs where all below is alike.
std::optional<std::string> taken_over(region const& r, item_id id, record_template const& writer, drawing const& with) {
  auto const& page = with.snapshots.back().page;
  if (!r.twin || writer.samples().empty()) return {};
  auto const& model = writer.samples().front();
  for (auto const& there : r.twin->records) {
    if (there.item != id || there.first != there.root || there.last != there.root) continue;
    auto const& item = with.items.as_of(id, r.at.size() - 1);
    auto const view = view_record(page, there, &item, &with.cache.text(item));
    auto const &from = page[there.root], &to = (*model.page)[model.of->root];
    bool const alike = from.name == to.name && from.placed && to.placed && view.bodies.size() == model.bodies.size() &&
                       leaf_paths(view) == leaf_paths(model) && says_the_same(view, writer);
    if (!alike) return {};
    return std::string{model.page->source().substr(to.begin, to.inner_begin - to.begin)} +
           std::string{page.source().substr(from.inner_begin, from.finish - from.inner_begin)};
  }
  return {};
}

// Whether what stands between the records tells of their items: they would keep their texts and change their titles.
bool texts_between(list const& l, html::document const& page, drawing const& with, std::size_t time) {
  constexpr std::size_t few = 8;
  std::size_t tried = 0, told = 0;
  for (std::size_t i = 0; i + 1 < l.records.size() && tried < few; ++i) {
    auto const& r = l.records[i];
    if (r.item == no_item || l.records[i + 1].group != r.group) continue;
    auto const between = shown_words(page, page[r.last].end, l.records[i + 1].first);
    if (between.size() < few) continue;
    ++tried;
    auto const& text = with.cache.text(with.items.as_of(r.item, time));
    std::set<std::string_view> known;
    for (auto const* c : {&text.summary, &text.full})
      for (auto const& w : c->words()) known.insert(w.text);
    auto const same =
        std::count_if(between.begin(), between.end(), [&](auto const& w) { return known.contains(w.text); });
    told += 10 * static_cast<std::size_t>(same) >= 6 * between.size();
  }
  return 2 * told > tried;
}

// Whether the text of the last record stands below it, outside of the record: it would stay there under another title.
bool text_left_below(list const& l, html::document const& page, drawing const& with, std::size_t time) {
  constexpr std::size_t enough = 8, most = 60;
  auto const& r = l.records.back();
  if (r.item == no_item) return false;
  auto const href = page.attribute_or_empty(r.link, "href");
  auto end = page[r.last].end;
  auto const foreign = [&](html::node_id n) {
    return page.is(n, "h1") || page.is(n, "h2") || page.is(n, "h3") ||
           (page.is(n, "a") && page.attribute_or_empty(n, "href") != href);
  };
  while (end < page[l.groups[r.group].container].end && !foreign(end)) ++end;
  auto below = shown_words(page, page[r.last].end, end);
  if (below.size() > most) below.resize(most);
  auto const& text = with.cache.text(with.items.as_of(r.item, time));
  auto const same = [](shown_word const& x, shown_word const& y) { return x.text == y.text; };
  for (std::size_t i = 0; i + enough <= below.size(); ++i) {
    auto const from = below.begin() + static_cast<std::ptrdiff_t>(i), to = from + enough;
    for (auto const* c : {&text.summary, &text.full})
      if (std::search(c->words().begin(), c->words().end(), from, to, same) != c->words().end()) return true;
  }
  return false;
}

// What the rows of a list say besides their records.
std::vector<std::string> words_of_rows(list const& l, html::document const& page) {
  std::vector<std::string> out(l.groups.size());
  auto const add = [&](std::size_t g, html::node_id from, html::node_id to) {
    for (auto const& w : shown_words(page, from, to)) (out[g] += w.text) += ' ';
  };
  std::vector<html::node_id> reached;
  for (auto const& g : l.groups) reached.push_back(g.container);
  for (auto const& r : l.records) {
    if (r.first > reached[r.group]) add(r.group, reached[r.group], r.first);
    reached[r.group] = page[r.last].end;
  }
  for (std::size_t g = 0; g < l.groups.size(); ++g) add(g, reached[g], page[l.groups[g].container].end);
  return out;
}

// Whether rows say other things each, that would stay behind when the records move on. What most rows said while other
// records were there belongs to its place, as numbers do.
bool rows_speak(region const& r, drawing const& with) {
  auto const last = r.at.size() - 1;
  auto const& l = *r.shown_now;
  if (l.groups.size() < 2 || l.groups[0].heading != html::no_node) return false;
  auto const now = words_of_rows(l, with.snapshots[last].page);
  if (std::set<std::string>(now.begin(), now.end()).size() <= 2) return false;
  for (std::size_t t = 0; t < last; ++t) {
    if (!r.at[t] || r.shown[t].empty() || r.shown[t].front() == r.shown[last].front()) continue;
    auto const before = words_of_rows(*r.at[t], with.snapshots[t].page);
    auto const both = std::min(before.size(), now.size());
    std::size_t same = 0;
    for (std::size_t g = 0; g < both; ++g) same += now[g] == before[g];
    return 2 * same <= both;
  }
  return true;
}

}  // namespace

void draw(region& r, drawing const& with) {
  auto const last = r.at.size() - 1;
  auto const& page = with.snapshots[last].page;
  auto const& l = *r.shown_now;
  auto& report = r.report;
  auto samples = samples_of(r, with);
  auto const others = samples_of_twin(r, samples, with);
  record_template const writer{std::move(samples), others, with.items, with.cache};
  auto const headings = learn_headings(l, page, with.items, with.cache, last);
  if (auto const n = steady_headings(r); n && headings)
    if (auto next = under_headings(r, page, *n, *headings, with)) {
      r.plan->next = std::move(*next);
      report.reasons.push_back("as many days as before: " + std::to_string(*n));
    }
  auto const revised = revisions(r, writer, with);
  if (r.plan->next == r.shown[last] && revised.empty()) {
    report.reasons.emplace_back("nothing changes");
    return;
  }
  report.excerpt = writer.describe_excerpts();
  report.fields = fields_of_region(writer, page);
  auto const quality = writer.self_test();
  report.confidence *= 0.3 + 0.7 * quality;
  report.reasons.push_back("the record template reproduces " + std::to_string(static_cast<int>(100 * quality + 0.5)) +
                           "% of the records tried");
  if (!regular(l) && (last == 0 || !r.at[last - 1] || group_sizes(l) != group_sizes(*r.at[last - 1]))) {
    report.reasons.emplace_back("its records stand in groups that follow no rule");
    report.confidence = 0;
  }
  if (texts_between(l, page, with, last) || text_left_below(l, page, with, last)) {
    report.reasons.emplace_back("texts of the items stand outside of its records");
    report.confidence = 0;
  }
  if (rows_speak(r, with)) {
    report.reasons.emplace_back("its rows say things of their own");
    report.confidence = 0;
  }
  record_writer const write{[&](item_id i) {
                              ++report.made;
                              if (auto moved = taken_over(r, i, writer, with)) return *moved;
                              // One that moves from another list is read as it was when the page was made.
                              bool const moves = with.on_page.contains(i);
                              return writer.write(i, moves ? with.items.as_of(i, last) : *with.items[i].latest);
                            },
                            revised};
  std::optional<caption_writer> captions;
  if (l.groups[0].caption_first != html::no_node) captions.emplace(r, with);
  heading_writer const heading{
      [&](item_id i) { return headings ? headings->write(with.cache.fields(*with.items[i].latest, i)) : std::nullopt; },
      [&](entry e) { return e < 0 ? 0 : year_of(*with.items[e].latest); },
      [&](item_id i) { return captions ? captions->write(i) : std::nullopt; }};
  r.edits = lay_out(page, l, r.shown[last], r.plan->next, write, heading);
  if (!r.edits) report.reasons.emplace_back("the markup does not allow it");
}

}  // namespace cistern::stitch::templates
