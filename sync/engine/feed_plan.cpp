#include "sync/engine/feed_plan.hpp"

#include "sync/feeds/believable.hpp"
#include "sync/http/origin.hpp"

#include <algorithm>

namespace cistern::sync {
namespace {

using std::chrono::sys_seconds;

schedule::feed_facts facts_of(store::subscription const& feed) {
  schedule::feed_facts out{.weight = feed.weight};
  if (feed.capacity > 0) out.capacity = feed.capacity;
  auto const& said = feed.hints;
  if (said.ttl_minutes) out.hints.ttl = std::chrono::minutes{*said.ttl_minutes};
  if (said.period_seconds) out.hints.period = std::chrono::seconds{*said.period_seconds};
  out.hints.skip_hours = std::bitset<24>{said.skip_hours};
  out.hints.skip_days = std::bitset<7>{said.skip_days};
  for (auto const& rule : said.rules)
    out.hints.rules.push_back({.start_hour = rule.start_hour,
                               .end_hour = rule.end_hour,
                               .start_day = rule.start_day,
                               .end_day = rule.end_day,
                               .interval = std::chrono::minutes{rule.minutes}});
  return out;
}

}  // namespace

void feed_plan::put(store::subscription const& feed, sys_seconds now) {
  bool const rests = feed.paused || feed.gone;
  if (rests) return remove(feed.id);
  auto const at = feeds_.find(feed.id);
  if (at == feeds_.end()) {
    bool const never = feed.last_visit == sys_seconds{} || is_from_the_future(feed, now);
    auto const last = never ? std::nullopt : std::optional{feed.last_visit};
    auto const planned = all_here_ ? planner_.add(facts_of(feed), now, feed.posting_pattern, last)
                                   : planner_.enrol(facts_of(feed), now, feed.posting_pattern, last);
    feeds_[feed.id] = {.planned = planned};
    by_plan_[planned] = feed.id;
  } else {
    planner_.set_facts(at->second.planned, facts_of(feed));
  }
  auto& known = feeds_[feed.id];
  known.host = host_in(feed.feed_url);
  known.earliest = earliest_believable(feed, floors_, now);
}

void feed_plan::remove(std::uint64_t id) {
  auto const at = feeds_.find(id);
  if (at == feeds_.end()) return;
  planner_.remove(at->second.planned);
  by_plan_.erase(at->second.planned);
  feeds_.erase(at);
}

sys_seconds feed_plan::due(entry const& feed) const { return std::max(feed.earliest, planner_.due(feed.planned)); }

std::vector<std::uint64_t> feed_plan::take_due(sys_seconds now, bool asked) {
  std::vector<std::uint64_t> out;
  std::vector<std::uint64_t> held;
  for (auto next = planner_.next_due(); next && next->at <= now; next = planner_.next_due()) {
    planner_.take(next->feed);
    auto const id = by_plan_.at(next->feed);
    auto& feed = feeds_.at(id);
    feed.taken = feed.earliest <= now;
    (feed.taken ? out : held).push_back(id);
  }
  // What must wait for its floor goes back with that floor as its time.
  for (auto const id : held) planner_.hold(feeds_.at(id).planned, std::max(feeds_.at(id).earliest, now), now);
  if (!asked) return out;
  for (auto& [id, feed] : feeds_) {
    if (feed.taken || feed.earliest > now) continue;
    feed.taken = true;
    planner_.take(feed.planned);
    out.push_back(id);
  }
  return out;
}

void feed_plan::put_back(store::subscription const& feed, sys_seconds now) {
  auto const at = feeds_.find(feed.id);
  if (at == feeds_.end() || !at->second.taken) return;
  at->second.taken = false;
  planner_.hold(at->second.planned, std::max(earliest_believable(feed, floors_, now), now), now);
}

std::optional<sys_seconds> feed_plan::next_due(sys_seconds now) {
  auto const next = planner_.next_due();
  if (!next) return std::nullopt;
  return std::max({next->at, feeds_.at(by_plan_.at(next->feed)).earliest, now});
}

void feed_plan::visited(visit_news const& news, visit_report const& report, std::uint64_t bytes, sys_seconds now) {
  auto const at = feeds_.find(news.feed.id);
  if (at == feeds_.end()) return;
  auto& feed = at->second;
  feed.taken = false;
  feed.earliest = earliest_visit(news.feed, floors_);
  planner_.set_facts(feed.planned, facts_of(news.feed));
  schedule::visit_outcome seen{.postings = news.postings,
                               .undated = news.undated,
                               .turned_over = news.turned_over,
                               .bytes = static_cast<std::int64_t>(bytes),
                               .not_before = feed.earliest};
  if (report.whole && !report.delta) seen.shown = static_cast<std::int64_t>(report.in_document);
  planner_.observe(feed.planned, seen, now);
}

void feed_plan::failed(store::subscription const& feed, sys_seconds now) {
  auto const at = feeds_.find(feed.id);
  if (at == feeds_.end()) return;
  if (feed.gone) return remove(feed.id);
  at->second.taken = false;
  at->second.earliest = earliest_visit(feed, floors_);
  planner_.failed(at->second.planned, now, std::max(at->second.earliest, now));
}

std::optional<sys_seconds> feed_plan::next_visit(std::uint64_t id, sys_seconds now) const {
  auto const at = feeds_.find(id);
  return at == feeds_.end() ? std::nullopt : std::optional{std::max(due(at->second), now)};
}

std::map<std::uint64_t, feed_plan::outlook> feed_plan::look_ahead_all(sys_seconds now) const {
  std::map<std::uint64_t, outlook> out;
  for (auto const& [id, feed] : feeds_)
    out.emplace(id, outlook{.next = std::max(due(feed), now),
                            .safe_offline_until = planner_.safe_offline_until(feed.planned),
                            .why = planner_.why(feed.planned)});
  return out;
}

std::vector<sys_seconds> feed_plan::visits_ahead(store::subscription const& feed, sys_seconds now,
                                                 sys_seconds until) const {
  auto const at = feeds_.find(feed.id);
  if (at == feeds_.end()) return {};
  auto later = feed;  // as it will be after a visit that went well
  later.last_visit = now;
  later.not_before = {};
  later.failures = 0;
  auto const apart = std::max(earliest_visit(later, floors_), now) - now;
  return planner_.visits_ahead(at->second.planned, now,
                               {.until = until, .not_before = at->second.earliest, .apart = apart});
}

std::string feed_plan::learned(std::uint64_t id) const {
  auto const at = feeds_.find(id);
  return at == feeds_.end() ? std::string{} : planner_.state(at->second.planned);
}

std::vector<std::uint64_t> feed_plan::neighbours(std::uint64_t id) const {
  std::vector<std::uint64_t> out;
  auto const at = feeds_.find(id);
  if (at == feeds_.end()) return out;
  for (auto const& [other, feed] : feeds_)
    if (other != id && feed.host == at->second.host) out.push_back(other);
  return out;
}

std::string feed_plan::host_of(std::uint64_t id) const {
  auto const at = feeds_.find(id);
  return at == feeds_.end() ? std::string{} : at->second.host;
}

}  // namespace cistern::sync
