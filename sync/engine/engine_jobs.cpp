// The engine's part in fetching what is queued: pages, what they need, enclosures.

#include "store/errc.hpp"
#include "store/freshness.hpp"
#include "sync/engine/engine.hpp"
#include "sync/engine/live_pass.hpp"
#include "sync/engine/part_depth.hpp"
#include "sync/errc.hpp"
#include "sync/feeds/visit_news.hpp"
#include "sync/http/address_class.hpp"
#include "sync/http/origin.hpp"
#include "sync/log_url.hpp"
#include "sync/savings.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <array>

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

/// The repository would not have it. A disk that fills up in the middle of a write is told as an input/output error.
bool is_full(boost::system::error_code error) {
  return error == store::errc::store_full || error == store::errc::disk_full ||
         error == boost::system::errc::io_error || error == boost::system::errc::no_space_on_device;
}

/// Not worth another try: the origin has answered, and that is its answer.
bool is_final(fetch_outcome const& outcome) {
  if (outcome.how == fetch_end::gone || outcome.how == fetch_end::too_large || outcome.how == fetch_end::forbidden)
    return true;
  if (outcome.how == fetch_end::complete) return true;  // it came and may not be kept
  return outcome.how == fetch_end::refused && outcome.status < 500 && outcome.status != 408 && outcome.status != 425;
}

std::string words_for(fetch_outcome const& outcome) {
  switch (outcome.how) {
    case fetch_end::complete:
      return "its publisher does not let it be stored";
    case fetch_end::too_large:
      return "larger than allowed";
    case fetch_end::forbidden:
      return outcome.error == errc::forbidden_address ? "it leads to a private address (see sync.allow_private)"
                                                      : "its redirects lead nowhere good";
    case fetch_end::gone:
    case fetch_end::refused:
    case fetch_end::retry_after:
      return "the server answered " + std::to_string(outcome.status);
    default:
      return outcome.error.message();
  }
}

/// It is fetched anew after that long, from its first byte on: a damaged copy somewhere on the way may be gone by then.
/// Nothing when it came damaged so often that the feed's word is likelier wrong than the file.
std::optional<std::chrono::hours> rest_of_damaged(store::job const& job) {
  constexpr std::array<std::chrono::hours, 2> rests{std::chrono::hours{1}, std::chrono::hours{24}};
  return job.damaged < rests.size() ? std::optional{rests[job.damaged]} : std::nullopt;
}

/// What the feed said of the file: "md5 …", "sha-1 …".
std::optional<content_digest> digest_in(std::string const& text) {
  auto const blank = text.find(' ');
  if (blank == text.npos) return std::nullopt;
  auto const name = text.substr(0, blank);
  if (name != "md5" && name != "sha-1" && name != "sha-256") return std::nullopt;
  auto const kind = name == "md5" ? digest_kind::md5 : name == "sha-1" ? digest_kind::sha1 : digest_kind::sha256;
  return content_digest{.kind = kind, .hex = text.substr(blank + 1)};
}

/// How much of what its owners may have in all is left for a part; the one with the most room counts.
std::uint64_t room_for_part(store::repository& kept, store::job const& job, std::uint64_t limit) {
  std::uint64_t room = 0;
  bool owned = false;
  for (auto const& owner : job.owners) {
    auto const key = item_key_of(owner);
    auto const item = key ? kept.get<store::item>(*key) : result<std::optional<store::item>>{std::nullopt};
    if (!item || !*item) continue;
    owned = true;
    room = std::max(room, limit - std::min(limit, (*item)->bytes));
  }
  return owned ? room : limit;
}

/// What the subscription and our own limits allow of it, in bytes.
std::optional<std::uint64_t> most_of(store::repository& kept, store::job const& job, store::carry_rules const* carry,
                                     article_settings const& settings) {
  if (job.priority == job_class::enclosure) return carry ? carry->enclosure_limit : std::nullopt;
  if (job.priority != job_class::requisite) return settings.largest_part;
  auto const limit = carry && carry->item_limit ? *carry->item_limit : settings.item_limit;
  return std::min(settings.largest_part, room_for_part(kept, job, limit));
}

