#pragma once

/// What a publisher says about when to come: interval rules (Wanrooij and Pras, "Scheduling Feed Retrieval"), `ttl`,
/// `skipHours`/`skipDays` and `sy:*`. They are hints: they hold a reader back that could come at any time, and never
/// one that was offline when it could have come.

#include "stitch/feed/feed.hpp"

#include <bitset>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace cistern::sync::schedule {

using std::chrono::sys_seconds;
using stitch::feed::interval_rule;

struct publisher_hints {
  std::optional<std::chrono::minutes> ttl;
  std::optional<std::chrono::seconds> period;  // sy:updatePeriod / sy:updateFrequency
  std::bitset<24> skip_hours;                  // UTC
  std::bitset<7> skip_days;                    // Monday is 0
  std::vector<interval_rule> rules;
};

/// What a parsed feed says, with rubbish left out: a ttl or period below a minute or above a week, hours outside 0-24
/// (24 is 0), days that are none, rules that skip every hour or every day.
[[nodiscard]] publisher_hints hints_of(stitch::feed::feed const& feed);

/// The first time at or after `last_visit` plus what ttl, period and rules ask for, that is in no skipped hour or day.
/// A hint never asks for more than a day of patience: feeds are known to ship a ttl by accident and forget it.
[[nodiscard]] sys_seconds earliest_by_hints(publisher_hints const& hints, sys_seconds last_visit);

[[nodiscard]] bool skipped(publisher_hints const& hints, sys_seconds at);

/// The shortest interval that the rules name for this moment, if any.
[[nodiscard]] std::optional<std::chrono::minutes> interval_at(std::span<interval_rule const> rules, sys_seconds at);

/// DETERMINE-NEXT-UPDATE: walks the rules from `time`. The interval in force there gives the next update; where a rule
/// with a shorter interval begins on the way, its own next update pulls it forward. `jitter` in [-1/2, 1/2] moves the
/// answer by that share of the interval in force, so that readers do not come all at once; never before `time`.
/// Nothing when no rule is in force within a week.
[[nodiscard]] std::optional<sys_seconds> next_update(std::span<interval_rule const> rules, sys_seconds time,
                                                     double jitter = 0.0);

/// Learns rules from history, for feeds that give none: hours with about the same rate are put together, apart for
/// working days and weekends, and each group's interval is the mean time between its postings, at most a day.
[[nodiscard]] std::vector<interval_rule> estimate_rules(std::span<sys_seconds const> postings, sys_seconds from,
                                                        sys_seconds until);

}  // namespace cistern::sync::schedule
