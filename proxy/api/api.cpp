#include "proxy/api/api.hpp"

#include "proxy/api/answers.hpp"
#include "proxy/api/views.hpp"
#include "proxy/link_json.hpp"
#include "store/url.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>

#include <array>
#include <tuple>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

constexpr std::string_view root = "/api/v1/";

std::optional<std::uint64_t> size_of(json::value const& value) {
  if (value.is_null()) return std::nullopt;
  json::error_code error;
  auto const number = value.to_number<std::uint64_t>(error);
  return error ? std::nullopt : std::optional{number};
}

/// What a person may set: only what is named is changed.
void apply(json::object const& wish, store::carry_rules& rules) {
  rules.pages = flag_of(wish, "pages", rules.pages);
  rules.requisites = flag_of(wish, "requisites", rules.requisites);
  rules.enclosures = flag_of(wish, "enclosures", rules.enclosures);
  if (auto const* const v = wish.if_contains("enclosure_types")) rules.enclosure_types = texts_of(*v);
  if (auto const* const v = wish.if_contains("enclosure_limit")) rules.enclosure_limit = size_of(*v);
  if (auto const* const v = wish.if_contains("item_limit")) rules.item_limit = size_of(*v);
  if (auto const* const v = wish.if_contains("daily_limit")) rules.daily_limit = size_of(*v);
}

std::optional<double> weight_of(json::object const& wish) {
  auto const* const value = wish.if_contains("weight");
  if (!value) return std::nullopt;
  json::error_code error;
  auto const weight = value->to_number<double>(error);
  return !error && weight > 0 && weight <= 1000 ? std::optional{weight} : std::nullopt;
}

/// What a job must be worth to come before or behind all others of its class; nothing when it is to stay where it is.
std::optional<double> value_for(store::repository& kept, std::uint64_t id, std::string_view place) {
  auto const job = kept.get<store::job>(store::job{.id = id}.key());
  if ((place != "first" && place != "last") || !job || !*job) return std::nullopt;
  double out = is_wanted_now(**job) ? 0 : (*job)->value;
  static_cast<void>(kept.scan<store::job>({}, [&](store::job const& other) {
    if (other.id != id && other.priority == (*job)->priority && !is_wanted_now(other))
      out = place == "first" ? std::max(out, other.value + 1) : std::min(out, other.value - 1);
    return true;
  }));
  return out;
}

std::string_view name_of(sync::add_outcome::end how) {
  using end = sync::add_outcome::end;
  switch (how) {
    case end::added:
      return "added";
    case end::known:
      return "known";
    case end::found:
      return "found";
    case end::no_feed:
      return "no feed";
    case end::bad_address:
      return "bad address";
    case end::unreachable:
      break;
  }
  return "unreachable";
}

/// A person wants something whatever the budget says: so many bytes, for the next request for that address.
api_answer insist(sync::budget* spending, std::string_view body) {
  auto const wish = object_in(body);
  auto const url = wish ? store::normalise_url(text_of(*wish, "url")) : std::nullopt;
  auto const* const asked = wish ? wish->if_contains("bytes") : nullptr;
  auto const bytes = asked ? size_of(*asked) : std::nullopt;
  if (!url || !bytes || *bytes == 0)
    return refuse(400, "say what for and how many bytes, as {\"url\": \"https://…\", \"bytes\": 5000000}");
  if (spending) spending->grant(*url, *bytes);
  return say(json::object{{"url", *url}, {"bytes", *bytes}});
}

}  // namespace

net::awaitable<api_answer> api::answer(api_request asked) {
  auto const path = std::string_view{asked.target}.substr(0, asked.target.find('?'));
  if (!path.starts_with(root)) co_return refuse(404, "there is nothing here; see docs/api.md");
  auto const name = path.substr(root.size(), path.find('/', root.size()) - root.size());
  std::string rest{path.substr(std::min(path.size(), root.size() + name.size() + 1))};
  bool const reading = !is_change(asked.method);
  if (name == "status" && reading) co_return status();
  if (name == "settings" && reading) co_return settings();
  if (name == "diagnostics" && reading) co_return diagnostics();
  if (name == "journal" && reading) co_return journal(query_of(asked.target));
  if (name == "link" && reading) co_return api_answer{.body = link_json(parts_.link)};
  if (name == "items") co_return co_await items(std::move(asked), std::move(rest));
  if (name == "search") co_return co_await find(std::move(asked), std::move(rest));
  if (name == "here") co_return co_await here(std::move(asked));
  if (name == "savings" && reading) co_return savings(query_of(asked.target));
  if (name == "subscriptions") co_return co_await subscriptions(std::move(asked), std::move(rest));
  if (name == "lab") co_return co_await lab(std::move(asked), std::move(rest));
  if (name == "queue") co_return co_await queue(std::move(asked), std::move(rest));
  if (name == "sync" && reading) co_return api_answer{.body = pulse()};
  if (name == "budget" && asked.method == "POST") co_return insist(parts_.spending, asked.body);
  if (name == "sync" && asked.method == "POST") co_return co_await start_sync(std::move(asked.body));
  if (name == "sync" && asked.method == "PATCH") co_return co_await pause_sync(std::move(asked.body));
  if (name == "opml" && asked.method == "POST") co_return co_await import_opml(std::move(asked.body));
  if (name == "opml" && reading)
    co_return api_answer{.type = "text/x-opml; charset=utf-8", .body = parts_.engine.export_opml()};
  co_return refuse(404, "there is nothing here; see docs/api.md");
}