/// Something of it is here, with a tag: who goes on with it must know the tag, and no portal does.
bool could_prove_itself(store::repository& kept, std::string const& url) {
  auto const here = kept.versions(url);
  return here && std::ranges::any_of(*here, [](store::stored_object const& each) {
           return !each.complete && each.size > 0 && each.headers.find("ETag").value_or("W/").starts_with('"');
         });
}

/// It was fetched after somebody wished for it: a power cut came between the last byte and the note that it is there,
/// or a reader was quicker.
bool came_meanwhile(store::job const& job, store::stored_object const& held) {
  return job.priority != job_class::homepage && held.complete && held.status == 200 && held.requested > job.created;
}

/// What of a stored thing did not have to come: all of it, or what had come before the last cut, or what packing left
/// out.
savings saved_by(store::repository& kept, fetch_outcome const& outcome, traffic const& wire) {
  auto const& object = *outcome.object;
  if (outcome.how == fetch_end::unchanged) return {.unchanged = object.size};
  std::uint64_t const came = wire.received;
  return {.compression = packed_away(kept, object), .known = object.size > came ? object.size - came : 0};
}

}  // namespace

net::awaitable<void> engine::run_job(live_pass& pass, std::uint64_t id) {
  auto const found = parts_.kept.get<store::job>(store::job{.id = id}.key());
  if (!found || !*found) co_return;
  auto job = **found;
  bool const secure = job.url.starts_with("https:");
  if (parts_.link.clock_wrong() && secure) co_return;  // no certificate can be checked
  auto const there = parse_url(job.url);
  if (there && !parts_.link.may_store(there->to.host, secure) && !could_prove_itself(parts_.kept, job.url)) {
    // A portal may answer in its place. The feeds, which come first, will show; until then it costs nothing.
    if (board_.waiting(job_class::feed) + board_.active(job_class::feed) == 0) co_return;
    board_.hold(there->to.host, std::chrono::steady_clock::now() + std::chrono::seconds{1});
    pass.again.insert({false, id});
    co_return;
  }
  auto const wire = std::make_shared<traffic>();
  auto& flying = pass.active[{false, id}];
  flying.wire = wire;
  flying.subscription = job.subscription;
  flying.unwanted = std::make_shared<std::atomic<bool>>(false);
  flying.shown = {.purpose = job.priority,
                  .url = job.url,
                  .expected = job.expected_size,
                  .since = std::chrono::steady_clock::now()};
  wish what{.url = job.url, .kind = kind_for(job.priority), .keep = store::retention::needed};
  what.finish = true;
  what.unwanted = flying.unwanted;
  what.purpose = job.priority;
  what.subscription = job.subscription;
  auto const feed = subscription(job.subscription);
  if (feed) what.daily_limit = feed->carry.daily_limit;
  expense const on{.purpose = job.priority, .image = job.depth == image_part};
  if (on.image && parts_.spending && !parts_.spending->may_spend(on).allowed) co_return;  // it waits in the queue
  what.meter = wire;
  what.most = most_of(parts_.kept, job, feed ? &feed->carry : nullptr, settings_.articles);
  if (what.most == std::uint64_t{0}) {
    fetch_outcome const full{.how = fetch_end::too_large};
    co_return co_await settle_job(pass, std::move(job), full, *wire);
  }
  what.digest = digest_in(job.hash);
  auto const home = feed ? parse_url(feed->feed_url) : result<split_url>{errc::bad_url};
  // Who is at home in a private network may lead around in it; nobody outside leads us there.
  if (!home || !is_private_name(home->to.host)) what.allow_address = settings_.feeds.allow_address;
  what.fields.add("User-Agent", settings_.feeds.user_agent);
  what.fields.add("Accept", accepted_for(job.priority));
  what.fields.add("Accept-Encoding", job.priority == job_class::enclosure ? "identity" : "gzip");
  if (auto const stored = parts_.kept.find(job.url); stored && *stored) what.held.push_back(**stored);
  if (!what.held.empty() && came_meanwhile(job, what.held.front())) {
    fetch_outcome known{.how = fetch_end::unchanged, .object = what.held.front()};
    co_return co_await settle_job(pass, std::move(job), std::move(known), *wire);
  }
  if (job.priority == job_class::homepage) what.versions = settings_.homepages.versions;
  auto outcome = co_await fetch_once(parts_.fetching, *client_, std::move(what));
  co_await settle_job(pass, std::move(job), std::move(outcome), *wire);
}

