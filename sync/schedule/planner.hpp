#pragma once

/// The adaptive policy, online: who is visited when, from nothing but what visits have shown so far.
///
/// Use: `add` each feed; whenever the link is up visit what `next_due` names, once its time has come, and tell
/// `observe` what was seen; that re-plans the feed. `link_up` and `link_down` tell when visits are possible at all.
/// Pure: no clock, no I/O, one thread; the same calls give the same answers. `cistern simulate` runs this same class.

#include "sync/schedule/hints.hpp"
#include "sync/schedule/link_hours.hpp"
#include "sync/schedule/next_visit.hpp"
#include "sync/schedule/posting_pattern.hpp"
#include "sync/schedule/visit_price.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync::schedule {

using feed_id = std::uint32_t;

enum class budget_unit { visits, bytes };

struct planner_options {
  sys_seconds start{};
  /// The budget: one visit per feed every so often on average, or so many bytes a day for all of them.
  std::chrono::seconds average_interval = std::chrono::hours{6};
  std::optional<double> visits_an_hour =
      std::nullopt;  // for all feeds together, in place of one per feed and `average_interval`
  budget_unit unit = budget_unit::visits;
  double bytes_a_day = 0.0;  // when `unit` is bytes
  /// No feed is left alone for longer while the link is up. Zero: seven average intervals.
  std::chrono::seconds longest_gap{0};
  /// No feed is visited more often, whatever it posts.
  std::chrono::seconds shortest_gap = std::chrono::minutes{5};
};

/// What is known of a feed before its first visit.
struct feed_facts {
  std::int64_t capacity = 15;  // items it shows at once
  double weight = 1.0;
  publisher_hints hints{};
};

/// What one visit showed.
struct visit_outcome {
  /// Dates of the items not seen before, in any order. Dates that cannot be (in the future, before the last visit) are
  /// put inside the gap; items without a date are left out here and counted in `undated`.
  std::span<sys_seconds const> postings{};
  std::int64_t undated = 0;
  /// None of the items known before was shown any more: some may have been lost in between.
  bool turned_over = false;
  std::optional<std::int64_t> shown = std::nullopt;      // items in the document, if it was read whole
  std::int64_t bytes = 0;                                // on the wire, all of it
  std::optional<sys_seconds> not_before = std::nullopt;  // Retry-After, Cache-Control
};

struct due_visit {
  feed_id feed = 0;
  sys_seconds at{};
};

class planner {
public:
  explicit planner(planner_options options);

  /// Learned state of an earlier run may be given; it is ignored when it cannot be read. The first visit is due at once
  /// unless `last_visit` says when it was seen last.
  feed_id add(feed_facts facts, sys_seconds now, std::string_view learned = {},
              std::optional<sys_seconds> last_visit = std::nullopt);
  /// One of many that are known already: has its place in the plan when `plan_all` was called after the last of them,
  /// which gives all of them the price that fits them together.
  feed_id enrol(feed_facts facts, sys_seconds now, std::string_view learned, std::optional<sys_seconds> last_visit);
  void remove(feed_id feed);
  void set_facts(feed_id feed, feed_facts facts);

  /// A complete record of the feed's postings in [from, until), as a lab or an archive has it. No visit is counted.
  void learn_history(feed_id feed, std::span<sys_seconds const> postings, sys_seconds from, sys_seconds until);

  /// One visit was made at `now`.
  void observe(feed_id feed, visit_outcome const& outcome, sys_seconds now);
  /// One visit was tried and failed; it is tried again at `not_before` or when its turn comes.
  void failed(feed_id feed, sys_seconds now, std::optional<sys_seconds> not_before);

  /// Its visit is under way: `next_due` names others until `observe`, `failed` or `hold` is said of it, and what it
  /// will cost is set aside, so that many visits at once stay within the allowance.
  void take(feed_id feed);
  /// It could not be visited and nothing was spent; its turn comes at `not_before`.
  void hold(feed_id feed, sys_seconds not_before, sys_seconds now);

  /// Plans every feed anew, as after many `add` or `learn_history`.
  void plan_all(sys_seconds now);

  /// The feed whose turn comes first, and when the budget allows it; nothing when there is no feed.
  [[nodiscard]] std::optional<due_visit> next_due();
  [[nodiscard]] sys_seconds due(feed_id feed) const { return from_plan(feeds_[feed].due); }

