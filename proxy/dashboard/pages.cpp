/// What each of the dashboard's pages shows.

#include "proxy/api/answers.hpp"
#include "proxy/dashboard/bar_chart.hpp"
#include "proxy/dashboard/dashboard.hpp"
#include "proxy/dashboard/page_facts.hpp"
#include "proxy/dashboard/reading.hpp"
#include "proxy/dashboard/rhythm_chart.hpp"
#include "proxy/form.hpp"
#include "proxy/status_page.hpp"
#include "stitch/site.hpp"
#include "stitch/url.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <array>
#include <cmath>
#include <cstdlib>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

constexpr std::size_t sites_a_page = 40;

/// The list's days: a heading before the first item of each.
void add_days(page_values& values) {
  std::string day;
  for (auto& item : values.lists["items"]) {
    auto const seen = text_in(item, "first_seen").substr(0, 10);
    item.texts["day"] = seen != day ? seen : std::string{};
    day = seen;
  }
}

/// Leaves `count` entries from `from` on; says how many there are behind them.
std::size_t keep_page(json::array& all, std::size_t from, std::size_t count) {
  from = std::min(from, all.size());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
  auto const rest = all.size() - std::min(count, all.size());
  all.resize(all.size() - rest);
  return rest;
}

week_hour hour_of_week(std::chrono::sys_seconds time) {
  auto const day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::weekday{day}.iso_encoding() - 1,
          static_cast<unsigned>(std::chrono::floor<std::chrono::hours>(time - day).count())};
}

std::uint64_t sum_of(json::object const& classes, std::string_view name) {
  std::uint64_t out = 0;
  for (auto const& [kind, tally] : classes) out += tally.at(name).to_number<std::uint64_t>();
  return out;
}

/// Nothing can be promised for a time that is past.
void drop_past_promises(page_values& values, std::chrono::sys_seconds now) {
  for (auto& site : values.lists["subscriptions"]) {
    auto const until = read_time(text_in(site, "safe_offline_until"));
    if (!until || *until > now) continue;
    site.texts["safe_offline_until"].clear();
    site.texts["loses_offline"] = "1";
  }
}

/// "asked for" as a class of the style sheet.
std::string style_of(std::string_view kind) {
  std::string out{"of-"};
  for (char const c : kind) out += c == ' ' ? '-' : c;
  return out;
}

/// On the gateway, where it has a place there; else at its own address.
std::string opened(dashboard::parts const& parts, std::string const& link, std::string_view host) {
  auto const there = parts.door ? parts.door(link, host) : std::string{};
  return there.empty() ? link : there;
}

}  // namespace

net::awaitable<dashboard::reply> dashboard::page(std::string path, std::string query, std::string host) {
  if (path == "/") co_return co_await new_items(std::move(query), std::move(host));
  if (path == "/sites") co_return co_await sites(std::move(query), std::move(host));
  if (path.starts_with("/rhythm/")) {
    auto id = path.substr(8);
    co_return co_await rhythm(std::move(id));
  }
  if (path == "/sync") co_return co_await sync_state();
  if (path == "/savings") co_return co_await savings();
  if (path == "/search") co_return co_await search(std::move(query), std::move(host));
  if (path == "/lab") co_return co_await lab(std::move(query));
  if (path == "/setup") co_return co_await set_up(std::move(host));
  if (path == "/login") {
    auto values = common("login");
    co_return show("login", std::move(values));
  }
  if (path.starts_with("/item/")) {
    auto key = path.substr(6);
    co_return co_await reading_view(std::move(key), std::move(host));
  }
  co_return message(404, texts_.say("message.nothing"));
}

