#include "stitch/template/plan.hpp"

#include "stitch/template/traits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace cistern::stitch::templates {
namespace {

bool passes(sequence_rule const& rule, item_table const& items, std::size_t time, std::size_t place) {
  auto const has = [&](trait t) {
    return values_of(t, items, items.order(time)[place], time).contains(rule.filter_value);
  };
  switch (rule.filter) {
    case filter_kind::none:
      return true;
    case filter_kind::category:
      return has(trait::category);
    case filter_kind::author:
      return has(trait::author);
    case filter_kind::host:
      return has(trait::host);
    case filter_kind::feed:
      return std::to_string(items.feed_of(time, place)) == rule.filter_value;
  }
  return true;
}

sequence feed_sequence(sequence_rule const& rule, item_table const& items, std::size_t time) {
  sequence out;
  auto const& order = items.order(time);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (passes(rule, items, time, i)) out.push_back(order[i]);
  auto const date = [&](item_id i) {
    auto const& item = items.as_of(i, time);
    auto const& when = rule.order == list_order::updated ? (item.updated ? item.updated : item.published)
                                                         : (item.published ? item.published : item.updated);
    return when ? when->time_since_epoch().count() : 0;
  };
  if (rule.order == list_order::published_ties_reversed) std::reverse(out.begin(), out.end());
  if (rule.order == list_order::published || rule.order == list_order::updated ||
      rule.order == list_order::published_ties_reversed)
    std::stable_sort(out.begin(), out.end(), [&](item_id x, item_id y) { return date(x) > date(y); });
  if (rule.order == list_order::reversed) std::reverse(out.begin(), out.end());
  return out;
}

struct candidate {
  sequence full;              // before it is cut
  std::size_t from_feed = 0;  // how many of them the feed gave, pinned ones included
  bool same_feed = false;     // the feed still has half of what was shown, or ends among it
};

// What the list would show at `time` had it shown `before` until then.
candidate foretell(sequence_rule const& rule, sequence const& before, item_table const& items, std::size_t time) {
  candidate out;
  std::set<entry> used;
  auto const pinned = std::min(rule.pinned, before.size());
  for (std::size_t i = 0; i < pinned; ++i) out.full.push_back(before[i]), used.insert(before[i]);
  auto told = feed_sequence(rule, items, time);
  std::set<entry> const in_feed(told.begin(), told.end());
  std::erase_if(told, [&](entry e) { return used.contains(e); });
  for (std::size_t i = rule.offset; i < told.size(); ++i) out.full.push_back(told[i]), used.insert(told[i]);
  out.from_feed = out.full.size();
  // The rest of what was shown goes on, unless the feed still reaches back that far and has dropped it.
  std::size_t last_told = 0, still_told = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (in_feed.contains(before[i])) last_told = i, ++still_told;
  bool const any_told = still_told > 0;
  bool const runs_on = !told.empty() && std::find(before.begin(), before.end(), told.back()) != before.end();
  out.same_feed = 2 * still_told >= before.size() || runs_on;
  for (std::size_t i = pinned; i < before.size(); ++i) {
    if (used.contains(before[i]) || in_feed.contains(before[i])) continue;
    if (any_told && i < last_told && before[i] > no_item) continue;
    out.full.push_back(before[i]);
  }
  return out;
}

sequence cut_to(candidate c, sequence_rule const& rule) {
  auto n = c.full.size();
  if (rule.length == length_kind::fixed) n = std::min(n, rule.count);
  // A list that grew and kept its oldest does not lose it because the feed does, unless it is another feed by now.
  if (rule.length == length_kind::all_of_feed && !(rule.keeps_oldest && c.same_feed)) n = std::min(n, c.from_feed);
  if (rule.most > 0) n = std::min(n, rule.most);
  if (rule.length == length_kind::until)
    n = static_cast<std::size_t>(std::find(c.full.begin(), c.full.end(), rule.end) - c.full.begin()) + 1;
  n = std::min(n, c.full.size());
  c.full.resize(n);
  return c.full;
}

// New items put in where the feed's order has them among those already shown.
sequence insert_new(sequence_rule const& rule, sequence const& before, item_table const& items, std::size_t time) {
  auto const told = feed_sequence(rule, items, time);
  std::map<entry, std::size_t> place;
  for (std::size_t i = 0; i < told.size(); ++i) place[told[i]] = i;
  std::set<entry> const old_feed(items.order(time - 1).begin(), items.order(time - 1).end());
  sequence out;
  std::size_t last_told = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (place.contains(before[i])) last_told = i;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] < 0 || place.contains(before[i]) || i > last_told || !old_feed.contains(before[i]))
      out.push_back(before[i]);
  for (auto i = told.size(); i-- > 0;) {
    auto const e = told[i];
    if (old_feed.contains(e) || std::find(before.begin(), before.end(), e) != before.end()) continue;
    auto at = out.begin() + static_cast<std::ptrdiff_t>(std::min(rule.pinned, out.size()));
    while (at != out.end() && !(place.contains(*at) && place[*at] > i)) ++at;
    if (at == out.end() && !out.empty()) {
      bool const any_later = std::any_of(out.begin(), out.end(), [&](entry x) { return place.contains(x); });
      if (!any_later) at = out.begin() + static_cast<std::ptrdiff_t>(std::min(rule.pinned, out.size()));
    }
    out.insert(at, e);
  }
  return out;
}

