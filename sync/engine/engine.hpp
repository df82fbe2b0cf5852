#pragma once

/// The sync engine: turns subscriptions into a stocked repository over a link that comes and goes. It decides what is
/// done next (board.hpp), when feeds are visited (feed_plan.hpp), and writes down what happened; how a feed is read is
/// in sync/feeds, how a file is fetched in sync/fetch.hpp.

#include "store/repository.hpp"
#include "sync/backoff.hpp"
#include "sync/budget.hpp"
#include "sync/clock.hpp"
#include "sync/downloads.hpp"
#include "sync/engine/article.hpp"
#include "sync/engine/bell.hpp"
#include "sync/engine/board.hpp"
#include "sync/engine/feed_plan.hpp"
#include "sync/engine/homepages.hpp"
#include "sync/engine/pass.hpp"
#include "sync/engine/subscribe.hpp"
#include "sync/feeds/feed_visit.hpp"
#include "sync/fetch.hpp"
#include "sync/link.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace cistern::sync {

struct engine_settings {
  feed_settings feeds{};
  news_settings news{};
  board_limits hosts{};
  schedule::planner_options plan{};
  std::size_t feeds_at_once = 16;
  std::size_t jobs_at_once = 6;
  std::chrono::seconds longest_wait{120};  // for a host inside a pass; then what is wanted of it waits in the queue
  std::uint32_t tries_per_pass = 8;        // of a job that brings nothing; then it waits for the next pass
  backoff_settings retries{};
  article_settings articles{};
  homepage_settings homepages{};
  std::uint64_t seed = 0;  // of the jitter; 0: from the machine
};

/// Why a pass is made, and how far it goes.
struct pass_request {
  std::string why{"asked for"};
  bool asked = false;  // by a person: the plan does not hold feeds back, only their floors
};

/// What is being fetched right now.
struct active_fetch {
  store::job_class purpose{};
  std::string url{};
  std::uint64_t received = 0;
  std::optional<std::uint64_t> expected{};
  std::chrono::steady_clock::time_point since{};
};

struct engine_status {
  bool passing = false;
  bool paused = false;       // by a person
  std::uint64_t passes = 0;  // ended since the start
  pass_record pass{};        // the one under way, or the last one
  std::array<std::size_t, class_count> waiting{};
  std::vector<active_fetch> active{};
  std::optional<std::chrono::sys_seconds> next_feed{};
};

/// Something that `dry_run` says would be fetched.
struct forecast {
  store::job_class purpose{};
  std::string url{};
  std::uint64_t bytes = 0;  // about
};

struct visit_note;

class engine {
public:
  struct parts {
    store::repository& kept;
    downloads& fetching;
    network_link& link;
    clock const& wall;
    resolver& names;
    client_options client{};
    budget* spending = nullptr;  // none: everything may be spent on
  };
  /// Has a thread of its own from here on, and does nothing until it is told to.
  engine(parts given, engine_settings settings);
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  /// Passes by itself from now on: when a feed is due, when the link comes, when something is queued.
  void watch();
  /// A pass as soon as possible, without waiting for it. Any thread.
  void pass_soon(std::string why);

  /// Paused it fetches nothing by itself: only people who wait are served. What was under way goes on where it was.
  /// Kept with the repository; false when it cannot be written down. Any executor.
  boost::asio::awaitable<bool> set_paused(bool paused);
  [[nodiscard]] bool paused() const { return paused_.load(std::memory_order_acquire); }

  /// The coroutines below are to be spawned on this.
  [[nodiscard]] boost::asio::any_io_executor executor() { return io_.get_executor(); }
  /// One pass, to its end. When one is under way it is waited for first.
  boost::asio::awaitable<pass_record> pass(pass_request request);
  boost::asio::awaitable<std::vector<forecast>> dry_run(bool asked);
  /// Looks, shows what was found, and subscribes; the feed counts as visited by that.
  boost::asio::awaitable<add_outcome> add(add_request request);
  /// Its items go with it; pages that nobody else needs may be evicted. False when there is no such subscription.
  boost::asio::awaitable<bool> remove(std::uint64_t id);
  /// All feeds of an OPML document; nothing is fetched. Folders of known feeds are added to.
  boost::asio::awaitable<import_outcome> import_opml(std::string document);
  [[nodiscard]] std::string export_opml();
  /// A subscription was written or removed: plan anew.
  boost::asio::awaitable<void> subscription_changed(std::uint64_t id);
  /// A person dropped, paused or moved a job of the queue: what is under way follows at once.
  boost::asio::awaitable<void> job_changed(std::uint64_t id);
  /// How its homepage is stitched was changed: does it anew, or forgets what was stitched.
  boost::asio::awaitable<void> restitch(std::uint64_t id);
  /// Downloads its homepage as soon as the link allows and learns from that version alone. False: it has none.
  boost::asio::awaitable<bool> relearn(std::uint64_t id);
  boost::asio::awaitable<std::map<std::uint64_t, feed_plan::outlook>> look_ahead_all();
  /// The visits that are planned for one feed until then.
  boost::asio::awaitable<std::vector<std::chrono::sys_seconds>> visits_ahead(std::uint64_t id,
                                                                             std::chrono::sys_seconds until);
  boost::asio::awaitable<std::optional<std::chrono::sys_seconds>> next_feed();
  /// For whoever must fetch on this thread (`add` looks for feeds).
  [[nodiscard]] http_client& client() { return *client_; }
  [[nodiscard]] engine_settings const& settings() const { return settings_; }
  [[nodiscard]] store::repository& kept() { return parts_.kept; }
  [[nodiscard]] clock const& wall() const { return parts_.wall; }