std::string api::pulse() {
  auto sync = view(parts_.engine.status());
  json::object out{{"link", view(parts_.link)}, {"sync", std::move(sync)}};
  if (parts_.spending) out["budget"] = view(*parts_.spending);
  return json::serialize(out);
}

api_answer api::status() {
  auto const usage = parts_.kept.measure();
  std::uint64_t feeds = 0, queued = 0;
  static_cast<void>(parts_.kept.scan<store::subscription>({}, [&](auto const&) { return ++feeds, true; }));
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](auto const&) { return ++queued < 1'000'000; }));
  json::object out{{"version", parts_.version},
                   {"data", parts_.kept.path().string()},
                   {"now", view(parts_.wall.now())},
                   {"link", view(parts_.link)},
                   {"subscriptions", feeds},
                   {"items", usage ? usage->items : 0},
                   {"queued", queued},
                   {"sync", view(parts_.engine.status())}};
  if (parts_.spending) out["budget"] = view(*parts_.spending);
  if (usage) out["store"] = view(*usage);
  return say(out);
}

/// Newest first, `limit` at a time, those before the number `before`.
api_answer api::journal(std::string_view query) {
  auto const before = query_number(query, "before").value_or(std::numeric_limits<std::uint64_t>::max());
  auto const limit = std::clamp<std::uint64_t>(query_number(query, "limit").value_or(50), 1, 500);
  std::vector<store::journal_entry> last;
  store::journal_entry const end{.sequence = before};
  static_cast<void>(parts_.kept.scan_back<store::journal_entry>(end.key(), [&](store::journal_entry const& entry) {
    last.push_back(entry);
    return last.size() < limit;
  }));
  json::array entries;
  for (auto const& entry : last) {
    json::error_code error;
    auto details = json::parse(entry.details, error);
    entries.push_back(json::object{{"number", entry.sequence},
                                   {"when", view(entry.when)},
                                   {"what", entry.what},
                                   {"details", error ? json::value(entry.details) : std::move(details)}});
  }
  return say(json::object{{"entries", std::move(entries)}});
}

net::awaitable<api_answer> api::subscriptions(api_request asked, std::string rest) {
  if (rest.empty() && !is_change(asked.method)) co_return co_await list_subscriptions();
  if (rest.empty() && asked.method == "POST") co_return co_await add(std::move(asked.body));
  auto const slash = rest.find('/');
  auto const id = number_in(std::string_view{rest}.substr(0, slash));
  if (!id) co_return refuse(404, "give a subscription by its number");
  if (slash != rest.npos) {
    bool const known = rest.substr(slash) == "/rhythm" && !is_change(asked.method);
    if (!known) co_return refuse(404, "there is nothing here; see docs/api.md");
    co_return co_await rhythm(*id);
  }
  if (asked.method == "PATCH") co_return co_await change(*id, std::move(asked.body));
  if (asked.method != "DELETE") co_return refuse(405, "use POST, PATCH or DELETE");
  auto gone = parts_.engine.remove(*id);
  bool const there = co_await net::co_spawn(parts_.engine.executor(), std::move(gone), net::use_awaitable);
  if (!there) co_return refuse(404, "there is no such subscription");
  co_return say(json::object{{"removed", *id}});
}