std::vector<sequence_rule> filters_for(sequence const& shown, item_table const& items, std::size_t time) {
  std::vector<sequence_rule> out(1);
  auto const add = [&](filter_kind kind, std::string value) {
    out.emplace_back();
    out.back().filter = kind;
    out.back().filter_value = std::move(value);
  };
  for (auto const& [t, kind] :
       {std::pair{trait::category, filter_kind::category}, std::pair{trait::author, filter_kind::author},
        std::pair{trait::host, filter_kind::host}}) {
    std::map<std::string, std::size_t> tally;
    std::size_t known = 0;
    for (auto const e : shown) {
      if (e < 0) continue;
      ++known;
      for (auto const& v : values_of(t, items, e, time)) ++tally[v];
    }
    for (auto const& [value, count] : tally)
      if (count == known && known > 0 && out.size() < 12) add(kind, value);
  }
  if (!items.order(time).empty() && items.feed_of(time, items.order(time).size() - 1) > 0)
    for (std::size_t f = 0; f <= items.feed_of(time, items.order(time).size() - 1); ++f)
      add(filter_kind::feed, std::to_string(f));
  return out;
}

bool explains(sequence_rule const& rule, sequence const& shown, item_table const& items, std::size_t time) {
  auto c = foretell(rule, shown, items, time);
  if (c.full.size() < shown.size()) return false;
  c.full.resize(shown.size());
  return c.full == shown;
}

// Whether the first entry below the pinned ones is the one the rule would put there; most rules fail at that.
bool may_explain(sequence_rule const& rule, sequence const& told, sequence const& shown) {
  auto const pinned_end = shown.begin() + static_cast<std::ptrdiff_t>(rule.pinned);
  std::size_t skip = rule.offset;
  for (auto const e : told) {
    if (std::find(shown.begin(), pinned_end, e) != pinned_end) continue;
    if (skip-- == 0) return e == *pinned_end;
  }
  return true;
}

std::size_t items_of(sequence const& s) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](entry e) { return e >= 0; }));
}

// The longest the list has been while there was more to show that has no place elsewhere, if it ever was.
std::optional<std::size_t> limit_seen(sequence_rule const& rule, std::vector<sequence> const& shown,
                                      item_table const& items, surroundings const& around) {
  std::optional<std::size_t> out;
  for (std::size_t t = 0; t < shown.size(); ++t) {
    if (shown[t].empty()) continue;
    auto const room = foretell(rule, shown[t], items, t).full;
    bool const more = std::any_of(room.begin() + static_cast<std::ptrdiff_t>(std::min(shown[t].size(), room.size())),
                                  room.end(), [&](entry e) { return !around.anywhere.contains(e); });
    if (more || (t + 1 == shown.size() && shown[t].size() < room.size()))
      out = std::max(out.value_or(0), shown[t].size());
  }
  return out;
}

// Whether the list would be longer now had nothing been cut off since `before`, and is the same as far as it goes.
bool was_cut(sequence_rule const& rule, std::vector<sequence> const& shown, std::size_t before,
             item_table const& items) {
  auto const& now = shown.back();
  auto const uncut = foretell(rule, shown[before], items, shown.size() - 1).full;
  return uncut.size() > now.size() && now.size() >= std::max<std::size_t>(shown[before].size(), 2) &&
         std::equal(now.begin(), now.end(), uncut.begin());
}

