/// The reader's half of the API: items, what was read and starred, when somebody was last here.

#include "proxy/api/answers.hpp"
#include "proxy/api/api.hpp"
#include "proxy/api/item_list.hpp"
#include "proxy/api/views.hpp"
#include "stitch/feed/text.hpp"
#include "stitch/html/sanitizer.hpp"
#include "store/url.hpp"
#include "sync/savings.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <map>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;
using std::chrono::sys_seconds;

constexpr std::size_t summary_bytes = 280;
constexpr std::size_t most_at_once = 200;
constexpr std::string_view last_here_name = "reader.last_here";  // when the visit before this one ended
constexpr std::string_view active_name = "reader.active";        // the last sign of life
constexpr std::chrono::minutes visit_ends{30};                   // without one

std::string_view state_of(store::item const& item) {
  if (item.state == store::completeness::whole) return "whole";
  if (item.state == store::completeness::partial) return "partly";
  if (!item.page_error.empty()) return "missing";
  return "coming";
}

struct site_names {
  std::map<std::uint64_t, store::subscription> all{};

  explicit site_names(store::repository& kept) {
    static_cast<void>(
        kept.scan<store::subscription>({}, [&](store::subscription const& s) { return all.emplace(s.id, s), true; }));
  }
  [[nodiscard]] std::string title(std::uint64_t id) const {
    auto const at = all.find(id);
    if (at == all.end()) return {};
    return at->second.title.empty() ? at->second.feed_url : at->second.title;
  }
};

json::object row(store::item const& item, site_names const& sites) {
  auto const& text = item.summary.empty() ? item.content : item.summary;
  auto const words = stitch::feed::html_to_text(stitch::feed::clipped(text, 16 << 10));
  auto const line = stitch::feed::clipped(words, summary_bytes);
  auto const title = stitch::feed::html_to_text(item.title, stitch::feed::tags::known);
  return {{"key", item_name(item)},
          {"subscription", item.subscription},
          {"site", sites.title(item.subscription)},
          {"title", title.empty() ? json::value(item.link) : json::value(title)},
          {"link", item.link},
          {"summary", std::string{line} + (line.size() < words.size() ? "…" : "")},
          {"author", item.author},
          {"published", view(item.published.value_or(item.first_seen))},
          {"first_seen", view(item.first_seen)},
          {"state", state_of(item)},
          {"bytes", item.bytes},
          {"parts_wanted", item.parts_wanted},
          {"parts_stored", item.parts_stored},
          {"error", item.page_error},
          {"enclosures", item.enclosures.size()},
          {"gap_before", item.gap_before},
          {"read", item.read},
          {"starred", item.starred}};
}

sys_seconds time_setting(store::repository& kept, std::string_view name) {
  auto const found = kept.get<store::setting>(name);
  auto const number = found && *found ? number_in((*found)->value) : std::nullopt;
  return sys_seconds{std::chrono::seconds{static_cast<std::int64_t>(number.value_or(0))}};
}

store::setting setting_of(std::string_view name, sys_seconds time) {
  return {.name = std::string{name}, .value = std::to_string(time.time_since_epoch().count())};
}

bool in_folder(store::subscription const& feed, std::string const& folder) {
  for (auto const& path : feed.folders)
    if (path == folder || path.starts_with(folder + "/")) return true;
  return false;
}

}  // namespace

/// Of the sites that are asked for.
json::object api::counts_of(std::map<std::uint64_t, site_totals> const& counted,
                            std::optional<std::set<std::uint64_t>> const& wanted) {
  site_totals sum;
  for (auto const& [id, site] : counted) {
    if (wanted && !wanted->contains(id)) continue;
    sum.items += site.items;
    sum.unread += site.unread;
    sum.starred += site.starred;
  }
  return {{"all", sum.items}, {"unread", sum.unread}, {"starred", sum.starred}};
}

net::awaitable<api_answer> api::items(api_request asked, std::string rest) {
  bool const reading = !is_change(asked.method);
  if (rest.empty() && reading) co_return list(query_of(asked.target));
  if (rest == "read" && asked.method == "POST") co_return co_await mark_read(std::move(asked.body));
  auto const key = item_key(rest);
  if (!key) co_return refuse(404, "give an item by its key, as the list of items shows it");
  if (reading) co_return item(*key);
  if (asked.method != "PATCH") co_return refuse(405, "use GET or PATCH");
  co_return co_await mark(*key, std::move(asked.body));
}