net::awaitable<api_answer> api::list_subscriptions() {
  std::vector<store::subscription> feeds;
  static_cast<void>(parts_.kept.scan<store::subscription>(
      {}, [&](store::subscription const& feed) { return feeds.push_back(feed), true; }));
  auto looking = parts_.engine.look_ahead_all();
  auto const ahead = co_await net::co_spawn(parts_.engine.executor(), std::move(looking), net::use_awaitable);
  auto const counted = totals();
  json::array list;
  for (auto const& feed : feeds) {
    auto const at = ahead.find(feed.id);
    auto const outlook = at == ahead.end() ? std::nullopt : std::optional{at->second};
    auto site = view(feed, outlook);
    add_totals(site, feed, counted);
    list.push_back(std::move(site));
  }
  co_return say(json::object{{"subscriptions", std::move(list)}});
}

net::awaitable<api_answer> api::add(std::string body) {
  auto const wish = object_in(body);
  if (!wish || text_of(*wish, "url").empty()) co_return refuse(400, "say which address, as {\"url\": \"https://…\"}");
  sync::add_request request{.url = text_of(*wish, "url")};
  if (auto const* const folders = wish->if_contains("folders")) request.folders = texts_of(*folders);
  request.weight = weight_of(*wish).value_or(1);
  if (auto const* const carry = wish->if_contains("carry"); carry && carry->is_object())
    apply(carry->as_object(), request.carry);
  request.look_only = flag_of(*wish, "look_only", false);
  auto adding = parts_.engine.add(std::move(request));
  auto const done = co_await net::co_spawn(parts_.engine.executor(), std::move(adding), net::use_awaitable);
  json::array candidates;
  for (auto const& found : done.candidates)
    candidates.push_back(json::object{{"url", found.url}, {"title", found.title}, {"type", found.type}});
  json::object out{{"how", name_of(done.how)}, {"message", done.message}, {"items", done.items}};
  out["candidates"] = std::move(candidates);
  if (done.feed) out["subscription"] = view(*done.feed, std::nullopt);
  bool const good = done.feed.has_value();
  if (!good) out["error"] = done.message;
  unsigned const status = good ? 200 : done.how == sync::add_outcome::end::bad_address ? 400 : 502;
  co_return say(out, status);
}

net::awaitable<api_answer> api::change(std::uint64_t id, std::string body) {
  auto const wish = object_in(body);
  if (!wish) co_return refuse(400, "the body must be a JSON object");
  auto task = [id, wish = *wish](store::write_batch& b) {
    store::subscription named{};
    named.id = id;
    auto feed = b.get<store::subscription>(named.key());
    if (!feed) return false;
    feed->weight = weight_of(wish).value_or(feed->weight);
    feed->paused = flag_of(wish, "paused", feed->paused);
    if (flag_of(wish, "revive", false)) feed->gone = false;
    if (auto const title = text_of(wish, "title"); !title.empty()) feed->title = title;
    if (auto const* const folders = wish.if_contains("folders")) feed->folders = texts_of(*folders);
    if (auto const* const carry = wish.if_contains("carry"); carry && carry->is_object())
      apply(carry->as_object(), feed->carry);
    auto const how = text_of(wish, "stitching");
    if (how == "always") feed->stitch = store::stitching::always;
    if (how == "never") feed->stitch = store::stitching::never;
    if (how == "when good") feed->stitch = store::stitching::when_good;
    b.put(*feed);
    return true;
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written) co_return refuse(507, "it cannot be stored: " + written.error().message());
  if (!*written) co_return refuse(404, "there is no such subscription");
  auto planning = parts_.engine.subscription_changed(id);
  co_await net::co_spawn(parts_.engine.executor(), std::move(planning), net::use_awaitable);
  if (wish->contains("stitching")) {
    auto stitching = parts_.engine.restitch(id);
    co_await net::co_spawn(parts_.engine.executor(), std::move(stitching), net::use_awaitable);
  }
  if (flag_of(*wish, "relearn", false)) {
    auto learning = parts_.engine.relearn(id);
    bool const begun = co_await net::co_spawn(parts_.engine.executor(), std::move(learning), net::use_awaitable);
    if (!begun) co_return refuse(409, "this site has no homepage to learn from");
  }
  co_return say(json::object{{"changed", id}});
}

