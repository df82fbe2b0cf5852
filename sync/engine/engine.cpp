#include "sync/engine/engine.hpp"

#include "sync/engine/live_pass.hpp"
#include "sync/http/origin.hpp"
#include "sync/ledger.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;
using store::job_class;

constexpr auto longest_nap = 60s;
constexpr char const* shared_plan = "polling.shared";
constexpr char const* paused_setting = "sync.paused";
constexpr auto rest_when_full = 60s;
constexpr auto time_to_store = 2s;  // what came before the link went
std::string const full_words = "nothing can be stored: ";

void report(std::exception_ptr const& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (std::exception const& e) {
    spdlog::error("sync.failed error={}", log_value(e.what()));
  }
}

/// Whether it came to a good end. What throws is reported: `||` would wait for the others, and the pass with it.
net::awaitable<bool> to_its_end(net::awaitable<void> work) {
  std::exception_ptr thrown;
  try {
    co_await std::move(work);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (!thrown) co_return true;
  auto const stopped = co_await net::this_coro::cancellation_state;
  if (stopped.cancelled() != net::cancellation_type::none) std::rethrow_exception(thrown);
  report(thrown);
  co_return false;
}

client_options background(client_options options, board_limits const& hosts) {
  options.pool.active_per_origin = hosts.connections_per_host;
  options.pool.idle_per_origin = hosts.connections_per_host;
  options.pool.idle_time = 10s;  // one connection a host and pass, closed soon after
  return options;
}

}  // namespace

engine::engine(parts given, engine_settings settings)
    : parts_{std::move(given)},
      settings_{std::move(settings)},
      client_{
          std::make_unique<http_client>(io_.get_executor(), parts_.names, background(parts_.client, settings_.hosts))},
      dice_{settings_.seed != 0 ? settings_.seed : std::random_device{}()},
      plan_{settings_.plan, settings_.feeds.floors},
      board_{settings_.hosts},
      backoff_{settings_.retries, settings_.seed != 0 ? settings_.seed : std::random_device{}()} {
  settings_.feeds.spending = parts_.spending;
  if (auto const rests = parts_.kept.get<store::setting>(paused_setting)) paused_ = rests->has_value();
  on_link_ = parts_.link.subscribe(io_.get_executor(), [this](link_state state) {
    if (state == link_state::up) {
      client_->drop_idle();
      parts_.names.forget_failures();
      backoff_.link_up();
      board_.lift_holds();
      plan_.link_up(parts_.wall.now());
      if (wanted_pass_.empty()) wanted_pass_ = "link up";
    } else {
      plan_.link_down(parts_.wall.now());
      parts_.fetching.abandon(*client_);
      link_lost_.ring();
    }
    changed_.ring();
    nap_.ring();
  });
  thread_ = std::thread{[this] {
    auto const work = net::make_work_guard(io_);
    io_.run();
  }};
}

engine::~engine() {
  stopping_ = true;
  io_.stop();
  thread_.join();
  if (live_ && !live_->unwritten.empty())
    parts_.kept.write(writing_down(std::move(live_->unwritten)), [](store::result<void> const&) {});
  parts_.kept.settle();  // the repository may still owe an answer to this io_context
  on_link_ = {};
  live_.reset();
  client_.reset();
}

void engine::watch() { net::co_spawn(io_, keep_watching(), report); }

void engine::pass_soon(std::string why) {
  net::post(io_, [this, why = std::move(why)] {
    wanted_pass_ = why;
    nap_.ring();
  });
}

net::awaitable<bool> engine::set_paused(bool paused) {
  auto task = [paused](store::write_batch& b) {
    if (paused)
      b.put(store::setting{.name = paused_setting, .value = "by a person"});
    else
      b.erase<store::setting>(paused_setting);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) co_return false;
  paused_.store(paused, std::memory_order_release);
  net::post(io_, [this, paused] {
    if (paused)
      halt_.ring();
    else if (wanted_pass_.empty())
      wanted_pass_ = "resumed";
    changed_.ring();
    nap_.ring();
    note_status();
  });
  co_return true;
}

net::awaitable<void> engine::job_changed(std::uint64_t id) {
  auto const found = parts_.kept.get<store::job>(store::job{.id = id}.key());
  bool const rests = !found || !*found || (*found)->state == store::job_state::paused;
  board_.remove(job_class::page, id);
  if (!rests && live_) {
    post_job(**found);
  } else if (!rests) {
    if (wanted_pass_.empty()) wanted_pass_ = "the queue";
    nap_.ring();
  } else if (live_ && live_->active.contains({false, id})) {
    halted_.insert(id);
    halt_.ring();
  }
  note_status();
  co_return;
}

