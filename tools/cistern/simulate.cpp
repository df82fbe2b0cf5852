#include "sync/schedule/replay.hpp"
#include "sync/schedule/rules_plan.hpp"
#include "sync/schedule/score.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/outages.hpp"
#include "tools/cistern/simulate_picture.hpp"
#include "tools/cistern/trace_file.hpp"

#include <boost/json.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace cistern::tools {
namespace {

using namespace sync::schedule;

struct options {
  std::string trace_file, capacity, outages, visits_out, picture;
  std::vector<std::string> policies{"uniform", "min-delay", "min-missing", "adaptive"};
  std::vector<double> intervals;
  std::vector<std::int64_t> visits;
  int learn_days = 14;
  std::string panel = "stable";
  std::uint32_t seed = 1;
  bool json = false;
};

using plan = std::vector<std::vector<sys_seconds>>;

struct budget {
  std::int64_t visits = 0;
  double interval_hours = 0.0;
};

class lab {
public:
  explicit lab(options const& asked) : asked_(asked), all_(read_trace(asked.trace_file)) {
    if (!asked.capacity.empty()) set_capacities(all_, asked.capacity);
    window_ = {all_.from, all_.from + std::chrono::days{asked.learn_days}, all_.until};
    if (window_.score_from >= window_.until)
      throw std::runtime_error{"the trace is shorter than --learn " + std::to_string(asked.learn_days) + " days"};
    panel_ = asked.panel == "all" ? all_ : stable_panel(all_, window_.score_from);
    if (panel_.feeds.empty()) throw std::runtime_error{"no source posts in the learnt part: try --panel all"};
    if (!asked.outages.empty()) link_ = link_windows(asked.outages, window_.learn_from, window_.until, asked.seed);
  }

  [[nodiscard]] std::vector<budget> budgets() const {
    std::vector<budget> budgets;
    for (auto const visits : asked_.visits) budgets.push_back({visits, feed_hours() / static_cast<double>(visits)});
    // A hair more than the quotient: 376 feeds every 7.7 h must not lose a visit to rounding.
    for (double const hours : asked_.intervals)
      budgets.push_back({static_cast<std::int64_t>(std::floor(feed_hours() / hours + 1e-6)), hours});
    return budgets;
  }

  [[nodiscard]] lab_row run(std::string const& policy, budget may) {
    auto made = visits_of(policy, may);
    lab_row row{.policy = policy,
                .interval_hours = may.interval_hours,
                .visits_a_feed_a_day = 24.0 / may.interval_hours,
                .result = score_visits(panel_.feeds, made, window_)};
    if (!asked_.visits_out.empty()) write_visits(asked_.visits_out, panel_.names, made);
    return row;
  }

  [[nodiscard]] std::size_t feeds() const { return panel_.feeds.size(); }

private:
  [[nodiscard]] double feed_hours() const {
    auto const scored = std::chrono::duration<double, std::ratio<3600>>(window_.until - window_.score_from);
    return static_cast<double>(panel_.feeds.size()) * scored.count();
  }

  [[nodiscard]] plan visits_of(std::string const& policy, budget may) const {
    if (policy == "adaptive") {
      // By the interval, not by M over the scored part: M is a whole number, and where it was rounded a trace cut short
      // would be visited at other times.
      replay_options const how{.window = window_,
                               .visits = may.visits,
                               .average_interval = std::chrono::seconds{std::llround(may.interval_hours * 3600.0)},
                               .visits_an_hour = static_cast<double>(panel_.feeds.size()) / may.interval_hours,
                               .link = link_};
      return replay_adaptive(panel_.feeds, how);
    }
    auto planned = policy == "rules" ? rules_plan(panel_.feeds, window_, may.visits, asked_.seed)
                                     : frozen_plan(*frozen_policy_named(policy), panel_.feeds, window_, may.visits);
    return link_.empty() ? planned : executed_in_windows(planned, link_);
  }

