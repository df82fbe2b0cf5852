/// What the planner tells a person: why a feed is visited when it is, and how long one may stay away.

#include "sync/schedule/planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cistern::sync::schedule {
namespace {

std::string clock_words(sys_seconds t) {
  auto const day = std::chrono::floor<std::chrono::days>(t);
  auto const date = std::chrono::year_month_day{day};
  auto const time = std::chrono::hh_mm_ss{t - day};
  constexpr std::array<char const*, 7> names{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s %04d-%02u-%02u %02d:%02d UTC",
                names[std::chrono::weekday{day}.iso_encoding() - 1], static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()));
  return text.data();
}

/// "3.2", "0.14", "40": as many digits as a person can use.
std::string number_words(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value >= 9.95 ? "%.0f" : value >= 0.995 ? "%.1f" : "%.2g", value);
  return text.data();
}

std::string rate_words(double an_hour) {
  double const a_day = an_hour * hours_a_day;
  if (a_day >= 0.95) return number_words(a_day) + " a day";
  if (a_day * 7.0 >= 0.95) return number_words(a_day * 7.0) + " a week";
  return number_words(a_day * 30.0) + " a month";
}

/// The hours of the day that hold most of the postings, when they stand out: "mostly 08-18 UTC".
std::string hours_words(posting_pattern const& pattern) {
  std::array<double, hours_a_day> day{};
  for (int h = 0; h < hours_a_week; ++h)
    day[static_cast<std::size_t>(h % hours_a_day)] += static_cast<double>(pattern.week(h)) / 7.0;
  for (std::size_t length = 2; length <= 12; ++length)
    for (std::size_t start = 0; start < hours_a_day; ++start) {
      double held = 0.0;
      for (std::size_t i = 0; i < length; ++i) held += day[(start + i) % hours_a_day];
      if (held < 0.75 * hours_a_day) continue;
      std::array<char, 48> text{};
      std::snprintf(text.data(), text.size(), ", mostly %02zu-%02zu h UTC", start, (start + length) % hours_a_day);
      return text.data();
    }
  return {};
}

}  // namespace

std::string planner::why(feed_id id) const {
  auto const& feed = feeds_[id];
  if (!feed.visited && feed.failures == 0) return "Never visited yet: the first visit is due at once.";
  if (!feed.visited) return "Never reached yet: the next try is " + clock_words(from_plan(feed.due)) + ".";
  auto const& pattern = feed.pattern;
  std::string words;
  if (pattern.evidence() < 0.5)
    words = "Nothing posted lately";
  else
    words = "Posts about " + rate_words(pattern.rate()) + hours_words(pattern);
  if (pattern.evidence() >= 5.0 && pattern.mood() > 1.6) words += ", more than usual now";
  if (pattern.evidence() >= 5.0 && pattern.mood() < 0.6) words += ", less than usual now";
  words += ". Next visit " + clock_words(from_plan(feed.due));
  switch (feed.because) {
    case reason::gain:
      words += ": by then about " + number_words(feed.choice.expected_new) +
               " new, and waiting longer would cost more delay than a visit is worth.";
      break;
    case reason::loss:
      words += ": it shows " + number_words(capacity_of(feed)) + " items at once and about " +
               number_words(feed.choice.expected_new) + " will be new by then; later some could be lost.";
      break;
    case reason::longest_gap:
      words += ": no feed is left alone for longer.";
      break;
    case reason::hint:
      words += ": the publisher asks not to come sooner.";
      break;
    case reason::floor:
      words += ": the server, or the shortest time between two visits, allows no sooner one.";
      break;
  }
  return words;
}

sys_seconds planner::safe_offline_until(feed_id id) const {
  auto const& feed = feeds_[id];
  double const capacity = capacity_of(feed);
  double const burst = feed.pattern.burst();
  std::array<float, 60 * hours_a_day> cells{};
  double const edge = std::floor(feed.last_visit) + 1.0;
  feed.pattern.expect(feed.last_visit, edge, 1.0, cells);
  double mean = 0.0;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    mean += static_cast<double>(cells[j]);
    // The 95 % point of a count with this mean and burstiness, taken as normal.
    if (mean + 1.645 * std::sqrt(mean + burst * mean * mean) < capacity + 0.5) continue;
    return from_plan(j == 0 ? feed.last_visit : edge + static_cast<double>(j - 1));
  }
  return from_plan(edge + static_cast<double>(cells.size() - 1));
}

std::vector<feed_id> planner::link_up_order(sys_seconds now, std::optional<sys_seconds> expected_until) const {
  double const at = to_plan(now);
  double const end = expected_until ? to_plan(*expected_until) : link_.usual_end(at);
  double const back = link_.usual_start(std::max(end, at) + 0.25);
  struct standing {
    feed_id feed;
    double lost, gain;
  };
  std::vector<standing> all;
  for (feed_id id = 0; id < feeds_.size(); ++id) {
    auto const& feed = feeds_[id];
    if (!feed.present || feed.not_before > at) continue;
    std::array<float, 2> cells{};
    feed.pattern.expect(feed.last_visit, std::max(at, feed.last_visit), std::max(1.0, back - at), cells);
    double const waiting = static_cast<double>(cells[0]);
    double const later = waiting + static_cast<double>(cells[1]);
    double const capacity = capacity_of(feed);
    double const burst = feed.pattern.burst();
    // What a visit now saves from being lost before the link is back.
    double const lost = expected_lost(later, capacity, burst) - expected_lost(later - waiting, capacity, burst);
    double const gain = feed.visited ? waiting * feed.facts.weight : 1.0;
    double const bytes = feed.hit_share * feed.changed_bytes + (1.0 - feed.hit_share) * feed.unchanged_bytes;
    all.push_back({id, lost * feed.facts.weight, gain / std::max(1.0, bytes)});
  }
  std::stable_sort(all.begin(), all.end(), [](standing const& a, standing const& b) {
    bool const a_loses = a.lost >= 0.5;
    bool const b_loses = b.lost >= 0.5;
    if (a_loses != b_loses) return a_loses;
    return a_loses ? a.lost > b.lost : a.gain > b.gain;
  });
  std::vector<feed_id> order;
  order.reserve(all.size());
  for (auto const& one : all) order.push_back(one.feed);
  return order;
}

}  // namespace cistern::sync::schedule