void set_length(sequence_rule& rule, std::vector<sequence> const& shown, item_table const& items,
                surroundings const& around) {
  auto const last = shown.size() - 1;
  auto const n = shown[last].size();
  auto const room = foretell(rule, shown[last], items, last);
  std::optional<std::size_t> before;
  for (std::size_t t = 0; t < last; ++t)
    if (!shown[t].empty()) before = t;
  bool const grew = before && shown[*before].size() < n;
  rule.count = n;
  bool const next_elsewhere = n < room.full.size() && around.windows.contains(room.full[n]);
  bool const same_oldest = grew && shown[*before].back() == shown[last].back() && shown[*before].size() > 1;
  if (n < room.full.size() && !next_elsewhere && same_oldest) {
    rule.length = length_kind::until;
    rule.end = shown[last].back();
    return;
  }
  // With nothing to compare with: what is left of the feed has its place elsewhere on the page, so nothing was cut off.
  bool const rest_has_a_place = n < room.full.size() && n > 1 &&
                                std::all_of(room.full.begin() + static_cast<std::ptrdiff_t>(n), room.full.end(),
                                            [&](entry e) { return around.anywhere.contains(e); });
  if (!before && !next_elsewhere && rest_has_a_place) {
    rule.length = length_kind::until;
    rule.end = shown[last].back();
    return;
  }
  // A limit that the list has outgrown since was none.
  if (auto const limit = limit_seen(rule, shown, items, around); limit && (*limit >= n || n < room.full.size())) {
    rule.length = length_kind::fixed;
    rule.count = n < room.full.size() ? n : std::max(n, *limit);
    return;
  }
  bool const tail = n > room.from_feed;
  // Entries came, and the oldest went: one that went from among the others tells of no limit.
  bool const turned_over = before && shown[*before].size() >= n && shown[*before].back() != shown[last].back();
  // One that went beyond its feed before is not as long as the feed now because the feed happens to reach its end.
  bool const went_beyond =
      turned_over && shown[*before].size() > foretell(rule, shown[*before], items, *before).from_feed;
  if (went_beyond || (tail && (turned_over || (before && was_cut(rule, shown, *before, items)))))
    rule.length = length_kind::fixed;
  else
    rule.length = tail ? length_kind::grows : length_kind::all_of_feed;
  rule.keeps_oldest = same_oldest && !tail;
  // Lists of recent titles next to the posts themselves end at a round number, met or not yet.
  if (around.digest && rule.length != length_kind::fixed && n <= 10) rule.most = n <= 5 ? 5 : 10;
}

// How well `guess` foretells what was shown: entirely, or but for entries that no feed tells of.
double agreement(sequence guess, sequence shown) {
  if (guess == shown) return 1;
  auto const is_unknown = [](entry e) { return e < 0; };
  std::erase_if(guess, is_unknown);
  std::erase_if(shown, is_unknown);
  return guess == shown && shown.size() > 1 ? 0.75 : 0;
}

