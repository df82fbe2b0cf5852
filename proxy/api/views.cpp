#include "proxy/api/views.hpp"

#include "proxy/link_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <array>
#include <cstdio>

namespace cistern::proxy {

namespace json = boost::json;

json::value view(std::chrono::sys_seconds time) {
  if (time == std::chrono::sys_seconds{}) return nullptr;
  auto const day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day const date{day};
  std::chrono::hh_mm_ss const clock{time - day};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return json::string{text.data()};
}

namespace {

json::array names(std::vector<std::string> const& list) {
  json::array out;
  for (auto const& name : list) out.emplace_back(name);
  return out;
}

template <class T>
json::value maybe(std::optional<T> const& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

/// 0 stands for no limit.
json::value unless_none(std::uint64_t limit) { return limit == 0 ? json::value(nullptr) : json::value(limit); }

std::string_view state_of(store::subscription const& feed) {
  if (feed.gone) return "gone";
  if (feed.paused) return "paused";
  if (feed.last_visit == std::chrono::sys_seconds{}) return "new";
  return feed.failures > 0 ? "failing" : "good";
}

std::string_view stitching_name(store::stitching how) {
  return how == store::stitching::always ? "always" : how == store::stitching::never ? "never" : "when good";
}

}  // namespace

json::object view(store::carry_rules const& rules) {
  return {{"pages", rules.pages},
          {"requisites", rules.requisites},
          {"enclosures", rules.enclosures},
          {"enclosure_types", names(rules.enclosure_types)},
          {"enclosure_limit", maybe(rules.enclosure_limit)},
          {"item_limit", maybe(rules.item_limit)},
          {"daily_limit", maybe(rules.daily_limit)}};
}

json::object view(store::subscription const& feed, std::optional<sync::feed_plan::outlook> const& ahead) {
  json::object out{{"id", feed.id},
                   {"feed", feed.feed_url},
                   {"homepage", feed.homepage_url},
                   {"title", feed.title},
                   {"folders", names(feed.folders)},
                   {"state", state_of(feed)},
                   {"error", feed.last_error},
                   {"weight", feed.weight},
                   {"carry", view(feed.carry)},
                   {"added", view(feed.added)},
                   {"last_visit", view(feed.last_visit)},
                   {"last_status", feed.last_status},
                   {"failures", feed.failures},
                   {"shows", feed.capacity},
                   {"feed_bytes", feed.whole_bytes},
                   {"homepage_bytes", feed.homepage_bytes},
                   {"stitching", stitching_name(feed.stitch)},
                   {"moved_to", feed.moved_to}};
  out["next_visit"] = ahead ? view(ahead->next) : view(feed.next_visit);
  if (ahead) {
    out["why_then"] = ahead->why;
    out["safe_offline_until"] = view(ahead->safe_offline_until);
  }
  return out;
}

json::object view(store::job const& job) {
  constexpr std::array<std::string_view, 4> states{"waiting", "running", "paused", "failed"};
  return {{"id", job.id},
          {"url", job.url},
          {"class", sync::class_name(job.priority)},
          {"state", states[static_cast<std::size_t>(job.state) % states.size()]},
          {"now", is_wanted_now(job)},
          {"queued", view(job.created)},
          {"not_before", view(job.not_before)},
          {"attempts", job.attempts},
          {"expected_size", maybe(job.expected_size)},
          {"error", job.last_error},
          {"subscription", job.subscription},
          {"found_on", job.found_on},
          {"wanted_by", names(job.owners)}};
}

/// One shape for the journal and for the pass under way.
json::object view(sync::pass_record const& pass) {
  auto out = json::parse(sync::to_json(pass)).as_object();
  out["number"] = pass.number;
  out["began"] = view(pass.began);
  out["ended"] = view(pass.ended);
  return out;
}

json::object view(sync::engine_status const& status) {
  json::object waiting;
  for (std::size_t i = 0; i < sync::class_count; ++i)
    waiting[sync::class_name(static_cast<store::job_class>(i))] = status.waiting[i];
  json::array active;
  auto const now = std::chrono::steady_clock::now();
  for (auto const& fetch : status.active)
    active.push_back(json::object{{"class", sync::class_name(fetch.purpose)},
                                  {"url", fetch.url},
                                  {"received", fetch.received},
                                  {"expected", maybe(fetch.expected)},
                                  {"seconds", std::chrono::duration<double>(now - fetch.since).count()}});
  json::object out{{"passing", status.passing},     {"paused", status.paused},     {"passes", status.passes},
                   {"waiting", std::move(waiting)}, {"active", std::move(active)}, {"pass", view(status.pass)}};
  out["next_feed"] = status.next_feed ? view(*status.next_feed) : json::value(nullptr);
  return out;
}

/// Without its history, which `GET link` has.
json::object view(sync::network_link const& link) {
  auto out = json::parse(link_json(link)).as_object();
  out.erase("history");
  return out;
}

json::object view(sync::budget& spending) {
  auto const used = spending.sums().all;
  auto const& limit = spending.rules().all;
  json::object paused;  // what waits for the budget, its hours or another link, and why
  for (std::size_t i = 0; i < sync::job_classes; ++i) {
    sync::expense const on{.purpose = static_cast<store::job_class>(i)};
    if (auto const said = spending.may_spend(on); !said.allowed) paused[sync::class_name(on.purpose)] = said.why;
  }
  return {{"today", used.day},
          {"today_limit", unless_none(limit.day)},
          {"month", used.month},
          {"month_limit", unless_none(limit.month)},
          {"paused", std::move(paused)}};
}

json::object view(store::usage const& usage) {
  return {{"objects", usage.objects},
          {"body_bytes", usage.body_bytes},
          {"used_bytes", usage.used_bytes},
          {"file_bytes", usage.file_bytes},
          {"quota", usage.quota},
          {"evicted", usage.evicted},
          {"quarantined", usage.quarantined},
          {"read_only", usage.read_only},
          {"problem", usage.failure ? usage.failure.message() : std::string{}}};
}

}  // namespace cistern::proxy
