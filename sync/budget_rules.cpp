#include "sync/budget_rules.hpp"

#include <algorithm>
#include <limits>

namespace cistern::sync {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr per_class<std::string_view> names{"people", "feeds", "pages", "requisites", "homepages", "enclosures"};

/// "50 MB", "1.5 GB": for people, so three digits will do.
std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units{" bytes", " kB", " MB", " GB", " TB"};
  std::size_t unit = 0;
  std::uint64_t scale = 1;
  while (unit + 1 < units.size() && bytes / scale >= 1000) {
    scale *= 1000;
    ++unit;
  }
  auto text = std::to_string(bytes / scale);
  auto const tenth = bytes % scale * 10 / scale;
  if (tenth != 0 && bytes / scale < 100) text += "." + std::to_string(tenth);
  return text + std::string{units[unit]};
}

/// Collects the tightest of several limits.
class tightest {
public:
  void bound_by(std::uint64_t limit, std::uint64_t spent, bool monthly, std::string_view whose) {
    auto const left = limit - std::min(limit, spent);
    // Of two that are used up the one that lasts longer is what to tell.
    if (left > left_ || (left == left_ && !monthly)) return;
    left_ = left;
    monthly_ = monthly;
    words_ =
        std::string{monthly ? "this month's " : "today's "} + size_text(limit) + std::string{whose} + " are used up";
  }
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();
  bool monthly_ = false;
  std::string words_;
};

local_days next_month(local_days first) {
  year_month_day const date{first};
  auto const next = year_month{date.year(), date.month()} + months{1};
  return local_days{next / date.day()};
}

sys_seconds next_opening(std::vector<day_hours> const& open, sys_seconds now, local_zone const& zone) {
  auto const today = floor<days>(zone(now));
  auto best = sys_seconds::max();
  for (auto const& hours : open) {
    for (auto day = 0; day <= 2; ++day) {
      auto const begins = local_seconds{today + days{day}} + hours.from;
      if (begins <= zone(now)) continue;
      auto const moment = moment_of(begins, now, zone);
      // In the night when the clocks go forward hours that they skip do not open.
      if (hours.contains(zone(moment))) best = std::min(best, moment);
    }
  }
  return best == sys_seconds::max() ? now + 1h : best;
}

std::string hours_text(std::vector<day_hours> const& open) {
  std::string out;
  for (auto const& hours : open) out += (out.empty() ? "" : " and ") + to_text(hours);
  return out;
}

}  // namespace

std::string_view class_name(store::job_class purpose) { return names[index_of(purpose)]; }

std::optional<store::job_class> class_named(std::string_view name) {
  auto const found = std::ranges::find(names, name);
  if (found == names.end()) return {};
  return static_cast<store::job_class>(found - names.begin());
}

budget_period period_at(local_seconds time, unsigned month_starts) {
  auto const today = floor<days>(time);
  year_month_day const date{today};
  auto month = year_month{date.year(), date.month()};
  if (static_cast<unsigned>(date.day()) < month_starts) month -= months{1};
  return {today, local_days{month / day{month_starts}}};
}

void spent_sums::add(expense const& what, std::uint64_t bytes) {
  auto& of_its_class = of_class[index_of(what.purpose)];
  all.day += bytes;
  all.month += bytes;
  of_its_class.day += bytes;
  of_its_class.month += bytes;
  if (what.subscription != 0) of_subscription[what.subscription] += bytes;
}

verdict judge(budget_rules const& rules, spent_sums const& spent, expense const& what, sys_seconds now,
              local_zone const& zone, bool metered, std::uint64_t least) {
  auto const which = index_of(what.purpose);
  auto const name = std::string{class_name(what.purpose)};
  if (metered && (rules.not_metered[which] || (what.image && rules.no_metered_images)))
    return {.why = (what.image && !rules.not_metered[which] ? "images" : name) + " wait while the link is metered"};

  auto const local = zone(now);
  auto const& open = rules.hours[which];
  if (!open.empty() && std::ranges::none_of(open, [&](day_hours const& h) { return h.contains(local); }))
    return {.why = name + " are fetched at " + hours_text(open), .until = next_opening(open, now, zone)};

  tightest bound;
  auto const& limits = rules.of_class[which];
  auto const& sums = spent.of_class[which];
  if (rules.all.day != 0) bound.bound_by(rules.all.day, spent.all.day, false, "");
  if (limits.day != 0) bound.bound_by(limits.day, sums.day, false, " for " + name);
  auto const own = spent.of_subscription.find(what.subscription);
  auto const by_own = own == spent.of_subscription.end() ? 0 : own->second;
  if (what.daily_limit) bound.bound_by(*what.daily_limit, by_own, false, " for this subscription");
  if (rules.all.month != 0) bound.bound_by(rules.all.month, spent.all.month, true, "");
  if (limits.month != 0) bound.bound_by(limits.month, sums.month, true, " for " + name);
  if (bound.left_ >= least) return {.allowed = true, .left = bound.left_};

  auto const period = period_at(local, rules.month_starts);
  auto const next = bound.monthly_ ? next_month(period.month) : period.day + days{1};
  return {.left = bound.left_, .why = bound.words_, .until = moment_of(local_seconds{next}, now, zone)};
}

bool is_limited(budget_rules const& rules, expense const& what) {
  auto const which = index_of(what.purpose);
  auto const& limits = rules.of_class[which];
  return rules.all.day != 0 || rules.all.month != 0 || limits.day != 0 || limits.month != 0 ||
         !rules.hours[which].empty() || rules.not_metered[which] || (what.image && rules.no_metered_images) ||
         what.daily_limit.has_value();
}

}  // namespace cistern::sync
