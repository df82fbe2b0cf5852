// The engine's part in visiting feeds: who answers for a failure, what is written, what is wanted next.

#include "sync/engine/engine.hpp"
#include "sync/engine/live_pass.hpp"
#include "sync/errc.hpp"
#include "sync/feeds/believable.hpp"
#include "sync/feeds/visit_trouble.hpp"
#include "sync/http/address_class.hpp"
#include "sync/log_url.hpp"
#include "sync/savings.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using outcome = visit_report::outcome;
using store::job_class;

constexpr std::chrono::seconds doubted_pause{60};
// Visits without news are written down together, a few dozen at most and soon: a power cut in between makes us ask
// again, no more than one that comes while their answers are on the way.
constexpr std::size_t most_unwritten = 64;
constexpr std::chrono::milliseconds longest_unwritten{50};

bool brought_something(visit_report const& report) {
  return report.how == outcome::read || report.how == outcome::unchanged;
}

/// The connection did not hold. What was read of it would do, but then the rest would have to wait for the next visit.
bool broke_off(visit_report const& report) {
  if (report.cut) return true;
  auto const kind = kind_of(report.error);
  return report.how == outcome::failed && (kind == errc::reset || kind == errc::truncated || kind == errc::stalled);
}

/// Nobody was reached. Once is no reason to blame the origin: a moment later it is known whether anybody can be.
bool was_turned_away(visit_report const& report) {
  return report.how == outcome::failed && report.status == 0 && may_be_link_trouble(report.error);
}

/// An answer that a captive portal could not have given: it knows our validator, or it is a feed and has something in
/// it, where a portal has a page.
bool proves_itself(store::subscription const& before, visit_report const& report) {
  if (report.how == outcome::unchanged) return !before.etag.empty() || !before.last_modified.empty();
  return report.how == outcome::read && !report.items.empty();
}

/// A page came where a feed was the last time: the site's trouble, or a login page that answers for everybody.
bool may_be_a_portal(store::subscription const& before, visit_report const& report) {
  if (report.how != outcome::not_a_feed || before.window.empty()) return false;
  return report.fields.find("Content-Type").value_or("").find("html") != std::string_view::npos;
}

/// Bytes that moved count, whatever came of them.
store::ledger_entry charged(pass_record& pass, store::ledger_entry line, std::uint32_t requests) {
  line.requests = requests;
  auto& tally = pass.of(job_class::feed);
  tally.received += line.received;
  tally.sent += line.sent;
  tally.saved += line.saved;
  tally.requests += line.requests;
  return line;
}

std::optional<feed_settings> own_network(feed_settings terms) {
  if (!terms.allow_address) return std::nullopt;
  terms.allow_address = {};
  return terms;
}

/// The feeds of one host share what it asked for.
void hold_neighbours(store::write_batch& batch, std::vector<std::uint64_t> const& ids, std::chrono::sys_seconds until) {
  for (auto const id : ids) {
    store::subscription named{};
    named.id = id;
    auto other = batch.get<store::subscription>(named.key());
    if (!other || other->not_before >= until) continue;
    other->not_before = until;
    batch.put(*other);
  }
}

}  // namespace

std::function<void(store::write_batch&)> writing_down(std::vector<visit_note> notes) {
  return [notes = std::move(notes)](store::write_batch& batch) {
    std::map<std::uint32_t, savings> saved;  // by day: one sum for all
    for (auto const& [news, line, less] : notes) {
      batch.charge(line);
      saved[line.day] += less;
      write_news(batch, news);
    }
    for (auto const& [day, sum] : saved) note_savings(batch, day, sum);
  };
}

void engine::write_soon(live_pass& pass, visit_note note) {
  pass.unwritten.push_back(std::move(note));
  if (pass.unwritten.size() > 1) return;
  pass.write_by = std::chrono::steady_clock::now() + longest_unwritten;
  changed_.ring();  // who waits for the end of the pass does it then
}

net::awaitable<void> engine::write_visits(live_pass& pass) {
  auto notes = std::exchange(pass.unwritten, {});
  if (notes.empty()) co_return;
  auto const first = notes.front().news.feed.feed_url;
  auto task = writing_down(std::move(notes));
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (written) co_return;
  pass.record.note_failure(first, "cannot be stored: " + written.error().message());
  pass.full = written.error().message();
}

net::awaitable<void> engine::visit(live_pass& pass, std::uint64_t id) {
  auto found = subscription(id);
  auto const now = parts_.wall.now();
  if (!found) {
    plan_.remove(id);
    co_return;
  }
  auto const& before = *found;
  bool const blind = parts_.link.clock_wrong() && before.feed_url.starts_with("https:");
  if (blind || before.gone || before.paused || earliest_believable(before, settings_.feeds.floors, now) > now) {
    plan_.put_back(before, now);
    co_return;
  }
  auto const wire = std::make_shared<traffic>();
  auto& flying = pass.active[{true, id}];
  flying.wire = wire;
  flying.subscription = id;
  flying.shown = {.purpose = job_class::feed, .url = before.feed_url, .since = std::chrono::steady_clock::now()};
  // Who is at home in a private network may lead around in it; nobody outside leads us there.
  auto const own = is_private_name(plan_.host_of(id)) ? own_network(settings_.feeds) : std::nullopt;
  auto const& terms = own ? *own : settings_.feeds;
  auto report = co_await visit_feed(*client_, parts_.kept, before, terms, now, wire);
  co_await settle_visit(pass, std::move(*found), std::move(report), *wire);
}

