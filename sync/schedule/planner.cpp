#include "sync/schedule/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cistern::sync::schedule {
namespace {

using namespace std::chrono_literals;
constexpr double a_moment = 1.0 / 3600.0;

constexpr double longest_floor = 366.0 * hours_a_day;  // a server that asks for more than a year asks for nonsense

double hours(std::chrono::seconds span) { return static_cast<double>(span.count()) / 3600.0; }

double longest_gap_of(planner_options const& options) {
  double const asked = hours(options.longest_gap);
  // A little less than seven: cells are coarse, and a promise is a promise.
  return asked > 0.0 ? asked : 6.98 * hours(options.average_interval);
}

double units_an_hour(planner_options const& options) {
  if (options.visits_an_hour) return *options.visits_an_hour;
  return options.unit == budget_unit::bytes ? options.bytes_a_day / 24.0 : 0.0;
}

/// Visits are an average, and a busy day may borrow from a quiet one. Bytes are somebody's money: nothing is borrowed,
/// and a quiet week does not pay for one wild day.
allowance_slack slack_of(planner_options const& options) {
  if (options.unit == budget_unit::visits) return {};
  return {.borrowed = 0.0, .saved = hours_a_day};
}

double floor_of(std::optional<sys_seconds> not_before, double now) {
  return not_before ? std::min(to_plan(*not_before), now + longest_floor) : 0.0;
}

}  // namespace

planner::planner(planner_options options)
    : options_(options),
      longest_gap_(longest_gap_of(options)),
      price_(units_an_hour(options), to_plan(options.start), slack_of(options)),
      link_since_(to_plan(options.start)) {}

feed_id planner::add(feed_facts facts, sys_seconds now, std::string_view learned,
                     std::optional<sys_seconds> last_visit) {
  auto const id = enrol(std::move(facts), now, learned, last_visit);
  if (feeds_[id].visited) plan(id, to_plan(now));
  return id;
}

feed_id planner::enrol(feed_facts facts, sys_seconds now, std::string_view learned,
                       std::optional<sys_seconds> last_visit) {
  double const at = to_plan(now);
  feed_entry entry;
  entry.facts = std::move(facts);
  entry.pattern = posting_pattern{at};
  entry.visited = restore_feed(entry, learned);
  entry.last_visit = last_visit ? std::min(at, to_plan(*last_visit)) : at;
  entry.visited |= last_visit.has_value();
  entry.due = at;
  auto const id = static_cast<feed_id>(feeds_.size());
  feeds_.push_back(std::move(entry));
  ++present_;
  allow(at);
  if (!feeds_[id].visited) {
    price_.grant(units(feeds_[id]));
    enqueue(id);
  }
  return id;
}

void planner::remove(feed_id feed) {
  if (!feeds_[feed].present) return;
  give_back(feeds_[feed]);
  feeds_[feed].present = false;
  ++feeds_[feed].turn;
  --present_;
}

void planner::set_facts(feed_id feed, feed_facts facts) { feeds_[feed].facts = std::move(facts); }

/// The budget by interval grows with the number of feeds.
void planner::allow(double now) {
  if (options_.visits_an_hour || options_.unit == budget_unit::bytes) return;
  price_.set_allowance(static_cast<double>(present_) / std::max(a_moment, hours(options_.average_interval)), now);
}

void planner::learn_history(feed_id feed, std::span<sys_seconds const> postings, sys_seconds from, sys_seconds until) {
  auto& entry = feeds_[feed];
  std::vector<double> times;
  times.reserve(postings.size());
  for (auto const t : postings)
    if (t >= from && t < until) times.push_back(to_plan(t));
  std::sort(times.begin(), times.end());
  entry.pattern.learn(times, to_plan(from), to_plan(until), rhythm_);
  rhythm_.learn(times, entry.pattern.rate(), to_plan(until));
  entry.last_visit = to_plan(until);
  entry.visited = true;
}