void engine::load_plan() {
  if (std::exchange(loaded_, true)) return;
  auto const now = parts_.wall.now();
  auto const learned = parts_.kept.get<store::setting>(shared_plan);
  if (learned && *learned) plan_.restore_shared((*learned)->value);
  static_cast<void>(parts_.kept.scan<store::subscription>({}, [&](store::subscription const& feed) {
    plan_.put(feed, now);
    return true;
  }));
  plan_.plan_all(now);
}

net::awaitable<void> engine::keep_watching() {
  auto rest_until = steady_clock::now();  // after a pass that could not store what it fetched
  auto last_look = parts_.wall.now();
  while (!stopping_) {
    // The clock was set back: what was planned by the wrong one would wait for it.
    if (parts_.wall.now() < last_look - 1h && std::exchange(loaded_, false))
      plan_ = feed_plan{settings_.plan, settings_.feeds.floors};
    load_plan();
    auto const now = parts_.wall.now();
    last_look = now;
    auto const due = plan_.next_due(now);
    bool const rested = steady_clock::now() >= rest_until;
    bool const feeds_wait = due && *due <= now && rested;
    bool const jobs_wait = retry_at_ && *retry_at_ <= steady_clock::now() && rested;
    if (paused()) {  // who resumes it wants a pass anyway
      wanted_pass_.clear();
      retry_at_.reset();
    } else if (!wanted_pass_.empty() || feeds_wait || jobs_wait) {
      bool const asked = wanted_pass_ == "asked for";
      pass_request request{.why = wanted_pass_.empty() ? "plan" : wanted_pass_, .asked = asked};
      wanted_pass_.clear();
      retry_at_.reset();
      bool const out = parts_.link.state() == link_state::up;
      pass_record ended;
      request.asked = asked || (out && owed_);
      if (out || asked) ended = co_await pass(std::move(request));
      if (ended.ended_by.starts_with(full_words)) rest_until = steady_clock::now() + rest_when_full;
    }
    auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(longest_nap);
    if (auto const next = plan_.next_due(parts_.wall.now()); next && !paused())
      wait = std::clamp<std::chrono::milliseconds>(*next - parts_.wall.now(), 200ms, longest_nap);
    if (retry_at_)
      wait = std::clamp<std::chrono::milliseconds>(
          std::chrono::duration_cast<std::chrono::milliseconds>(*retry_at_ - steady_clock::now()), 200ms, wait);
    if (!wanted_pass_.empty()) continue;
    co_await nap_.wait_until(steady_clock::now() + wait);
  }
}

net::awaitable<pass_record> engine::pass(pass_request request) {
  while (live_) {  // one at a time
    co_await changed_.wait_until(steady_clock::now() + 1s);
  }
  load_plan();
  auto const live = std::make_shared<live_pass>();
  live_ = live;
  live->asked = request.asked;
  live->record.why = std::move(request.why);
  live->record.began = parts_.wall.now();
  live->record.link = describe_link();
  // What cannot be written down is not asked for.
  store::setting learned{.name = shared_plan, .value = plan_.shared()};
  auto note = [learned = std::move(learned)](store::write_batch& b) { b.put(learned); };
  auto const writable = co_await parts_.kept.write(std::move(note), net::use_awaitable);
  if (writable)
    fill_board(*live);
  else
    live->full = writable.error().message();
  spdlog::info("pass.begin why={} waiting={}", log_value(live->record.why), board_.waiting());
  note_status();
  auto const count = std::max(settings_.feeds_at_once, settings_.jobs_at_once);
  live->workers = count;
  for (std::size_t i = 0; i < count; ++i) {
    net::co_spawn(io_, worker(live), [this, live](std::exception_ptr thrown) {
      report(thrown);
      --live->workers;
      changed_.ring();
    });
  }
  while (live->workers > 0) {
    auto const look_again = steady_clock::now() + 1s;
    co_await changed_.wait_until(live->unwritten.empty() ? look_again : std::min(live->write_by, look_again));
    if (!live->unwritten.empty() && live->write_by <= steady_clock::now()) co_await write_visits(*live);
    note_status();
  }
  co_await write_visits(*live);
  co_await end_pass(*live);
  note_status();
  ++passes_;
  live_.reset();
  note_status();
  changed_.ring();
  co_return live->record;
}

void engine::fill_board(live_pass& pass) {
  auto const now = parts_.wall.now();
  double rank = 0;
  for (auto const id : plan_.take_due(now, pass.asked))
    board_.add({.purpose = job_class::feed, .value = rank--, .id = id, .host = plan_.host_of(id)});
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](store::job const& job) {
    bool const wrong_clock = job.not_before > now + std::chrono::hours{24 * 8};  // wrote it: no wait is that long
    if (job.not_before <= now || wrong_clock) post_job(job);
    return true;
  }));
}