net::awaitable<void> engine::settle_job(live_pass& pass, store::job job, fetch_outcome outcome, traffic const& wire) {
  auto const url = parse_url(job.url);
  auto const host = url ? url->to.host : std::string{};
  pass.active.erase({false, job.id});
  auto& tally = pass.record.of(job.priority);
  auto line = line_for(job.priority, job.subscription, host, wire);
  bool const asked = line.sent > 0;
  line.requests = asked ? 1 + outcome.redirects.size() : 0;
  tally.received += line.received;
  tally.sent += line.sent;
  tally.requests += line.requests;
  bool const arrived = outcome.how == fetch_end::complete || outcome.how == fetch_end::unchanged;
  bool const good = arrived && outcome.object;
  if (arrived && !good && !parts_.link.may_store(host, job.url.starts_with("https:")))
    outcome.how = fetch_end::link_trouble;  // not believed
  bool const damaged = kind_of(outcome.error) == errc::wrong_digest;
  bool const over = is_final(outcome) || (damaged && !rest_of_damaged(job));
  if (!good && !over) co_return co_await postpone(pass, std::move(job), outcome, std::move(line));

  savings saved;
  if (good && asked && outcome.object) saved = saved_by(parts_.kept, outcome, wire);
  line.saved = saved.all();
  tally.saved += line.saved;
  backoff_.succeeded(host);
  ++(good ? tally.done : tally.failed);
  auto const error = good ? std::string{} : words_for(outcome);
  if (!good) pass.record.note_failure(job.url, error);
  parts_list needed;
  auto const feed = good ? subscription(job.subscription) : std::nullopt;
  bool const bare = feed && !feed->carry.requisites;
  if (good && outcome.object && !bare)
    needed = find_parts(parts_.kept, job, *outcome.object, parts_.wall.now(), settings_.articles);
  auto const how = good ? part_end::stored : part_end::missing;
  auto const bytes = outcome.object ? outcome.object->size : 0;
  spdlog::debug("job url={} class={} good={} received={}", log_url(job.url), class_name(job.priority), good,
                line.received);
  auto task = [job, how, bytes, needed = std::move(needed), error, line, saved](store::write_batch& b) {
    b.charge(line);
    note_savings(b, line.day, saved);
    return finish_part(b, job, how, bytes, needed, error);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) {
    pass.record.note_failure(job.url, "cannot be stored: " + written.error().message());
    pass.full = written.error().message();
    co_return;
  }
  if (job.priority == job_class::homepage && outcome.object)
    co_await take_homepage(*outcome.object, line.received, is_relearning(job));
  pass.record.articles_completed += written->articles_completed;
  for (auto const& part : written->queued) post_job(part);
}

/// It failed for now. In this pass it is tried again when its host may be; then it waits in the queue.
net::awaitable<void> engine::postpone(live_pass& pass, store::job job, fetch_outcome const& outcome,
                                      store::ledger_entry line) {
  auto const now = std::chrono::steady_clock::now();
  auto const& host = line.host;
  bool const spent = kind_of(outcome.error) == errc::budget_spent;
  if (is_full(outcome.error)) pass.full = outcome.error.message();
  bool const disbelieved = outcome.how == fetch_end::link_trouble && outcome.status != 0;
  bool const damaged = kind_of(outcome.error) == errc::wrong_digest;
  if (damaged) job.not_before = parts_.wall.now() + rest_of_damaged(job).value_or(std::chrono::hours{24});
  job.damaged += damaged;
  bool const lost = kind_of(outcome.error) == errc::cancelled || parts_.link.state() != link_state::up;
  bool const ours = spent || disbelieved || lost || !pass.full.empty();
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
  bool const back = lost && parts_.link.state() == link_state::up;  // before this pass noticed that it was gone
  bool const again = back || (!ours && !damaged && ++pass.fruitless[job.id] <= settings_.tries_per_pass);
  if (!again && !lost) {
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
    current->damaged = job.damaged;
    b.put(*current);
    return true;
  };
  auto const there = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (again && there && *there) pass.again.insert({false, job.id});
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
