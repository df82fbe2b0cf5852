/// Search over everything that is stored.

#include "proxy/api/answers.hpp"
#include "proxy/api/api.hpp"
#include "proxy/api/item_list.hpp"
#include "proxy/api/views.hpp"
#include "store/errc.hpp"
#include "sync/http/origin.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

constexpr std::size_t most_at_once = 100;
constexpr std::size_t most_sites = 1000;

json::array view(std::vector<store::text_piece> const& pieces) {
  json::array out;
  for (auto const& piece : pieces) out.push_back(json::object{{"text", piece.text}, {"match", piece.match}});
  return out;
}

std::string joined(std::vector<store::text_piece> const& pieces) {
  std::string out;
  for (auto const& piece : pieces) out += piece.text;
  return out;
}

json::object view(sync::search_state const& state) {
  json::object out{{"enabled", state.enabled}, {"ready", state.ready}, {"documents", state.documents},
                   {"waiting", state.waiting}, {"bytes", state.bytes}, {"building", state.walk.walking},
                   {"trouble", state.trouble}};
  auto const& walk = state.walk;
  if (walk.walking) {
    out["done"] = walk.done;
    out["of"] = walk.of;
    out["percent"] = walk.of == 0 ? 0 : std::min<std::uint64_t>(99, walk.done * 100 / walk.of);
  }
  return out;
}

/// "www.example.org" belongs to "example.org".
bool belongs(std::string_view host, std::string_view site) {
  return host == site ||
         (host.size() > site.size() && host.ends_with(site) && host[host.size() - site.size() - 1] == '.');
}

std::string host_of(store::subscription const& feed) {
  auto const host = sync::host_in(feed.homepage_url);
  return host.empty() ? sync::host_in(feed.feed_url) : host;
}

struct carried_sites {
  std::map<std::string, std::string> by_host{};  // the title that stands for it
  std::map<std::uint64_t, store::subscription> feeds{};

  explicit carried_sites(store::repository& kept) {
    static_cast<void>(kept.scan<store::subscription>({}, [&](store::subscription const& feed) {
      auto const host = host_of(feed);
      if (!host.empty()) by_host.emplace(host, feed.title.empty() ? host : feed.title);
      feeds.emplace(feed.id, feed);
      return feeds.size() < most_sites;
    }));
  }
  [[nodiscard]] std::vector<std::uint64_t> of(std::string_view site) const {
    std::vector<std::uint64_t> out;
    for (auto const& [id, feed] : feeds)
      if (belongs(sync::host_in(feed.homepage_url), site) || belongs(sync::host_in(feed.feed_url), site))
        out.push_back(id);
    return out;
  }
  [[nodiscard]] json::array view() const {
    json::array out;
    for (auto const& [host, title] : by_host) out.push_back(json::object{{"host", host}, {"title", title}});
    return out;
  }
};

/// Nothing when it is gone: the index follows the repository, but a moment later.
std::optional<json::object> row(store::repository& kept, store::search_hit const& hit, carried_sites const& sites) {
  std::optional<store::item> item;
  if (!hit.item.empty())
    if (auto found = kept.get<store::item>(hit.item); found && *found) item = std::move(**found);
  bool page = false;
  if (hit.page)
    if (auto const found = kept.find(hit.url); found && *found) page = true;
  if (!item && !page) return std::nullopt;
  auto const feed = item ? sites.feeds.find(item->subscription) : sites.feeds.end();
  auto const title = joined(hit.title);
  json::object out{{"url", hit.url},
                   {"host", hit.host},
                   {"site", feed == sites.feeds.end() || feed->second.title.empty() ? hit.host : feed->second.title},
                   {"title", title.empty() ? hit.url : title},
                   {"title_parts", view(hit.title)},
                   {"snippet", view(hit.snippet)},
                   {"date", proxy::view(hit.when)},
                   {"page", page}};
  out["item"] = item ? json::value(item_name(*item)) : json::value(nullptr);
  return out;
}

/// A day, or a whole time.
std::optional<std::chrono::sys_seconds> moment_in(std::string_view text) {
  auto const day = day_in(text.substr(0, 10));
  if (!day || text.size() == 10) return day;
  int hour = 0, minute = 0, second = 0;
  if (text.size() != 20 || text.back() != 'Z' ||
      std::sscanf(std::string{text.substr(10)}.c_str(), "T%2d:%2d:%2dZ", &hour, &minute, &second) != 3)
    return std::nullopt;
  return *day + std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

/// The question; nothing when it cannot be asked, and then `why` says why.
std::optional<store::search_question> question_in(std::string_view query, std::string& why) {
  store::search_question out{.words = query_text(query, "q"), .host = query_text(query, "site")};
  std::ranges::transform(out.host, out.host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  for (auto const* const name : {"since", "before"}) {
    auto const text = query_text(query, name);
    if (text.empty()) continue;
    auto const moment = moment_in(text);
    if (!moment)
      return why = std::string{name} + " is a day as 2026-11-16 or a time as 2026-11-16T08:00:00Z", std::nullopt;
    (std::string_view{name} == "since" ? out.since : out.before) = moment;
  }
  auto const order = query_text(query, "order");
  if (!order.empty() && order != "best" && order != "newest") return why = "order can be best or newest", std::nullopt;
  if (order == "newest") out.order = store::search_order::newest;
  if (auto const cursor = query_text(query, "cursor"); !cursor.empty()) {
    out.after = store::search_cursor::read(cursor);
    if (!out.after) return why = "that cursor is none of ours", std::nullopt;
  }
  out.limit = std::clamp<std::size_t>(query_number(query, "limit").value_or(20), 1, most_at_once);
  return out;
}

}  // namespace

net::awaitable<api_answer> api::find(api_request asked, std::string rest) {
  bool const reading = !is_change(asked.method);
  if (!parts_.search) co_return refuse(503, "there is no search here");
  if (rest.empty() && reading) {
    std::string query{query_of(asked.target)};
    co_return co_await find_words(std::move(query));
  }
  if (rest == "state" && reading) co_return say(view(parts_.search->state()));
  if (rest == "rebuild" && asked.method == "POST") {
    if (!parts_.search->state().enabled) co_return refuse(503, "search is off; set search.enabled = true");
    parts_.search->rebuild();
    co_return say(view(parts_.search->state()), 202);
  }
  co_return refuse(404, "there is nothing here; see docs/api.md");
}

net::awaitable<api_answer> api::find_words(std::string query) {
  std::string why;
  auto asked = question_in(query, why);
  if (!asked) co_return refuse(400, why);
  carried_sites const sites{parts_.kept};
  if (!asked->host.empty()) asked->subscriptions = sites.of(asked->host);
  json::object out{{"words", asked->words}, {"index", view(parts_.search->state())}, {"sites", sites.view()}};
  json::array rows;
  out["next"] = nullptr;
  auto question = std::move(*asked);
  auto const found = co_await parts_.search->find(std::move(question));
  if (!found) {
    using store::errc;
    if (found.error() == errc::took_too_long) co_return refuse(503, found.error().message());
    if (found.error() == errc::in_use) co_return refuse(503, "too many are searching at once; try again in a moment");
    // Closed or damaged: it is being made, and the state says so.
  } else {
    for (auto const& hit : found->hits)
      if (auto one = row(parts_.kept, hit, sites)) rows.push_back(std::move(*one));
    if (found->next) out["next"] = found->next->text();
  }
  out["results"] = std::move(rows);
  co_return say(out);
}

}  // namespace cistern::proxy