net::awaitable<void> engine::settle_visit(live_pass& pass, store::subscription before, visit_report report,
                                          traffic const& wire) {
  auto const now = parts_.wall.now();
  auto const host = plan_.host_of(before.id);
  pass.active.erase({true, before.id});
  if (was_turned_away(report)) parts_.link.failed(host, report.error);
  auto const tries = broke_off(report) ? settings_.tries_per_pass : was_turned_away(report) ? 1u : 0u;
  if (tries > 0 && ++pass.broken[before.id] <= tries) {
    // It is read again from the start in this pass, when its host may be asked; nobody is blamed.
    auto const line = charged(pass.record, line_for(job_class::feed, before.id, host, wire), report.requests);
    auto const when = std::chrono::steady_clock::now();
    board_.hold(host, std::max(backoff_.failed(host, when, line.received > 0), backoff_.ready_at(host)));
    pass.again.insert({true, before.id});
    auto task = [line](store::write_batch& b) { b.charge(line); };
    auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
    if (!written) spdlog::debug("ledger.not_written error={}", log_value(written.error().message()));
    co_return;
  }
  bool const secure = report.final_url.starts_with("https:");
  bool answered = report.status != 0;
  bool disbelieved = false;
  if (answered) {
    parts_.link.succeeded(host, secure);
    if (secure || proves_itself(before, report)) {
      pass.proven = true;
      if (parts_.link.in_doubt()) parts_.link.observed(link_state::up, host + " answered as only it can");
    }
    bool const suspicious = !secure && !pass.proven && may_be_a_portal(before, report);
    if (suspicious) parts_.link.doubt();
    // A captive portal may have spoken in the feed's place: nothing was learned.
    if (!parts_.link.may_store(host, secure)) {
      visit_report nothing;
      nothing.error = errc::unreachable;
      nothing.requests = report.requests;
      report = std::move(nothing);
      answered = false;
      disbelieved = true;
    }
  } else if (!was_turned_away(report)) {
    parts_.link.failed(host, report.error);  // which knows what is not the link's trouble
  }
  // Nothing answered at all: the origin is to blame only when something else came through afterwards.
  bool const spent = !answered && kind_of(report.error) == errc::budget_spent;
  bool const lost = was_turned_away(report) && parts_.link.state() != link_state::up;
  bool const in_doubt = !answered && (spent || lost || is_link_trouble(report.error));
  auto& tally = pass.record.of(job_class::feed);
  auto line = line_for(job_class::feed, before.id, host, wire);
  savings const saved{.unchanged = report.how == outcome::unchanged ? before.whole_bytes : 0, .known = report.unread};
  line.saved = saved.all();
  line = charged(pass.record, std::move(line), report.requests);

  auto news = digest_visit(parts_.kept, before, report, now, settings_.feeds.floors, settings_.news);
  if (brought_something(report)) {
    ++tally.done;
    if (report.whole && !report.delta) news.feed.whole_bytes = line.received;
    plan_.visited(news, report, line.received, now);
    backoff_.succeeded(host);
  } else {
    ++tally.failed;
    note_trouble(news.feed, report, !in_doubt, now, settings_.feeds.floors, dice_);
    // It may have been the origin all the same, and was asked: not again at once.
    if (disbelieved) news.feed.not_before = std::max(news.feed.not_before, now + doubted_pause);
    plan_.failed(news.feed, now);
    pass.record.note_failure(before.feed_url, in_doubt ? report.error.message() : news.feed.last_error);
  }
  news.feed.posting_pattern = plan_.learned(before.id);
  if (auto const next = plan_.next_visit(before.id, now)) news.feed.next_visit = *next;
  pass.record.feeds_unchanged += report.how == outcome::unchanged;
  pass.record.new_items += news.fresh.size();
  pass.record.edited_items += news.edited.size();
  pass.record.lost_gaps += news.gap;
  spdlog::info("feed url={} status={} new={} edited={} received={} unread={} error={}", log_url(before.feed_url),
               report.status, news.fresh.size(), news.edited.size(), line.received, report.unread,
               log_value(news.feed.last_error));

  bool const has_news = !news.fresh.empty() || !news.edited.empty();
  auto const wish = host_wish(report, now, settings_.feeds.floors);
  if (report.how == outcome::unchanged && !wish) {
    write_soon(pass, {std::move(news), std::move(line), saved});
    if (pass.unwritten.size() >= most_unwritten) co_await write_visits(pass);
    if (before.homepage_url.empty()) co_return;
    if (auto const still = subscription(before.id)) co_await want_homepage(*still, false);
    co_return;
  }
  auto neighbours = wish ? plan_.neighbours(before.id) : std::vector<std::uint64_t>{};
  auto task = [news = std::move(news), line, saved, wish, neighbours](store::write_batch& b) {
    b.charge(line);
    note_savings(b, line.day, saved);
    std::vector<store::job> queued;
    if (!write_news(b, news)) return queued;
    if (wish) hold_neighbours(b, neighbours, *wish);
    for (auto const& job : news.wanted)
      if (auto stored = b.get<store::job>(store::job{.id = b.enqueue(job)}.key())) queued.push_back(std::move(*stored));
    return queued;
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) {
    pass.record.note_failure(before.feed_url, "cannot be stored: " + written.error().message());
    pass.full = written.error().message();
    co_return;
  }
  for (auto const& job : *written) post_job(job);
  for (auto const id : neighbours) co_await subscription_changed(id);
  auto const after = brought_something(report) ? subscription(before.id) : std::nullopt;
  if (!after) co_return;
  co_await want_homepage(*after, has_news);
  if (has_news) co_await stitch_news(pass, *after);
}

}  // namespace cistern::sync