net::awaitable<dashboard::reply> dashboard::new_items(std::string query, std::string host) {
  auto choice = query_text(query, "show");
  if (choice.empty()) choice = "new";
  auto const folder = query_text(query, "folder"), site_id = query_text(query, "subscription");
  std::string only;  // what stays when another list is chosen
  for (auto const* const name : {"folder", "subscription", "day"})
    if (auto const value = query_text(query, name); !value.empty())
      only += '&' + std::string{name} + '=' + encode_form(value);
  auto const wanted = "show=" + encode_form(choice) + only;
  auto target = "/api/v1/items?limit=40&" + wanted;
  auto const cursor = query_text(query, "cursor");
  if (!cursor.empty()) target += "&cursor=" + encode_form(cursor);
  auto const facts = co_await ask(std::move(target));
  auto values = common("new");
  add_facts(values, facts, texts_, parts_.wall.now());
  add_days(values);
  for (auto& item : values.lists["items"]) {
    auto const link = text_in(item, "link");
    item.texts["open"] = opened(parts_, link, host);
    if (!stitch::is_web_url(item.texts["open"])) item.texts["open"].clear();
  }
  values.texts["place"] = folder;
  for (auto& site : values.lists["sites"]) {
    bool const chosen = text_in(site, "id") == site_id;
    site.texts["chosen"] = chosen ? "1" : "";
    if (chosen) values.texts["place"] = text_in(site, "title");
  }
  for (auto& entry : values.lists["folders"]) {
    entry.texts["coded"] = encode_form(text_in(entry, "value"));
    entry.texts["chosen"] = text_in(entry, "value") == folder ? "1" : "";
  }
  values.texts["show.is." + choice] = "page";
  values.texts["show"] = choice;
  values.texts["only"] = only;
  values.texts["later"] = cursor.empty() ? "" : "1";
  values.texts["query"] = wanted;
  if (auto const next = text_in(values, "next"); !next.empty())
    values.texts["more"] = "/?" + wanted + "&cursor=" + encode_form(next);
  values.texts["nothing_carried"] = values.lists["sites"].empty() && cursor.empty() ? "1" : "";
  co_return show("new", std::move(values));
}

net::awaitable<dashboard::reply> dashboard::reading_view(std::string key, std::string host) {
  auto target = "/api/v1/items/" + key;
  auto const facts = co_await ask(std::move(target));
  if (!facts.contains("key")) co_return message(404, texts_.say("message.no_item"));
  auto values = common("item");
  add_facts(values, facts, texts_, parts_.wall.now());
  auto const link = text_in(values, "link");
  values.markup["text"] = reading_text(text_in(values, "content"), link);
  values.texts["open"] = opened(parts_, link, host);
  if (!stitch::is_web_url(values.texts["open"])) values.texts["open"].clear();
  co_return show("item", std::move(values));
}

/// Where this site can be read from here, and how it fares by the other door.
void dashboard::add_doors(page_values& site, std::string_view host) const {
  auto const homepage = text_in(site, "homepage");
  auto const url = homepage.empty() ? text_in(site, "feed") : homepage;
  if (parts_.door) site.texts["gateway"] = parts_.door(url, host);
  auto const read_at = text_in(site, "gateway").empty() ? homepage : text_in(site, "gateway");
  site.texts["read_at"] = stitch::is_web_url(read_at) ? read_at : std::string{};
  bool const plain = url.starts_with("http:");
  auto const name = std::string{stitch::host_of(url)};
  auto const standing = plain || !parts_.through_proxy ? std::string{"plain"} : parts_.through_proxy(name);
  site.texts["standing"] = standing;
  site.texts["through_proxy"] = texts_.say("door." + standing);
}

net::awaitable<dashboard::reply> dashboard::sites(std::string query, std::string host) {
  std::string target = "/api/v1/subscriptions";
  auto facts = co_await ask(std::move(target));
  auto values = common("sites");
  auto const from = query_number(query, "from").value_or(0);
  if (auto* const all = facts.if_contains("subscriptions"); all && all->is_array()) {
    auto const rest = keep_page(all->as_array(), from, sites_a_page);
    if (rest > 0) values.texts["more"] = "/sites?from=" + std::to_string(from + sites_a_page);
  }
  values.texts["later"] = from > 0 ? "1" : "";
  add_facts(values, facts, texts_, parts_.wall.now());
  drop_past_promises(values, parts_.wall.now());
  for (auto& site : values.lists["subscriptions"]) {
    add_doors(site, host);
    if (auto const share = text_in(site, "stitch_accuracy"); !share.empty())
      site.texts["accuracy"] = std::to_string(std::lround(std::strtod(share.c_str(), nullptr) * 100));
  }
  co_return show("sites", std::move(values));
}

net::awaitable<dashboard::reply> dashboard::rhythm(std::string id) {
  auto target = "/api/v1/subscriptions/" + id + "/rhythm";
  auto const facts = co_await ask(std::move(target));
  if (!facts.contains("posts")) co_return message(404, texts_.say("message.no_site"));
  auto values = common("rhythm");
  add_facts(values, facts, texts_, parts_.wall.now());
  rhythm_facts week{.posts_word = texts_.say("rhythm.posts"),
                    .visit_word = texts_.say("rhythm.visit"),
                    .next_word = texts_.say("rhythm.next_visit")};
  auto const& posts = facts.at("posts").as_array();
  for (std::size_t day = 0; day < week.posts.size() && day < posts.size(); ++day) {
    week.days[day] = texts_.say("rhythm.day." + std::to_string(day));
    auto const& hours = posts[day].as_array();
    for (std::size_t hour = 0; hour < week.posts[day].size() && hour < hours.size(); ++hour)
      week.posts[day][hour] = hours[hour].to_number<std::uint64_t>();
  }
  auto const& visits = values.lists["visits"];
  for (auto const& planned : visits)
    if (auto const visit = read_time(text_in(planned, "value"))) week.visits.push_back(hour_of_week(*visit));
  values.texts["planned"] = texts_.count("rhythm.planned", visits.size());
  values.markup["week"] = draw_week(week, texts_.say("rhythm.chart"));
  co_return show("rhythm", std::move(values));
}