api_answer api::list(std::string_view query) {
  site_names const sites{parts_.kept};
  item_filter filter;
  auto const show = query_text(query, "show");
  auto const here = time_setting(parts_.kept, last_here_name);
  if (show == "new" && here != sys_seconds{}) filter.since = here;
  filter.unread = show == "unread" || query_text(query, "unread") == "1";
  filter.starred = show == "starred";
  if (!show.empty() && show != "new" && show != "unread" && show != "starred" && show != "all")
    return refuse(400, "show can be new, unread, starred or all");
  if (auto const day = query_text(query, "day"); !day.empty()) {
    auto const from = day_in(day);
    if (!from) return refuse(400, "write a day as 2026-11-16");
    filter.since = std::max(filter.since.value_or(sys_seconds{}), *from - std::chrono::seconds{1});
    filter.before = *from + std::chrono::days{1};
  }
  if (auto const id = query_number(query, "subscription")) filter.subscriptions = std::set{*id};
  if (auto const folder = query_text(query, "folder"); !folder.empty()) {
    auto& wanted = filter.subscriptions.emplace();
    for (auto const& [id, feed] : sites.all)
      if (in_folder(feed, folder)) wanted.insert(id);
  }
  std::optional<item_cursor> after;
  if (auto const cursor = query_text(query, "cursor"); !cursor.empty()) {
    after = item_cursor::read(cursor);
    if (!after) return refuse(400, "that cursor is not one of ours; start without one");
  }
  auto const limit = std::clamp<std::uint64_t>(query_number(query, "limit").value_or(50), 1, most_at_once);
  auto const page = list_items(parts_.kept, filter, after, limit);
  json::array rows;
  for (auto const& one : page.items) rows.push_back(row(one, sites));
  json::object out{{"items", std::move(rows)}, {"last_here", view(here)}, {"now", view(parts_.wall.now())}};
  if (!after) {  // what one can choose from; once is enough
    auto counted = totals();
    out["counts"] = counts_of(counted, filter.subscriptions);
    json::array places;
    std::set<std::string> folders;
    for (auto const& [id, feed] : sites.all) {
      places.push_back(json::object{{"id", id}, {"title", sites.title(id)}, {"unread", counted[id].unread}});
      folders.insert(feed.folders.begin(), feed.folders.end());
    }
    json::array names;
    for (auto const& name : folders) names.emplace_back(name);
    out["sites"] = std::move(places);
    out["folders"] = std::move(names);
  }
  out["next"] = page.next ? json::value(page.next->text()) : json::value(nullptr);
  return say(out);
}

/// With all its text, made harmless.
api_answer api::item(std::string const& key) {
  auto const found = parts_.kept.get<store::item>(key);
  if (!found || !*found) return refuse(404, "there is no such item");
  auto const& one = **found;
  site_names const sites{parts_.kept};
  auto out = row(one, sites);
  out["content"] = stitch::html::sanitized(one.content.empty() ? one.summary : one.content);
  json::array files, topics;
  for (auto const& url : one.enclosures) files.emplace_back(url);
  for (auto const& topic : one.categories) topics.emplace_back(topic);
  out["files"] = std::move(files);
  out["categories"] = std::move(topics);
  out["image"] = one.image;
  auto const page = parts_.kept.find(one.link);
  out["page_stored"] = page && *page;
  return say(out);
}

/// A star keeps the article whatever else must go.
net::awaitable<api_answer> api::mark(std::string key, std::string body) {
  auto const wish = object_in(body);
  if (!wish) co_return refuse(400, "the body must be a JSON object");
  auto const before = parts_.kept.get<store::item>(key);
  if (!before || !*before) co_return refuse(404, "there is no such item");
  auto const page = parts_.kept.find((*before)->link);
  std::optional<store::object_ref> kept_page;
  if (page && *page) kept_page = (**page).ref;
  auto task = [key, wish = *wish, kept_page](store::write_batch& b) {
    auto one = b.get<store::item>(key);
    if (!one) return false;
    bool const was_starred = one->starred;
    one->read = flag_of(wish, "read", one->read);
    one->starred = flag_of(wish, "starred", one->starred);
    b.put_item(*one);
    if (kept_page && one->starred != was_starred)
      b.set_retention(*kept_page, one->starred ? store::retention::pinned : store::retention::needed);
    return true;
  };
  auto const done = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!done) co_return refuse(507, "it cannot be stored: " + done.error().message());
  if (!*done) co_return refuse(404, "there is no such item");
  count_anew();
  co_return item(key);
}