  options const& asked_;
  trace all_, panel_;
  plan_window window_;
  std::vector<link_window> link_;
};

boost::json::object to_json(lab_row const& row) {
  auto const& r = row.result;
  return {{"policy", row.policy},
          {"interval_hours", row.interval_hours},
          {"visits", r.visits},
          {"mean_delay_minutes", r.mean.count()},
          {"median_delay_minutes", r.median.count()},
          {"p95_delay_minutes", r.p95.count()},
          {"max_delay_minutes", r.maximum.count()},
          {"missing_percent", r.missing_percent()},
          {"postings", r.postings},
          {"missing", r.missing},
          {"hits", r.hits},
          {"misses", r.misses},
          {"bytes", r.bytes},
          {"longest_gap_hours", r.longest_gap.count()}};
}

void print_head(std::size_t feeds) {
  std::printf("%zu feeds; delays in minutes\n%-12s %8s %9s %8s %8s %8s %8s %9s %9s %9s %8s\n", feeds, "policy",
              "every h", "visits", "mean", "median", "p95", "max", "missing %", "hits", "misses", "MB");
}

void print_row(lab_row const& row) {
  auto const& r = row.result;
  std::printf("%-12s %8.2f %9lld %8.1f %8.1f %8.0f %8.0f %9.3f %9lld %9lld %8.1f\n", row.policy.c_str(),
              row.interval_hours, static_cast<long long>(r.visits), r.mean.count(), r.median.count(), r.p95.count(),
              r.maximum.count(), r.missing_percent(), static_cast<long long>(r.hits), static_cast<long long>(r.misses),
              static_cast<double>(r.bytes) / 1e6);
  std::fflush(stdout);
}

void simulate(options const& asked) {
  lab bench{asked};
  boost::json::array rows;
  std::vector<lab_row> drawn;
  if (!asked.json) print_head(bench.feeds());
  for (auto const& may : bench.budgets())
    for (auto const& policy : asked.policies) {
      auto row = bench.run(policy, may);
      if (asked.json)
        rows.push_back(to_json(row));
      else
        print_row(row);
      drawn.push_back(std::move(row));
    }
  if (asked.json) std::cout << boost::json::serialize(rows) << '\n';
  if (!asked.picture.empty()) write_picture(asked.picture, drawn);
}

void check(options const& asked) {
  for (auto const& policy : asked.policies)
    if (policy != "adaptive" && policy != "rules" && !frozen_policy_named(policy))
      throw CLI::ValidationError{"--policy", "unknown policy \"" + policy +
                                                 "\"; known are uniform, scheduling, allocation, min-delay, "
                                                 "min-missing, rules, adaptive"};
  auto const budgets = asked.intervals.size() + asked.visits.size();
  if (budgets == 0)
    throw CLI::ValidationError{"--interval", "say how much may be spent: --interval HOURS or --visits M"};
  if (!asked.visits_out.empty() && budgets * asked.policies.size() != 1)
    throw CLI::ValidationError{"--visits-out", "takes one policy and one interval at a time"};
  if (!asked.picture.empty() && budgets < 2)
    throw CLI::ValidationError{"--picture", "wants several budgets to draw a line through: --interval 6,8,12,24"};
}

}  // namespace

void add_simulate_command(CLI::App& program) {
  auto* const command = program.add_subcommand("simulate", "try polling policies on a trace of postings");
  auto const asked = std::make_shared<options>();
  command->add_option("--trace", asked->trace_file, "postings, lines source,unix_time, plain or gzipped")
      ->required()
      ->type_name("FILE.csv[.gz]");
  command
      ->add_option("--policy", asked->policies,
                   "uniform, scheduling, allocation, min-delay, min-missing, rules, adaptive")
      ->delimiter(',')
      ->type_name("P[,P...]");
  auto* const interval = command->add_option("--interval", asked->intervals, "average hours between visits to a feed")
                             ->delimiter(',')
                             ->check(CLI::Range(0.01, 10000.0))
                             ->type_name("HOURS[,HOURS...]");
  command->add_option("--visits", asked->visits, "visits in all, in the scored part")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->excludes(interval)
      ->type_name("M[,M...]");
  command->add_option("--learn", asked->learn_days, "days learnt from before scoring starts (14)")
      ->check(CLI::Range(1, 3650))
      ->type_name("DAYS");
  command->add_option("--capacity", asked->capacity, "items a feed shows at once, for all or by source")
      ->type_name("FILE|N");
  command->add_option("--outages", asked->outages, "when the link is up: from,until lines, or 07,13,20+-45m/15%")
      ->type_name("FILE|PATTERN");
  command->add_option("--panel", asked->panel, "feeds that post in the learnt part, or those that join later too")
      ->check(CLI::IsMember({"stable", "all"}));
  command->add_option("--seed", asked->seed, "for lost windows and jitter")->type_name("N");
  command->add_flag("--json", asked->json, "a list of objects in place of the table");
  command->add_option("--visits-out", asked->visits_out, "write the visits as source,unix_time")->type_name("FILE");
  command->add_option("--picture", asked->picture, "draw delay and missing against the budget")->type_name("FILE.svg");
  command->callback([asked] {
    check(*asked);
    simulate(*asked);
  });
}

}  // namespace cistern::tools