net::awaitable<dashboard::reply> dashboard::savings() {
  std::string target = "/api/v1/savings?days=30";
  auto const facts = co_await ask(std::move(target));
  auto values = common("savings");
  add_facts(values, facts, texts_, parts_.wall.now());
  std::vector<bar> received, saved;
  std::uint64_t all_received = 0, all_saved = 0;
  std::vector<std::pair<std::string, std::uint64_t>> by_class;  // in the order of the classes
  std::map<std::string, std::uint64_t> by_reason;
  if (auto const* const days = facts.if_contains("days"); days && days->is_array()) {
    for (auto const& entry : days->as_array()) {
      auto const& classes = entry.at("classes").as_object();
      std::string const day{std::string_view{entry.at("day").as_string()}.substr(0, 10)};
      auto const in = sum_of(classes, "received"), not_in = sum_of(classes, "saved");
      bar one{.day = day, .title = day + ": " + readable_bytes(in)};
      std::size_t at = 0;
      for (auto const& [kind, tally] : classes) {
        auto const bytes = tally.at("received").to_number<std::uint64_t>();
        one.parts.push_back({style_of(kind), bytes});
        if (by_class.size() == at) by_class.emplace_back(kind, 0);
        by_class[at++].second += bytes;
      }
      received.push_back(std::move(one));
      bar why{.day = day, .title = day + ": " + readable_bytes(not_in)};
      auto rest = not_in;  // counted before reasons were
      for (auto const& [reason, bytes] : entry.at("saved_by").as_object()) {
        auto const value = bytes.to_number<std::uint64_t>();
        why.parts.push_back({"by-" + std::string{reason}, value});
        by_reason[reason] += value;
        rest -= std::min(rest, value);
      }
      why.parts.push_back({"of-saved", rest});
      saved.push_back(std::move(why));
      all_received += in;
      all_saved += not_in;
    }
  }
  values.markup["received_chart"] = draw_bars(received, texts_.say("savings.received_chart"));
  values.markup["saved_chart"] = draw_bars(saved, texts_.say("savings.saved_chart"));
  values.texts["received"] = readable_bytes(all_received);
  values.texts["saved"] = readable_bytes(all_saved);
  auto const whole = all_received + all_saved;
  values.texts["share"] = whole == 0 ? "0" : std::to_string(all_saved * 100 / whole);
  for (auto const& [kind, bytes] : by_class) {
    if (bytes == 0) continue;
    auto& row = values.lists["kinds"].emplace_back();
    row.texts = {{"kind", texts_.say("class." + kind)}, {"style", style_of(kind)}, {"size", readable_bytes(bytes)}};
  }
  for (auto const* const reason : {"stitching", "unchanged", "compression", "known"}) {
    auto& row = values.lists["reasons"].emplace_back();
    std::string const name{reason};
    row.texts = {{"reason", texts_.say("saved_by." + name)},
                 {"explained", texts_.say("saved_by." + name + ".why")},
                 {"style", "by-" + name},
                 {"size", readable_bytes(by_reason[name])}};
  }
  co_return show("savings", std::move(values));
}

net::awaitable<dashboard::reply> dashboard::set_up(std::string host) {
  std::string target = "/api/v1/status";
  auto const facts = co_await ask(std::move(target));
  auto values = common("setup");
  add_facts(values, facts, texts_, parts_.wall.now());
  values.texts["host"] = host.empty() ? "localhost:8910" : host;
  auto const check = "https://" + std::string{authority::check_host} + "/.well-known/cistern/here";
  if (parts_.door) values.texts["gateway_check"] = parts_.door(check, values.texts["host"]);
  std::string settings_target = "/api/v1/settings";
  auto const settings = co_await ask(std::move(settings_target));
  add_facts(values, settings, texts_, parts_.wall.now());
  co_return show("setup", std::move(values));
}

}  // namespace cistern::proxy