void planner::observe(feed_id feed, visit_outcome const& outcome, sys_seconds now) {
  auto& entry = feeds_[feed];
  give_back(entry);
  double const at = to_plan(now);
  double const since = entry.visited ? entry.last_visit : at - 60.0 * hours_a_day;
  std::vector<double> times;
  times.reserve(outcome.postings.size() + static_cast<std::size_t>(std::max<std::int64_t>(0, outcome.undated)));
  for (auto const t : outcome.postings) {
    double const posted = to_plan(t);
    if (!entry.visited && posted < since) continue;  // an archive says little about next week
    times.push_back(std::clamp(posted, std::min(since + a_moment, at), at));
  }
  for (std::int64_t i = 0; i < std::min<std::int64_t>(outcome.undated, 1000) && entry.visited; ++i)
    times.push_back(since + (at - since) * (static_cast<double>(i) + 0.5) / static_cast<double>(outcome.undated));
  std::sort(times.begin(), times.end());

  // What came before the oldest item shown is unknown on a first visit and when the window turned over.
  double from = since;
  if (outcome.turned_over || !entry.visited) from = times.empty() ? at : times.front();
  entry.pattern.learn(times, from, at, rhythm_);
  rhythm_.learn(times, entry.pattern.rate(), at);

  learn_window(entry, outcome);
  constexpr double lately = 0.1;
  bool const news = !times.empty();
  entry.hit_share += lately * ((news ? 1.0 : 0.0) - entry.hit_share);
  if (outcome.bytes > 0) {
    double& usual = news ? entry.changed_bytes : entry.unchanged_bytes;
    usual += (entry.visited ? 0.3 : 1.0) * (static_cast<double>(outcome.bytes) - usual);
  }
  price_.spend(options_.unit == budget_unit::bytes ? static_cast<double>(outcome.bytes) : 1.0, std::min(at, entry.due));
  if (price_.affordable_at(1.0) > at) price_.review_soon();
  entry.last_visit = at;
  entry.visited = true;
  entry.failures = 0;
  entry.not_before = floor_of(outcome.not_before, at);
  plan(feed, at);
}

/// A window that is not full yet grows with what is posted; one that is full stays as it is, or shrinks.
void planner::learn_window(feed_entry& feed, visit_outcome const& outcome) const {
  if (!outcome.shown || *outcome.shown <= 0) return;
  auto const shown = static_cast<double>(*outcome.shown);
  double const news = static_cast<double>(outcome.postings.size()) + static_cast<double>(outcome.undated);
  bool const full = news > 0.0 && shown < feed.shown + news;
  feed.window = full || outcome.turned_over ? shown : std::max(feed.window, shown);
  feed.shown = shown;
}

double planner::capacity_of(feed_entry const& feed) {
  return std::max(1.0, feed.window > 0.0 ? feed.window : static_cast<double>(feed.facts.capacity));
}

void planner::failed(feed_id feed, sys_seconds now, std::optional<sys_seconds> not_before) {
  auto& entry = feeds_[feed];
  give_back(entry);
  price_.spend(options_.unit == budget_unit::bytes ? entry.unchanged_bytes : 1.0, to_plan(now));
  // Without a date of its own, a failure is worth half a usual gap of patience, the next one twice that.
  double const patience = std::ldexp(0.5, static_cast<int>(std::min(entry.failures, 16U)));
  ++entry.failures;
  double const usual = std::clamp(std::sqrt(2.0 * price_.price() / std::max(1e-6, entry.pattern.rate())),
                                  hours(options_.shortest_gap), longest_gap_);
  entry.not_before =
      not_before ? floor_of(not_before, to_plan(now)) : to_plan(now) + std::min(patience * usual, longest_gap_);
  plan(feed, to_plan(now));
}

void planner::take(feed_id feed) {
  auto& entry = feeds_[feed];
  if (entry.taken || !entry.present) return;
  entry.taken = true;
  entry.set_aside = units(entry);
  set_aside_ += entry.set_aside;
  ++entry.turn;
}

void planner::give_back(feed_entry& feed) {
  if (!feed.taken) return;
  feed.taken = false;
  set_aside_ = std::max(0.0, set_aside_ - feed.set_aside);
}

void planner::hold(feed_id feed, sys_seconds not_before, sys_seconds now) {
  give_back(feeds_[feed]);
  feeds_[feed].not_before = floor_of(not_before, to_plan(now));
  plan(feed, to_plan(now));
}

void planner::review_price(double now) {
  // Feeds that come one by one must not cost a review each.
  bool const afresh = present_ > reviewed_ + reviewed_ / 8 || present_ + reviewed_ / 8 < reviewed_;
  if (present_ == 0 || now < to_plan(options_.start) || !(afresh || price_.review_due(now))) return;
  reviewed_ = present_;
  allow(now);
  std::vector<demand> demands;
  demands.reserve(present_);
  for (auto const& feed : feeds_)
    if (feed.present)
      demands.push_back({.value = feed.facts.weight * feed.pattern.rate(),
                         .units = units(feed),
                         .shortest_gap = shortest_gap(feed),
                         .longest_gap = longest_gap()});
  price_.review(now, demands, afresh);
}