/// {"keys": [...]}: those.
net::awaitable<api_answer> api::mark_read(std::string body) {
  auto const wish = object_in(body);
  auto const* const names = wish ? wish->if_contains("keys") : nullptr;
  if (!names || !names->is_array() || names->as_array().size() > 1'000)
    co_return refuse(400, "say which, as {\"keys\": [...]}, at most 1000");
  std::vector<std::string> keys;
  for (auto const& name : texts_of(*names))
    if (auto const key = item_key(name)) keys.push_back(*key);
  auto task = [keys](store::write_batch& b) {
    std::uint64_t count = 0;
    for (auto const& key : keys) {
      auto one = b.get<store::item>(key);
      if (!one || one->read) continue;
      one->read = true;
      b.put_item(*one);
      ++count;
    }
    return count;
  };
  auto const done = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!done) co_return refuse(507, "it cannot be stored: " + done.error().message());
  count_anew();
  co_return say(json::object{{"marked", *done}});
}

/// Somebody is here. "New since last time" must not shrink while they read, so the mark moves only when a visit begins:
/// at the first sign of life after half an hour without one. {"caught_up": true} moves it now.
net::awaitable<api_answer> api::here(api_request asked) {
  auto const last = time_setting(parts_.kept, last_here_name);
  if (!is_change(asked.method)) co_return say(json::object{{"last_here", view(last)}});
  auto const wish = object_in(asked.body);
  if (!wish || asked.method != "POST") co_return refuse(400, "POST a JSON object");
  auto const now = parts_.wall.now();
  bool const caught_up = flag_of(*wish, "caught_up", false);
  auto task = [now, caught_up, last](store::write_batch& b) {
    auto mark = last;
    auto const before = b.get<store::setting>(active_name);
    auto const seen = before ? number_in(before->value) : std::nullopt;
    if (seen) {
      sys_seconds const active{std::chrono::seconds{static_cast<std::int64_t>(*seen)}};
      if (now - active > visit_ends) mark = active;
    }
    if (caught_up) mark = now;
    b.put(setting_of(active_name, now));
    if (mark != last) b.put(setting_of(last_here_name, mark));
    return mark;
  };
  auto const done = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!done) co_return refuse(507, "it cannot be stored: " + done.error().message());
  co_return say(json::object{{"last_here", view(*done)}});
}

/// Bytes by day and class, the last `days` days, with a sum a site.
api_answer api::savings(std::string_view query) {
  auto const days = std::clamp<std::uint64_t>(query_number(query, "days").value_or(30), 1, 400);
  auto const today = std::chrono::floor<std::chrono::days>(parts_.wall.now()).time_since_epoch().count();
  auto const first = static_cast<std::uint32_t>(std::max<std::int64_t>(0, today - static_cast<std::int64_t>(days) + 1));
  using tallies = std::array<sync::class_tally, sync::class_count>;
  std::map<std::uint32_t, tallies> by_day;
  std::map<std::uint64_t, sync::class_tally> by_site;
  auto const add = [](sync::class_tally& to, store::ledger_entry const& line) {
    to.received += line.received;
    to.sent += line.sent;
    to.saved += line.saved;
    to.requests += line.requests;
  };
  std::string from;
  store::append_key(from, first);
  static_cast<void>(parts_.kept.scan<store::ledger_entry>(
      {},
      [&](store::ledger_entry const& line) {
        add(by_day[line.day][static_cast<std::size_t>(line.purpose) % sync::class_count], line);
        add(by_site[line.subscription], line);
        return true;
      },
      from));
  site_names const sites{parts_.kept};
  json::array list, places;
  for (auto day = first; day <= static_cast<std::uint32_t>(today); ++day) {
    json::object classes;
    for (std::size_t i = 0; i < sync::class_count; ++i) {
      auto const& t = by_day[day][i];
      classes[sync::class_name(static_cast<store::job_class>(i))] =
          json::object{{"received", t.received}, {"sent", t.sent}, {"saved", t.saved}, {"requests", t.requests}};
    }
    auto const why = sync::savings_of(parts_.kept, day);
    list.push_back(json::object{{"day", view(sys_seconds{std::chrono::days{day}})},
                                {"classes", std::move(classes)},
                                {"saved_by",
                                 {{"stitching", why.stitching},
                                  {"unchanged", why.unchanged},
                                  {"compression", why.compression},
                                  {"known", why.known}}}});
  }
  for (auto const& [id, t] : by_site)
    places.push_back(json::object{{"subscription", id},
                                  {"site", sites.title(id)},
                                  {"received", t.received},
                                  {"saved", t.saved},
                                  {"requests", t.requests}});
  return say(json::object{{"days", std::move(list)}, {"sites", std::move(places)}});
}

}  // namespace cistern::proxy