/// What a person waits for is fetched by the queue's own runner, ahead of all this.
void engine::post_job(store::job const& job) {
  if (job.priority == job_class::person || job.state == store::job_state::paused) return;
  auto const url = parse_url(job.url);
  auto const purpose = store::is_wanted_now(job) ? job_class::person : job.priority;
  if (url && board_.add({.purpose = purpose, .value = job.value, .id = job.id, .host = url->to.host})) changed_.ring();
}

/// Asked once for all hosts: what the budget and our own limits let begin now.
std::array<bool, class_count> engine::open_classes() const {
  std::array<bool, class_count> out{};
  for (std::size_t i = 0; i < class_count; ++i) {
    auto const purpose = static_cast<job_class>(i);
    bool const is_feed = purpose == job_class::feed;
    auto const active = is_feed ? board_.active(purpose) : board_.active() - board_.active(job_class::feed);
    bool const room = active < (is_feed ? settings_.feeds_at_once : settings_.jobs_at_once);
    expense const on{.purpose = purpose};
    out[i] = room && board_.waiting(purpose) > 0 && (!parts_.spending || parts_.spending->may_spend(on).allowed);
  }
  return out;
}

net::awaitable<void> engine::worker(std::shared_ptr<live_pass> pass) {
  while (!stopping_) {
    auto const now = steady_clock::now();
    bool const go_on = pass->full.empty() && !paused();
    board::permission allowed{.open = go_on ? open_classes() : std::array<bool, class_count>{}};
    if (parts_.link.state() != link_state::up)
      allowed.host = [this](std::string const& host) { return parts_.link.worth_trying(host); };
    auto const next = board_.take(now, allowed);
    if (next) {
      auto const what = *next;
      co_await run(*pass, what);
      board_.done(what, steady_clock::now());
      if (pass->again.erase({what.purpose == job_class::feed, what.id}) > 0) board_.add(what);
      // The place that became free is for this worker itself. To wake all the others each time makes every visit as
      // dear as there are workers and hosts.
      if (board_.active() == 0) changed_.ring();
      continue;
    }
    auto const ready = board_.next_ready(now, allowed);
    bool const too_far = !ready || *ready > now + settings_.longest_wait;
    if (too_far && board_.active() == 0) {
      pass->next_try = ready;
      changed_.ring();
      co_return;
    }
    // Somebody's work may bring more, or free a connection.
    auto const until = ready ? std::min(*ready, now + 1s) : now + 1s;
    co_await changed_.wait_until(until);
  }
}

net::awaitable<void> engine::until_halted(task what) {
  bool const is_feed = what.purpose == job_class::feed;
  do co_await halt_.wait();
  while (!paused() && (is_feed || !halted_.contains(what.id)));
}

/// The link is lost, and whoever used it has had the time to store what came.
net::awaitable<void> engine::lost_for_good(bool is_feed) {
  co_await link_lost_.wait();
  net::steady_timer timer{io_, is_feed ? 0s : time_to_store};
  co_await timer.async_wait(net::use_awaitable);
}

/// Bytes that moved count, whatever came of them.
net::awaitable<void> engine::charge_lost(live_pass& pass, task what, std::uint64_t subscription, traffic const& wire) {
  auto line = line_for(what.purpose, subscription, what.host, wire);
  line.requests = 1;
  auto& tally = pass.record.of(what.purpose);
  tally.received += line.received;
  tally.sent += line.sent;
  tally.requests += line.requests;
  auto task = [line = std::move(line)](store::write_batch& b) { b.charge(line); };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) spdlog::debug("ledger.not_written error={}", log_value(written.error().message()));
}

/// Until it is done, the link is lost or a person stops it; then what came so far is stored and nothing is counted
/// against anybody but the bytes.
net::awaitable<void> engine::run(live_pass& pass, task what) {
  using namespace net::experimental::awaitable_operators;
  bool const is_feed = what.purpose == job_class::feed;
  auto task = is_feed ? visit(pass, what.id) : run_job(pass, what.id);
  auto work = to_its_end(std::move(task));
  auto lost = lost_for_good(is_feed);
  auto stopped = until_halted(what);
  auto const ended = co_await (std::move(work) || std::move(lost) || std::move(stopped));
  auto const flying = pass.active.extract({is_feed, what.id});
  if (!is_feed) halted_.erase(what.id);
  if (ended.index() == 0 && std::get<0>(ended)) co_return;
  if (ended.index() == 2 && flying && flying.mapped().unwanted) *flying.mapped().unwanted = true;
  auto const feed = is_feed ? subscription(what.id) : std::nullopt;
  if (feed) plan_.put_back(*feed, parts_.wall.now());
  if (flying) co_await charge_lost(pass, what, flying.mapped().subscription, *flying.mapped().wire);
}

std::optional<store::subscription> engine::subscription(std::uint64_t id) {
  store::subscription named{};
  named.id = id;
  auto found = parts_.kept.get<store::subscription>(named.key());
  return found ? std::move(*found) : std::nullopt;
}