double planner::units(feed_entry const& feed) const {
  if (options_.unit == budget_unit::visits) return 1.0;
  return feed.hit_share * feed.changed_bytes + (1.0 - feed.hit_share) * feed.unchanged_bytes;
}

double planner::shortest_gap(feed_entry const& feed) const {
  double gap = hours(options_.shortest_gap);
  if (feed.facts.hints.ttl) gap = std::max(gap, std::min(24.0, hours(*feed.facts.hints.ttl)));
  if (feed.facts.hints.period) gap = std::max(gap, std::min(24.0, hours(*feed.facts.hints.period)));
  return gap;
}

/// With a link that comes and goes a visit that is due may wait for hours, and for longer when a window is lost: aiming
/// sooner keeps the longest delay below that of a frozen plan.
double planner::longest_gap() const { return link_.comes_and_goes() ? 0.6 * longest_gap_ : longest_gap_; }

void planner::plan_all(sys_seconds now) {
  if (!planned_all_) {
    // Visits follow postings, but less than in proportion: about by the cube root.
    std::array<float, hours_a_week> week{};
    for (int h = 0; h < hours_a_week; ++h) week[static_cast<std::size_t>(h)] = std::cbrt(rhythm_.week(h));
    price_.expect_week(week);
    planned_all_ = true;
  }
  for (feed_id id = 0; id < feeds_.size(); ++id)
    if (feeds_[id].present && feeds_[id].visited && !feeds_[id].taken) plan(id, to_plan(now));
}

/// A link that comes and goes by the minute re-plans every feed each time: what was overtaken must not pile up.
void planner::tidy(visit_queue& queue) const {
  if (queue.size() <= 8 * feeds_.size() + 64) return;
  std::vector<queued> left;
  left.reserve(feeds_.size());
  for (; !queue.empty(); queue.pop())
    if (queue.top().turn == feeds_[queue.top().feed].turn) left.push_back(queue.top());
  queue = visit_queue{std::greater<>{}, std::move(left)};
}

void planner::enqueue(feed_id feed) {
  auto& entry = feeds_[feed];
  if (!entry.present || entry.taken) return;
  tidy(queue_);
  tidy(deadlines_);
  ++entry.turn;
  queue_.push({entry.due, feed, entry.turn});
  deadlines_.push({std::max(entry.due, entry.last_visit + longest_gap()), feed, entry.turn});
}

void planner::drop_overtaken(visit_queue& queue) const {
  while (!queue.empty() && queue.top().turn != feeds_[queue.top().feed].turn) queue.pop();
}

std::optional<due_visit> planner::next_due() {
  drop_overtaken(queue_);
  drop_overtaken(deadlines_);
  if (queue_.empty()) return std::nullopt;
  auto const& first = queue_.top();
  double const at = std::max(first.at, price_.affordable_at(set_aside_ + units(feeds_[first.feed])));
  // The longest gap is a promise; only the others wait for the allowance. With bytes the allowance is the promise.
  if (options_.unit == budget_unit::bytes) return due_visit{first.feed, from_plan(at)};
  if (auto const& promised = deadlines_.top(); promised.at < at)
    return due_visit{promised.feed, from_plan(promised.at)};
  return due_visit{first.feed, from_plan(at)};
}

void planner::link_up(sys_seconds now) {
  if (!up_) link_.learn(link_since_, to_plan(now), false);
  link_since_ = to_plan(now);
  link_known_ = true;
  up_ = true;
  came_up_ = true;
  plan_all(now);
  came_up_ = false;
}

void planner::link_down(sys_seconds now) {
  if (up_) link_.learn(link_since_, to_plan(now), true);
  link_since_ = to_plan(now);
  link_known_ = true;
  up_ = false;
}

void planner::learn_link(sys_seconds up_from, sys_seconds up_until) {
  double const from = to_plan(up_from);
  if (link_known_) link_.learn(link_since_, from, false);
  link_.learn(from, to_plan(up_until), true);
  link_since_ = to_plan(up_until);
  link_known_ = true;
  up_ = false;
}

}  // namespace cistern::sync::schedule