  /// Any thread.
  [[nodiscard]] engine_status status();

private:
  struct live_pass;
  boost::asio::awaitable<void> keep_watching();
  boost::asio::awaitable<void> worker(std::shared_ptr<live_pass> pass);
  boost::asio::awaitable<void> run(live_pass& pass, task what);
  boost::asio::awaitable<void> lost_for_good(bool is_feed);
  boost::asio::awaitable<void> charge_lost(live_pass& pass, task what, std::uint64_t subscription, traffic const& wire);
  boost::asio::awaitable<void> until_halted(task what);
  boost::asio::awaitable<void> visit(live_pass& pass, std::uint64_t subscription);
  boost::asio::awaitable<void> settle_visit(live_pass& pass, store::subscription before, visit_report report,
                                            traffic const& wire);
  void write_soon(live_pass& pass, visit_note note);
  boost::asio::awaitable<void> write_visits(live_pass& pass);
  boost::asio::awaitable<add_outcome> subscribe(add_request request, store::subscription feed, visit_report report,
                                                store::ledger_entry line);
  boost::asio::awaitable<void> run_job(live_pass& pass, std::uint64_t job);
  boost::asio::awaitable<void> settle_job(live_pass& pass, store::job job, fetch_outcome outcome, traffic const& wire);
  boost::asio::awaitable<void> postpone(live_pass& pass, store::job job, fetch_outcome const& outcome,
                                        store::ledger_entry line);
  boost::asio::awaitable<void> want_homepage(store::subscription feed, bool has_news);
  boost::asio::awaitable<void> stitch_news(live_pass& pass, store::subscription feed);
  boost::asio::awaitable<std::optional<std::uint64_t>> put_stitched(store::subscription feed, bool charged);
  boost::asio::awaitable<void> take_homepage(store::stored_object page, std::uint64_t bytes, bool afresh = false);
  boost::asio::awaitable<void> end_pass(live_pass& pass);
  [[nodiscard]] std::array<bool, class_count> open_classes() const;
  [[nodiscard]] std::optional<store::subscription> subscription(std::uint64_t id);
  void load_plan();
  void fill_board(live_pass& pass);
  void post_job(store::job const& job);
  void note_status();
  [[nodiscard]] std::string describe_link() const;
  [[nodiscard]] bool refused_by_budget();
  [[nodiscard]] store::ledger_entry line_for(store::job_class purpose, std::uint64_t subscription,
                                             std::string const& host, traffic const& wire) const;

  parts parts_;
  engine_settings settings_;
  // Before the io_context, whose end is that of the coroutines which wait for them.
  bell changed_;  // whoever waits for something to do should look again
  bell nap_;
  bell link_lost_;
  bell halt_;  // a person paused sync, or dropped or paused a job
  boost::asio::io_context io_{1};
  std::unique_ptr<http_client> client_;
  network_link::subscription on_link_;
  std::mt19937_64 dice_;
  feed_plan plan_;
  board board_;
  backoff backoff_;
  bool loaded_ = false;
  std::uint64_t passes_ = 0;
  std::shared_ptr<live_pass> live_;
  bool owed_ = false;        // a pass that somebody asked for ended with the link: the next one is for them
  std::string wanted_pass_;  // why, when one is wanted
  std::optional<std::chrono::steady_clock::time_point> retry_at_;  // of what the last pass left in the queue
  std::set<std::uint64_t> halted_;                                 // jobs that are to end although they are not done
  std::atomic<bool> stopping_{false};
  std::atomic<bool> paused_{false};

  std::mutex mutex_;
  engine_status shown_;
  std::thread thread_;
};

}  // namespace cistern::sync
