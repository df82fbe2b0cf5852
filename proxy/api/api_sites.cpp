/// What the API adds to each site: how much of it is here, how well it is stitched, and when it posts.

#include "proxy/api/answers.hpp"
#include "proxy/api/api.hpp"
#include "proxy/api/views.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto totals_last = 15s;  // counting walks over all items
constexpr std::size_t recent = 3;  // measurements that tell how well a page is stitched now

/// Of the last measurements, as sync weighs them; nothing while there is none.
std::optional<double> accuracy_of(store::repository& kept, std::string const& homepage) {
  if (homepage.empty()) return std::nullopt;
  store::page_template named{};
  named.url_digest = kept.url_digest(homepage);
  auto const learned = kept.get<store::page_template>(named.key());
  if (!learned || !*learned || (*learned)->accuracy.empty()) return std::nullopt;
  auto const& all = (*learned)->accuracy;
  auto const count = std::min(recent, all.size());
  double sum = 0;
  for (std::size_t i = all.size() - count; i < all.size(); ++i) sum += all[i];
  return sum / static_cast<double>(count);
}

}  // namespace

std::map<std::uint64_t, api::site_totals> api::totals() {
  std::scoped_lock const lock{totals_mutex_};
  auto const now = std::chrono::steady_clock::now();
  if (totals_until_ > now) return totals_;
  totals_.clear();
  static_cast<void>(parts_.kept.scan_items_back(std::chrono::sys_seconds::max(), [&](store::listed_item const& item) {
    auto& site = totals_[item.subscription];
    ++site.items;
    site.bytes += item.seen.bytes;
    site.unread += !item.seen.read;
    site.starred += item.seen.starred;
    return true;
  }));
  totals_until_ = now + totals_last;
  return totals_;
}

/// A reader who changed something wants to see that it counts.
void api::count_anew() {
  std::scoped_lock const lock{totals_mutex_};
  totals_until_ = {};
}

void api::add_totals(json::object& site, store::subscription const& feed,
                     std::map<std::uint64_t, site_totals> const& all) {
  auto const at = all.find(feed.id);
  site["items"] = at == all.end() ? 0 : at->second.items;
  site["bytes"] = at == all.end() ? 0 : at->second.bytes;
  site["unread"] = at == all.end() ? 0 : at->second.unread;
  auto const accuracy = accuracy_of(parts_.kept, feed.homepage_url);
  site["stitch_accuracy"] = accuracy ? json::value(*accuracy) : json::value(nullptr);
}

/// Posts by weekday and hour (UTC, Monday first) and the visits that are planned for the coming week.
net::awaitable<api_answer> api::rhythm(std::uint64_t id) {
  store::subscription named{};
  named.id = id;
  auto const feed = parts_.kept.get<store::subscription>(named.key());
  if (!feed || !*feed) co_return refuse(404, "there is no such subscription");
  std::array<std::array<std::uint64_t, 24>, 7> posts{};
  std::uint64_t all = 0;
  std::string prefix;
  store::append_key(prefix, id);
  static_cast<void>(parts_.kept.scan<store::item>(prefix, [&](store::item const& item) {
    auto const when = item.published.value_or(item.first_seen);
    auto const day = std::chrono::floor<std::chrono::days>(when);
    auto const hour = std::chrono::floor<std::chrono::hours>(when - day).count();
    ++posts[std::chrono::weekday{day}.iso_encoding() - 1][static_cast<std::size_t>(hour)];
    return ++all < 100'000;
  }));
  json::array days;
  for (auto const& day : posts) days.push_back(json::array(day.begin(), day.end()));
  auto looking = parts_.engine.look_ahead_all();
  auto const ahead = co_await net::co_spawn(parts_.engine.executor(), std::move(looking), net::use_awaitable);
  auto const at = ahead.find(id);
  auto const outlook = at == ahead.end() ? std::nullopt : std::optional{at->second};
  auto planning = parts_.engine.visits_ahead(id, parts_.wall.now() + std::chrono::days{7});
  auto const visits = co_await net::co_spawn(parts_.engine.executor(), std::move(planning), net::use_awaitable);
  json::array planned;
  for (auto const visit : visits) planned.push_back(view(visit));
  co_return say(json::object{{"subscription", view(**feed, outlook)},
                             {"posts", std::move(days)},
                             {"total", all},
                             {"visits", std::move(planned)}});
}

}  // namespace cistern::proxy
