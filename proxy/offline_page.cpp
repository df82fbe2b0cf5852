#include "proxy/offline_page.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace cistern::proxy {
namespace {

using namespace std::chrono;

constexpr std::size_t most_neighbours = 12;

std::string iso_time(sys_seconds when) {
  auto const midnight = floor<days>(when);
  year_month_day const date{midnight};
  hh_mm_ss const time{when - midnight};
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return out.data();
}

bool is_web(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

/// "http://host/path" as "host" and "/path"; the scheme says little to a reader.
std::pair<std::string_view, std::string_view> host_and_path(std::string_view url) {
  auto const scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  auto const slash = url.find('/');
  return {url.substr(0, slash), slash == std::string_view::npos ? std::string_view{} : url.substr(slash)};
}

/// What every page of ours has.
page_values common(page_texts const& texts, page_addresses const& where, std::string_view url) {
  page_values out;
  for (auto const& [key, sentence] : texts.all()) out.texts.emplace("t:" + key, sentence);
  auto const [host, path] = host_and_path(url);
  auto& t = out.texts;
  t["url"] = url;
  t["host"] = host;
  t["path"] = path == "/" ? std::string_view{} : path;
  t["queue_url"] = where.queue_url;
  t["insist_url"] = where.insist_url;
  t["status_url"] = where.status_url;
  t["dashboard_url"] =
      is_web(where.dashboard_url) || where.dashboard_url.starts_with('/') ? where.dashboard_url : std::string{};
  t["token"] = where.token;
  t["nonce"] = where.nonce;
  return out;
}

std::string_view key_of(link_trouble why) {
  switch (why) {
    case link_trouble::down:
      return "why.down";
    case link_trouble::forced:
      return "why.forced";
    case link_trouble::portal:
      return "why.portal";
    case link_trouble::site:
      return "why.site";
    case link_trouble::budget:
      return "why.budget";
  }
  return "why.down";
}

std::string_view key_of(queue_state state) {
  switch (state) {
    case queue_state::none:
      return "state.none";
    case queue_state::queued:
      return "state.queued";
    case queue_state::fetching:
      return "state.fetching";
    case queue_state::failed:
      return "state.failed";
  }
  return "state.none";
}

std::string_view key_of(origin_trouble what) {
  switch (what) {
    case origin_trouble::refused:
      return "trouble.refused";
    case origin_trouble::timed_out:
      return "trouble.timed_out";
    case origin_trouble::no_such_host:
      return "trouble.no_such_host";
    case origin_trouble::bad_certificate:
      return "trouble.bad_certificate";
    case origin_trouble::broke_off:
      return "trouble.broke_off";
    case origin_trouble::bad_answer:
      return "trouble.bad_answer";
    case origin_trouble::status:
      return "trouble.status";
  }
  return "trouble.bad_answer";
}

std::vector<page_values> neighbours(page_texts const& texts, offline_facts const& facts) {
  std::vector<page_values> out;
  for (auto const& n : facts.nearby) {
    if (out.size() == most_neighbours) break;
    if (!is_web(n.url)) continue;
    auto const path = host_and_path(n.url).second;
    page_values entry;
    entry.texts["link"] = n.url;
    entry.texts["title"] = !n.title.empty() ? n.title : std::string{path.empty() ? "/" : path};
    entry.texts["when"] = relative_time(texts, n.stored, facts.now);
    entry.texts["when_iso"] = iso_time(n.stored);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string relative_time(page_texts const& texts, sys_seconds when, sys_seconds now) {
  bool const past = when <= now;
  auto const distance = past ? now - when : when - now;
  std::string const direction = past ? "ago." : "in.";
  if (distance < 45s) return texts.say(past ? "ago.now" : "in.now");
  struct unit {
    seconds length;
    std::string_view key;
  };
  constexpr std::array<unit, 4> units{
      unit{days{365}, "years"}, {days{1}, "days"}, {hours{1}, "hours"}, {minutes{1}, "minutes"}};
  for (auto const& u : units) {
    auto const n = (distance + u.length / 4) / u.length;  // "59 minutes" is an hour to a reader
    if (n >= 1) return texts.count(direction + std::string{u.key}, static_cast<std::uint64_t>(n));
  }
  return texts.count(direction + "minutes", 1);
}

std::string offline_page(page_template const& page, page_texts const& texts, page_addresses const& where,
                         offline_facts const& facts) {
  auto values = common(texts, where, facts.url);
  auto& t = values.texts;
  t["offline"] = "1";
  t["title"] = texts.say("offline.title");
  t["headline"] = texts.say("offline.headline");
  t["why"] = texts.say(key_of(facts.why), {{"trouble", texts.say(key_of(facts.origin), {{"host", t["host"]}})}});
  if (facts.down_since)
    t["since"] = texts.say("offline.since", {{"when", relative_time(texts, *facts.down_since, facts.now)}});
  t["state"] = texts.say(key_of(facts.queue));
  t[facts.queue == queue_state::none || facts.queue == queue_state::failed ? "can_queue" : "is_queued"] = "1";
  if (facts.why == link_trouble::budget) t["can_insist"] = "1";
  t["next_try"] = facts.next_try ? texts.say("next.at", {{"when", relative_time(texts, *facts.next_try, facts.now)}})
                                 : texts.say(facts.why == link_trouble::site     ? "next.site"
                                             : facts.why == link_trouble::budget ? "next.budget"
                                                                                 : "next.link");
  if (facts.last_seen)
    t["last_seen"] = texts.say("offline.last_seen", {{"when", relative_time(texts, *facts.last_seen, facts.now)}});
  auto shown = neighbours(texts, facts);
  if (!shown.empty()) {
    t["stored_here"] = texts.count("stored.here", std::max<std::uint64_t>(facts.stored_here, shown.size()));
    values.lists["nearby"] = std::move(shown);
  }
  return page.render(values);
}

std::string trouble_page(page_template const& page, page_texts const& texts, page_addresses const& where,
                         trouble_facts const& facts) {
  auto values = common(texts, where, facts.url);
  auto& t = values.texts;
  t["trouble"] = "1";
  t["title"] = texts.say("trouble.title");
  t["headline"] = texts.say("trouble.headline");
  t["why"] = texts.say(key_of(facts.what), {{"host", t["host"]}, {"status", std::to_string(facts.status)}});
  if (facts.copy_of && !facts.copy_url.empty()) {
    t["copy_url"] = facts.copy_url;
    t["copy_age"] = texts.say("trouble.copy", {{"when", relative_time(texts, *facts.copy_of, facts.now)}});
    t["copy_iso"] = iso_time(*facts.copy_of);
  }
  return page.render(values);
}

std::string own_page_policy(std::string_view nonce) {
  std::string const allowed = "'nonce-" + std::string{nonce} + "'";
  return "default-src 'none'; style-src " + allowed + "; script-src " + allowed +
         "; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
}

}  // namespace cistern::proxy