// How sure one may be of a rule that gives what the page shows: it should give the earlier pages too, and foretell a
// later one from an earlier one. A rule that was tried on that and failed is not used.
void weigh(plan& p, std::vector<sequence> const& shown, item_table const& items, surroundings const& around) {
  auto const& rule = p.rule;
  auto const last = shown.size() - 1;
  p.confidence = 0.5;
  p.reasons = {"the rule gives what the page shows"};
  std::size_t tested = 0, explained = 0;
  double right = 0;
  for (std::size_t t = 0; t < last; ++t) {
    if (shown[t].empty()) continue;
    explained += explains(rule, shown[t], items, t);
    ++tested;
    auto test = rule;
    if (test.length == length_kind::fixed) test.count = shown[t + 1].size();
    test.most = 0;
    if (!shown[t + 1].empty()) right += agreement(cut_to(foretell(test, shown[t], items, t + 1), test), shown[t + 1]);
  }
  p.confidence += 0.1 * static_cast<double>(explained);
  if (tested > 0) p.confidence += 0.4 * right / static_cast<double>(tested);
  // A list so short that some rule gives it by chance: what it showed before must bear the rule out.
  bool const by_chance = rule.offset > 0 || rule.order == list_order::reversed;
  if ((shown[last].size() == 2 || (shown[last].size() == 1 && by_chance)) && tested > 0 && explained == 0) {
    p.confidence = std::min(p.confidence, 0.4);
    p.reasons.emplace_back("it does not give what an earlier page shows");
  }
  if (right > 0) p.reasons.emplace_back("it foretells a later page from an earlier one");
  if (tested > 0 && right == 0) {
    p.confidence = std::min(p.confidence, 0.4);
    p.reasons.emplace_back("it does not foretell the later page from the earlier one");
  }
  // Items left out at the head of the feed are no riddle when the page shows them somewhere else.
  auto const told = rule.offset > 0 ? feed_sequence(rule, items, last) : sequence{};
  auto by_date = rule;
  by_date.order = list_order::published;
  // In a feed that is in no order of time something stands at any offset by chance.
  if (rule.offset > 0 && rule.order == list_order::feed && told != feed_sequence(by_date, items, last))
    p.confidence -= 0.03;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < std::min(rule.offset, told.size()); ++i) missing += !around.anywhere.contains(told[i]);
  p.confidence -= 0.02 * static_cast<double>(rule.pinned) + (rule.filter == filter_kind::none ? 0 : 0.03) +
                  0.01 * static_cast<double>(missing) + 0.02 * static_cast<double>(rule.order);
}

// One or two entries that stayed while others came, of which a filter or an offset happens to be true: somebody may
// have chosen them.
bool may_be_chosen_by_hand(sequence_rule const& rule, std::vector<sequence> const& shown, item_table const& items) {
  constexpr std::size_t few = 2;
  auto const& now = shown.back();
  if (now.size() > few || (rule.filter == filter_kind::none && rule.offset == 0)) return false;
  bool stayed = false, moved = false;
  for (std::size_t t = 0; t + 1 < shown.size(); ++t) {
    if (shown[t].empty()) continue;
    (shown[t] == now ? stayed : moved) = true;
    if (items.order(t) == items.order(shown.size() - 1)) stayed = false;  // nothing came that could have moved it
  }
  return stayed && !moved;
}

// How many items at the head may be left out: a few, or those that the other lists of the page show.
std::vector<std::size_t> offsets_for(sequence const& told, surroundings const& around) {
  std::vector<std::size_t> out{0, 1, 2, 3, 4};
  auto const first = std::find_if(told.begin(), told.end(), [&](entry e) { return !around.anywhere.contains(e); });
  if (auto const head = static_cast<std::size_t>(first - told.begin()); head > out.back()) out.push_back(head);
  return out;
}

// The best rule by which the list is a window on the feed.
std::optional<plan> plan_window(std::vector<sequence> const& shown, item_table const& items,
                                surroundings const& around) {
  auto const last = shown.size() - 1;
  auto const& current = shown[last];
  auto const known = items_of(current);
  std::optional<plan> best;
  auto filters = filters_for(current, items, last);
  if (around.section) {
    filters.assign(1, {});
    std::tie(filters[0].filter, filters[0].filter_value) = *around.section;
  }
  for (auto const order : {list_order::feed, list_order::published, list_order::published_ties_reversed,
                           list_order::updated, list_order::reversed})
    for (auto rule : filters) {
      rule.order = order;
      auto const told = feed_sequence(rule, items, last);
      for (std::size_t pinned = 0; pinned <= std::min<std::size_t>(3, current.size() - 1); ++pinned)
        for (auto const offset : offsets_for(told, around)) {
          rule.pinned = pinned;
          rule.offset = offset;
          if (!may_explain(rule, told, current) || !explains(rule, current, items, last)) continue;
          if (known - std::min(known, pinned) == 0 || (pinned > 0 && known <= pinned + 1)) continue;
          set_length(rule, shown, items, around);
          plan p{.rule = rule, .next = {}, .uncut = {}, .confidence = 0, .reasons = {}};
          weigh(p, shown, items, around);
          if (!around.section && may_be_chosen_by_hand(rule, shown, items)) continue;
          if (pinned > 0 && p.confidence < 0.6) continue;  // pinned entries need a second page as witness
          if (!best || p.confidence > best->confidence) best = std::move(p);
        }
    }
  return best;
}