net::awaitable<api_answer> api::start_sync(std::string body) {
  auto const wish = object_in(body);
  if (!wish) co_return refuse(400, "the body must be a JSON object");
  if (flag_of(*wish, "dry_run", false)) {
    auto looking = parts_.engine.dry_run(true);
    auto const found = co_await net::co_spawn(parts_.engine.executor(), std::move(looking), net::use_awaitable);
    json::array list;
    std::uint64_t bytes = 0;
    for (auto const& thing : found) {
      list.push_back(
          json::object{{"class", sync::class_name(thing.purpose)}, {"url", thing.url}, {"bytes", thing.bytes}});
      bytes += thing.bytes;
    }
    co_return say(json::object{{"would_fetch", std::move(list)}, {"bytes", bytes}});
  }
  if (parts_.engine.paused()) co_return refuse(409, "sync is paused; resume it first");
  auto const before = parts_.engine.status().passes;
  parts_.engine.pass_soon("asked for");
  co_return say(json::object{{"passes", before}}, 202);
}

net::awaitable<api_answer> api::pause_sync(std::string body) {
  auto const wish = object_in(body);
  if (!wish || !wish->contains("paused")) co_return refuse(400, "say {\"paused\": true} or {\"paused\": false}");
  bool const paused = flag_of(*wish, "paused", false);
  auto pausing = parts_.engine.set_paused(paused);
  bool const written = co_await std::move(pausing);
  if (!written) co_return refuse(507, "it cannot be stored");
  co_return say(json::object{{"paused", paused}});
}

net::awaitable<api_answer> api::import_opml(std::string body) {
  auto importing = parts_.engine.import_opml(std::move(body));
  auto const done = co_await net::co_spawn(parts_.engine.executor(), std::move(importing), net::use_awaitable);
  json::array problems;
  for (auto const& problem : done.problems) problems.emplace_back(problem);
  bool const nothing = done.added + done.known == 0 && !done.problems.empty();
  json::object out{{"added", done.added}, {"known", done.known}, {"problems", std::move(problems)}};
  if (nothing) out["error"] = done.problems.front();
  co_return say(out, nothing ? 400 : 200);
}

/// In the order in which it is fetched.
api_answer api::list_queue(std::string_view query) {
  auto const limit = std::min<std::uint64_t>(query_number(query, "limit").value_or(200), 10'000);
  std::vector<store::job> jobs;
  std::array<std::uint64_t, sync::class_count> counts{};
  static_cast<void>(parts_.kept.scan<store::job>({}, [&](store::job const& job) {
    ++counts[static_cast<std::size_t>(job.priority) % sync::class_count];
    return jobs.push_back(job), true;
  }));
  std::ranges::stable_sort(jobs, [](store::job const& a, store::job const& b) {
    auto const place = [](store::job const& job) { return std::tuple{!is_wanted_now(job), job.priority, -job.value}; };
    return place(a) < place(b);
  });
  json::array list;
  for (auto const& job : jobs)
    if (list.size() < limit) list.push_back(view(job));
  json::object classes;
  for (std::size_t i = 0; i < sync::class_count; ++i)
    classes[sync::class_name(static_cast<store::job_class>(i))] = counts[i];
  return say(json::object{{"total", jobs.size()}, {"classes", std::move(classes)}, {"jobs", std::move(list)}});
}

net::awaitable<api_answer> api::queue(api_request asked, std::string rest) {
  if (rest.empty() && !is_change(asked.method)) co_return list_queue(query_of(asked.target));
  auto const id = number_in(rest);
  if (!id) co_return refuse(404, "give a job by its number");
  auto const wish = object_in(asked.body);
  bool const dropping = asked.method == "DELETE";
  if (!wish || (!dropping && asked.method != "PATCH")) co_return refuse(405, "use PATCH or DELETE");
  auto const value = value_for(parts_.kept, *id, text_of(*wish, "place"));
  auto task = [id = *id, dropping, wish = *wish, value](store::write_batch& b) {
    if (dropping) return b.finish_job(id);
    auto job = b.get<store::job>(store::job{.id = id}.key());
    if (!job) return false;
    if (auto const* const paused = wish.if_contains("paused"); paused && paused->is_bool())
      job->state = paused->as_bool() ? store::job_state::paused : store::job_state::waiting;
    if (value) job->value = *value;
    if (flag_of(wish, "now", false)) {
      job->value = store::wanted_now;
      job->state = store::job_state::waiting;
      job->not_before = {};
    }
    b.put(*job);
    return true;
  };
  auto const done = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!done) co_return refuse(507, "it cannot be stored: " + done.error().message());
  if (!*done) co_return refuse(404, "there is no such job");
  if (parts_.queue_changed) parts_.queue_changed();
  auto following = parts_.engine.job_changed(*id);
  co_await net::co_spawn(parts_.engine.executor(), std::move(following), net::use_awaitable);
  co_return say(json::object{{dropping ? "dropped" : "changed", *id}});
}

}  // namespace cistern::proxy
