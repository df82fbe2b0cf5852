// The engine's part in fetching what is queued: pages, what they need, enclosures.

#include "store/freshness.hpp"
#include "sync/engine/engine.hpp"
#include "sync/engine/live_pass.hpp"
#include "sync/errc.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using store::job_class;

store::object_kind kind_for(job_class purpose) {
  switch (purpose) {
    case job_class::page:
      return store::object_kind::page;
    case job_class::requisite:
      return store::object_kind::requisite;
    case job_class::homepage:
      return store::object_kind::homepage;
    case job_class::enclosure:
      return store::object_kind::enclosure;
    default:
      return store::object_kind::other;
  }
}

std::string_view accepted_for(job_class purpose) {
  return purpose == job_class::page || purpose == job_class::homepage ? "text/html,application/xhtml+xml,*/*;q=0.8"
                                                                      : "*/*";
}

/// Not worth another try: the origin has answered, and that is its answer.
bool is_final(fetch_outcome const& outcome) {
  if (outcome.how == fetch_end::gone || outcome.how == fetch_end::too_large || outcome.how == fetch_end::forbidden)
    return true;
  return outcome.how == fetch_end::refused && outcome.status < 500 && outcome.status != 408 && outcome.status != 425;
}

std::string words_for(fetch_outcome const& outcome) {
  switch (outcome.how) {
    case fetch_end::too_large:
      return "larger than allowed";
    case fetch_end::forbidden:
      return "its redirects lead nowhere good";
    case fetch_end::gone:
    case fetch_end::refused:
    case fetch_end::retry_after:
      return "the server answered " + std::to_string(outcome.status);
    default:
      return outcome.error.message();
  }
}

}  // namespace

net::awaitable<void> engine::run_job(live_pass& pass, std::uint64_t id) {
  auto const found = parts_.kept.get<store::job>(store::job{.id = id}.key());
  if (!found || !*found) co_return;
  auto job = **found;
  if (parts_.link.clock_wrong() && job.url.starts_with("https:")) co_return;  // no certificate can be checked
  auto const wire = std::make_shared<traffic>();
  auto& flying = pass.active[{false, id}];
  flying.wire = wire;
  flying.shown = {.purpose = job.priority,
                  .url = job.url,
                  .expected = job.expected_size,
                  .since = std::chrono::steady_clock::now()};
  wish what{.url = job.url, .kind = kind_for(job.priority), .keep = store::retention::needed};
  what.finish = true;
  what.purpose = job.priority;
  what.subscription = job.subscription;
  if (auto const feed = subscription(job.subscription)) what.daily_limit = feed->carry.daily_limit;
  what.meter = wire;
  what.most = job.priority == job_class::enclosure ? std::nullopt : std::optional{settings_.articles.largest_part};
  what.allow_address = settings_.feeds.allow_address;
  what.fields.add("User-Agent", settings_.feeds.user_agent);
  what.fields.add("Accept", accepted_for(job.priority));
  what.fields.add("Accept-Encoding", job.priority == job_class::enclosure ? "identity" : "gzip");
  if (auto const stored = parts_.kept.find(job.url); stored && *stored) what.held.push_back(**stored);
  if (job.priority == job_class::homepage) what.versions = settings_.homepages.versions;
  auto outcome = co_await fetch_once(parts_.fetching, *client_, std::move(what));
  co_await settle_job(pass, std::move(job), std::move(outcome), *wire);
}