// Of the items that the feed has between the list's first and its last, how many the list shows: where it leaves some
// out for a reason that nobody knows, the next one may be left out too.
double share_of_span(sequence const& current, item_table const& items, std::size_t time) {
  std::set<entry> const here(current.begin(), current.end());
  std::size_t in_span = 0, shown = 0, after = 0;
  for (auto const e : items.order(time)) {
    if (here.contains(e)) {
      in_span += after + 1;
      ++shown;
      after = 0;
    } else if (shown > 0) {
      ++after;
    }
  }
  return in_span == 0 ? 1 : static_cast<double>(shown) / static_cast<double>(in_span);
}

// Whether the list was seen to change and to keep some of its entries.
bool kept_some(std::vector<sequence> const& shown) {
  auto const keeps = [](sequence const& was, sequence const& is) {
    return was != is &&
           std::any_of(was.begin(), was.end(), [&](entry e) { return std::find(is.begin(), is.end(), e) != is.end(); });
  };
  return std::adjacent_find(shown.begin(), shown.end(), keeps) != shown.end();
}

std::optional<plan> plan_insertions(std::vector<sequence> const& shown, item_table const& items) {
  auto const last = shown.size() - 1;
  auto const& current = shown[last];
  sequence_rule rule;
  rule.incremental = true;
  std::optional<std::size_t> before;
  for (std::size_t t = 0; t < last; ++t)
    if (!shown[t].empty()) before = t;
  if (!before) return {};
  auto guess = insert_new(rule, shown[*before], items, last);
  bool const same_length = shown[*before].size() == current.size();
  rule.length = same_length ? length_kind::fixed : length_kind::grows;
  rule.count = current.size();
  if (same_length && guess.size() > rule.count) guess.resize(rule.count);
  if (guess != current) return {};
  auto const share = std::min(share_of_span(shown[*before], items, *before), share_of_span(current, items, last));
  plan p{.rule = rule,
         .next = insert_new(rule, current, items, shown.size()),
         .uncut = {},
         .confidence = (kept_some({shown[*before], current}) ? 0.8 : 0.4) * share,
         .reasons = {"new items were put in among the old ones before"}};
  if (same_length && p.next.size() > rule.count) p.next.resize(rule.count);
  return p;
}

// A full feed that shares no item with the one before was read too late: others came and went in between, and where
// they would stand among what the page keeps nobody can tell. Nor, where the feed had still room before, whether a page
// as long as the feed drops what the feed does.
bool leaves_gap(std::vector<sequence> const& shown, plan const& p, item_table const& items) {
  auto const& current = shown.back();
  auto const now = items.times() - 1;
  auto const &told = items.order(now), &told_before = items.order(now - 1);
  std::set<entry> const in_feed(told.begin(), told.end());
  auto const known = [&](entry e) { return in_feed.contains(e); };
  if (told.size() < std::max<std::size_t>(told_before.size(), 2)) return false;
  if (std::any_of(told_before.begin(), told_before.end(), known) || std::any_of(current.begin(), current.end(), known))
    return false;
  if (!std::all_of(p.next.begin(), p.next.end(), known)) return true;
  return p.rule.length == length_kind::all_of_feed && told.size() > told_before.size() && kept_some(shown);
}