  /// The link came up (expected to last until `expected_until`, if anyone can tell) or went down. On link-up every feed
  /// is weighed anew: those about to lose items first, then by gain per byte.
  void link_up(sys_seconds now);
  void link_down(sys_seconds now);
  /// A time in the past when the link is known to have been up; what lies between two of them counts as down.
  void learn_link(sys_seconds up_from, sys_seconds up_until);
  [[nodiscard]] std::vector<feed_id> link_up_order(sys_seconds now, std::optional<sys_seconds> expected_until) const;

  struct visits_wanted {
    sys_seconds until{};
    sys_seconds not_before{};      // the first
    std::chrono::seconds apart{};  // at least, from one to the next
    std::size_t most = 500;
  };
  /// The visits that would follow from what is known now, if each found what is expected: for a person to see. After
  /// every real visit the rest is laid out anew.
  [[nodiscard]] std::vector<sys_seconds> visits_ahead(feed_id feed, sys_seconds now, visits_wanted wanted) const;

  /// One or two sentences for a person.
  [[nodiscard]] std::string why(feed_id feed) const;
  /// Until when the link may stay down with 19 chances in 20 that nothing is lost.
  [[nodiscard]] sys_seconds safe_offline_until(feed_id feed) const;

  /// What was learned of one feed: its postings, its window, what its visits cost, and until when its server asked to
  /// be left alone. Goes back in through `add`.
  [[nodiscard]] std::string state(feed_id feed) const;
  /// What belongs to no feed: the rhythm of all, the hours of the link, and what the allowance has been spent on.
  /// Restored before the first `add`; `plan_all` after the last one gives every feed the price that fits them all.
  [[nodiscard]] std::string shared_state() const;
  [[nodiscard]] bool restore_shared(std::string_view bytes);
  [[nodiscard]] double price() const { return price_.price(); }

private:
  enum class reason { gain, longest_gap, loss, hint, floor };
  struct feed_entry {
    feed_facts facts;
    posting_pattern pattern;
    double last_visit = 0.0;
    double due = 0.0;
    double not_before = 0.0;
    double changed_bytes = 20000.0, unchanged_bytes = 400.0, hit_share = 0.5;
    double window = 0.0, shown = 0.0;  // items it can show and showed last, once a visit has told; 0: not yet
    double set_aside = 0.0;            // units, while its visit is under way
    visit_choice choice;
    reason because = reason::gain;
    std::uint32_t turn = 0;      // to recognise queue entries that were overtaken
    std::uint32_t failures = 0;  // in a row
    bool present = true;
    bool visited = false;
    bool taken = false;
  };
  struct queued {
    double at;
    feed_id feed;
    std::uint32_t turn;
    bool operator>(queued const& other) const { return at != other.at ? at > other.at : feed > other.feed; }
  };

  static double hours_of(std::chrono::seconds span) { return static_cast<double>(span.count()) / 3600.0; }
  void allow(double now);
  using visit_queue = std::priority_queue<queued, std::vector<queued>, std::greater<>>;
  void drop_overtaken(visit_queue& queue) const;
  void plan(feed_id feed, double now);
  /// When it is to be visited next, and why: into `feed`.
  void lay_out(feed_entry& feed, double now) const;
  void enqueue(feed_id feed);
  void give_back(feed_entry& feed);
  void tidy(visit_queue& queue) const;
  void learn_window(feed_entry& feed, visit_outcome const& outcome) const;
  [[nodiscard]] bool restore_feed(feed_entry& feed, std::string_view bytes) const;
  [[nodiscard]] static double capacity_of(feed_entry const& feed);
  void review_price(double now);
  [[nodiscard]] double units(feed_entry const& feed) const;
  [[nodiscard]] double shortest_gap(feed_entry const& feed) const;
  [[nodiscard]] double longest_gap() const;

  planner_options options_;
  double longest_gap_;
  shared_rhythm rhythm_;
  visit_price price_;
  link_hours link_;
  std::vector<feed_entry> feeds_;
  visit_queue queue_, deadlines_;
  std::size_t present_ = 0, reviewed_ = 0;
  double link_since_ = 0.0, set_aside_ = 0.0;
  bool up_ = true, came_up_ = false, link_known_ = false, planned_all_ = false;
};

}  // namespace cistern::sync::schedule