net::awaitable<void> engine::end_pass(live_pass& pass) {
  pass.record.ended = parts_.wall.now();
  bool const cut = parts_.link.state() != link_state::up;
  bool const spent = refused_by_budget();
  retry_at_ = pass.next_try;
  owed_ = cut && (pass.asked || owed_);
  for (auto const& left : board_.clear_waiting()) {
    if (left.purpose != job_class::feed) continue;
    if (auto const feed = subscription(left.id)) plan_.put_back(*feed, pass.record.ended);
  }
  std::uint64_t wanted = 0;
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](store::job const&) { return ++wanted < 1'000'000; }));
  pass.record.still_wanted = wanted;
  pass.record.ended_by = cut ? "link down" : spent ? "budget" : "nothing left";
  if (paused()) pass.record.ended_by = "paused";
  if (!pass.full.empty()) pass.record.ended_by = full_words + pass.full;
  store::journal_entry entry{.when = pass.record.ended, .what = "pass", .details = to_json(pass.record)};
  store::setting learned{.name = shared_plan, .value = plan_.shared()};
  auto task = [entry = std::move(entry), learned = std::move(learned)](store::write_batch& b) {
    b.put(learned);
    return b.add_journal(entry);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (written) pass.record.number = *written;
  spdlog::info("pass.end why={} received={} new_items={} articles={} wanted={}", log_value(pass.record.why),
               pass.record.received(), pass.record.new_items, pass.record.articles_completed, wanted);
}

/// Who the ledger is told about: the link that the bytes went over.
std::string engine::describe_link() const {
  auto const name = parts_.link.name();
  if (parts_.link.metered()) return name.empty() ? "metered" : name + " metered";
  return name.empty() ? "link" : name;
}

net::awaitable<void> engine::subscription_changed(std::uint64_t id) {
  load_plan();
  if (auto const found = subscription(id)) {
    plan_.put(*found, parts_.wall.now());
  } else {
    plan_.remove(id);
    board_.remove(job_class::feed, id);
  }
  nap_.ring();
  co_return;
}

net::awaitable<std::map<std::uint64_t, feed_plan::outlook>> engine::look_ahead_all() {
  load_plan();
  co_return plan_.look_ahead_all(parts_.wall.now());
}

net::awaitable<std::vector<std::chrono::sys_seconds>> engine::visits_ahead(std::uint64_t id,
                                                                           std::chrono::sys_seconds until) {
  load_plan();
  std::vector<std::chrono::sys_seconds> out;
  if (auto const feed = subscription(id)) out = plan_.visits_ahead(*feed, parts_.wall.now(), until);
  co_return out;
}

net::awaitable<std::optional<std::chrono::sys_seconds>> engine::next_feed() {
  load_plan();
  co_return plan_.next_due(parts_.wall.now());
}

void engine::note_status() {
  engine_status now;
  now.passing = static_cast<bool>(live_);
  for (std::size_t i = 0; i < class_count; ++i) now.waiting[i] = board_.waiting(static_cast<job_class>(i));
  if (loaded_) now.next_feed = plan_.next_due(parts_.wall.now());
  if (live_) {
    now.pass = live_->record;
    for (auto const& [key, flying] : live_->active) {
      now.active.push_back(flying.shown);
      now.active.back().received = flying.wire->received.load(std::memory_order_relaxed);
    }
  }
  std::scoped_lock const lock{mutex_};
  now.passes = passes_;
  if (!live_) now.pass = shown_.pass;
  shown_ = std::move(now);
}

engine_status engine::status() {
  std::scoped_lock const lock{mutex_};
  auto out = shown_;
  out.paused = paused();
  return out;
}

/// Something waits that only the budget holds back.
bool engine::refused_by_budget() {
  if (!parts_.spending) return false;
  for (std::size_t i = 0; i < class_count; ++i) {
    expense const on{.purpose = static_cast<job_class>(i)};
    if (board_.waiting(on.purpose) > 0 && !parts_.spending->may_spend(on).allowed) return true;
  }
  return false;
}

/// In the box's own days where a budget counts them, so that the sums agree.
store::ledger_entry engine::line_for(job_class purpose, std::uint64_t subscription, std::string const& host,
                                     traffic const& wire) const {
  ledger_facts facts{.host = host, .link = describe_link()};
  facts.what.purpose = purpose;
  facts.what.subscription = subscription;
  facts.received = wire.received.load();
  facts.sent = wire.sent.load();
  auto const utc = std::chrono::floor<std::chrono::days>(parts_.wall.now()).time_since_epoch();
  auto const day = parts_.spending ? parts_.spending->period().day : std::chrono::local_days{utc};
  return ledger_line(std::move(facts), day);
}

}  // namespace cistern::sync