// The month of an entry's item, counted from year 0; nothing for one that no feed knows or dates.
std::optional<int> month_of(entry e, item_table const& items) {
  using namespace std::chrono;
  constexpr sys_seconds last{seconds{7'258'118'400}};  // beyond that feeds lie
  if (e < 0) return {};
  auto const& item = *items[e].latest;
  auto const when = item.published ? item.published : item.updated;
  if (!when || when->time_since_epoch().count() < 0 || *when > last) return {};
  year_month_day const date{floor<days>(*when)};
  return 12 * static_cast<int>(date.year()) + static_cast<int>(static_cast<unsigned>(date.month()));
}

std::size_t in_first_month(sequence const& s, item_table const& items) {
  auto const month = s.empty() ? std::nullopt : month_of(s.front(), items);
  auto const other = [&](entry e) { return !month || month_of(e, items) != month; };
  return static_cast<std::size_t>(std::find_if(s.begin(), s.end(), other) - s.begin());
}

// Whether the list ended where a month did on each of several pages: then it may be that month's list.
bool ends_with_month(std::vector<sequence> const& shown, sequence_rule const& rule, item_table const& items) {
  std::size_t pages = 0;
  auto const& now = shown.back();
  if (now.size() < 2 || rule.filter != filter_kind::none) return false;
  for (std::size_t t = 0; t < shown.size(); ++t) {
    auto const n = shown[t].size();
    if (n == 0) continue;
    bool const same_month = month_of(shown[t].front(), items) == month_of(now.front(), items);
    if (same_month && n == now.size() && shown[t] != now) return false;  // it lost entries of its month
    if (in_first_month(foretell(rule, shown[t], items, t).full, items) != n) return false;
    ++pages;
  }
  return pages > 1;
}

// The entries of a month, if that is what the list shows, grow in number until the next month begins; what becomes of
// the list and its heading then nobody can tell. One that was as long on the earlier page may be either.
void heed_month(plan& p, std::vector<sequence> const& shown, item_table const& items) {
  if (p.rule.length != length_kind::fixed || !ends_with_month(shown, p.rule, items)) return;
  auto const n = in_first_month(p.uncut, items);
  if (n == p.next.size()) return;
  bool const other_length = std::any_of(
      shown.begin(), shown.end(), [&](sequence const& s) { return !s.empty() && s.size() != shown.back().size(); });
  if (other_length && month_of(p.uncut.front(), items) == month_of(shown.back().front(), items)) {
    p.next.assign(p.uncut.begin(), p.uncut.begin() + static_cast<std::ptrdiff_t>(n));
    p.reasons.emplace_back("it shows the entries of one month");
    return;
  }
  p.confidence = std::min(p.confidence, 0.4);
  p.reasons.emplace_back("it may be the list of a month");
}

}  // namespace

std::optional<plan> plan_list(std::vector<sequence> const& shown, item_table const& items, surroundings const& around) {
  auto const& current = shown.back();
  auto const known = items_of(current);
  if (known == 0 || (known == 1 && current.size() > 1)) return {};  // look-alikes that the feed does not know
  auto window = plan_window(shown, items, around);
  if (window) {
    auto all = foretell(window->rule, current, items, shown.size());
    window->uncut = all.full;
    window->next = cut_to(std::move(all), window->rule);
  }
  if (window && leaves_gap(shown, *window, items)) {
    window->confidence = std::min(window->confidence, 0.4);
    window->reasons.emplace_back("the feed no longer reaches back to what the page shows");
    return window;
  }
  if (window) heed_month(*window, shown, items);
  if (window && window->confidence >= 0.5) return window;
  auto insertions = around.section ? std::nullopt : plan_insertions(shown, items);
  if (insertions && (!window || insertions->confidence > window->confidence)) return insertions;
  return window;
}

std::string describe(sequence_rule const& rule) {
  std::string out = rule.incremental ? "new items are put in among the old ones" : "a window on the feed";
  if (rule.pinned > 0) out += ", " + std::to_string(rule.pinned) + " pinned";
  if (rule.offset > 0) out += ", without the first " + std::to_string(rule.offset);
  if (rule.order == list_order::published || rule.order == list_order::published_ties_reversed)
    out += ", by date of publication";
  if (rule.order == list_order::updated) out += ", by date of change";
  if (rule.order == list_order::reversed) out += ", oldest first";
  if (rule.filter == filter_kind::category) out += ", only of category " + rule.filter_value;
  if (rule.filter == filter_kind::host) out += ", only from " + rule.filter_value;
  if (rule.filter == filter_kind::author) out += ", only by " + rule.filter_value;
  if (rule.filter == filter_kind::feed) out += ", only of feed " + rule.filter_value;
  if (rule.length == length_kind::fixed) out += ", always " + std::to_string(rule.count);
  if (rule.length == length_kind::all_of_feed) out += ", as long as the feed";
  if (rule.most > 0) out += ", at most " + std::to_string(rule.most);
  if (rule.length == length_kind::until) out += ", down to the same oldest one";
  if (rule.length == length_kind::grows) out += ", growing";
  return out;
}

}  // namespace cistern::stitch::templates