net::awaitable<void> engine::settle_job(live_pass& pass, store::job job, fetch_outcome outcome, traffic const& wire) {
  auto const url = parse_url(job.url);
  auto const host = url ? url->to.host : std::string{};
  auto& tally = pass.record.of(job.priority);
  auto line = line_for(job.priority, job.subscription, host, wire);
  line.requests = 1 + outcome.redirects.size();
  tally.received += line.received;
  tally.sent += line.sent;
  tally.requests += line.requests;
  bool const good = outcome.how == fetch_end::complete || outcome.how == fetch_end::unchanged;
  if (!good && !is_final(outcome)) co_return co_await postpone(pass, std::move(job), outcome, std::move(line));

  backoff_.succeeded(host);
  ++(good ? tally.done : tally.failed);
  auto const error = good ? std::string{} : words_for(outcome);
  if (!good) pass.record.note_failure(job.url, error);
  parts_list needed;
  if (good && outcome.object)
    needed = find_parts(parts_.kept, job, *outcome.object, parts_.wall.now(), settings_.articles);
  auto const how = good ? part_end::stored : part_end::missing;
  auto const bytes = outcome.object ? outcome.object->size : 0;
  spdlog::debug("job url={} class={} good={} received={}", log_url(job.url), class_name(job.priority), good,
                line.received);
  auto task = [job, how, bytes, needed = std::move(needed), error, line](store::write_batch& b) {
    b.charge(line);
    return finish_part(b, job, how, bytes, needed, error);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) {
    pass.record.note_failure(job.url, "cannot be stored: " + written.error().message());
    co_return;
  }
  if (job.priority == job_class::homepage && outcome.object) co_await take_homepage(*outcome.object, line.received);
  pass.record.articles_completed += written->articles_completed;
  for (auto const& part : written->queued) post_job(part);
}

/// It failed for now. In this pass it is tried again when its host may be; then it waits in the queue.
net::awaitable<void> engine::postpone(live_pass& pass, store::job job, fetch_outcome const& outcome,
                                      store::ledger_entry line) {
  auto const now = std::chrono::steady_clock::now();
  auto const& host = line.host;
  bool const spent = kind_of(outcome.error) == errc::budget_spent;
  bool const ours = spent || (outcome.how == fetch_end::link_trouble && parts_.link.state() != link_state::up);
  if (!ours) {
    job.last_error = words_for(outcome);
    ++job.attempts;
    if (outcome.retry_after) {
      backoff_.leave_alone(host, now, *outcome.retry_after);
      job.not_before = parts_.wall.now() + *outcome.retry_after;
    }
    board_.hold(host, std::max(backoff_.failed(host, now, outcome.gained > 0), backoff_.ready_at(host)));
  }
  if (outcome.gained > 0) pass.fruitless.erase(job.id);
  bool const again = !ours && ++pass.fruitless[job.id] <= settings_.tries_per_pass;
  if (!again) {
    ++pass.record.of(job.priority).failed;
    pass.record.note_failure(job.url, words_for(outcome));
  }
  auto task = [job, line](store::write_batch& b) {
    b.charge(line);
    auto current = b.get<store::job>(job.key());
    if (!current) return false;
    current->last_error = job.last_error;
    current->attempts = job.attempts;
    current->not_before = job.not_before;
    b.put(*current);
    return true;
  };
  auto const there = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (again && there && *there) pass.again.insert(job.id);
}

net::awaitable<std::vector<forecast>> engine::dry_run(bool asked) {
  load_plan();
  std::vector<forecast> out;
  auto const now = parts_.wall.now();
  for (auto const id : plan_.take_due(now, asked)) {
    auto const feed = subscription(id);
    if (!feed) continue;
    auto const usual = feed->whole_bytes > 0 ? std::min<std::uint64_t>(feed->whole_bytes, 20'000) : 20'000;
    out.push_back({.purpose = job_class::feed, .url = feed->feed_url, .bytes = usual});
    plan_.put_back(*feed, now);
  }
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](store::job const& job) {
    auto const usual = job.priority == job_class::enclosure ? 20'000'000u : 60'000u;
    out.push_back({.purpose = job.priority, .url = job.url, .bytes = job.expected_size.value_or(usual)});
    return out.size() < 100'000;
  }));
  std::ranges::stable_sort(out, {}, &forecast::purpose);
  co_return out;
}

}  // namespace cistern::sync
