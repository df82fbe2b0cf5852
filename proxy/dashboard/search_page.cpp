/// The page that finds what is stored.

#include "proxy/api/answers.hpp"
#include "proxy/dashboard/dashboard.hpp"
#include "proxy/dashboard/page_facts.hpp"
#include "proxy/form.hpp"
#include "stitch/url.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cstdio>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

struct span_of_time {
  std::string_view name;
  int days;
};
constexpr std::array spans{span_of_time{"day", 1}, span_of_time{"week", 7}, span_of_time{"month", 31},
                           span_of_time{"year", 366}};

/// The day that many days ago, as the API takes it.
std::string since(std::string_view name, std::chrono::sys_seconds now) {
  for (auto const& span : spans) {
    if (span.name != name) continue;
    std::chrono::year_month_day const day{std::chrono::floor<std::chrono::days>(now) -
                                          std::chrono::days{span.days - 1}};
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
    return text.data();
  }
  return {};
}

}  // namespace

net::awaitable<dashboard::reply> dashboard::search(std::string query, std::string host) {
  auto const words = query_text(query, "q");
  auto const site = query_text(query, "site");
  auto const when = query_text(query, "when");
  auto const order = query_text(query, "order") == "newest" ? std::string{"newest"} : std::string{};
  auto const cursor = query_text(query, "cursor");
  auto wanted = "q=" + encode_form(words);
  if (!site.empty()) wanted += "&site=" + encode_form(site);
  if (!order.empty()) wanted += "&order=" + order;
  auto target = "/api/v1/search?limit=20&" + wanted;
  if (auto const day = since(when, parts_.wall.now()); !day.empty()) target += "&since=" + day;
  if (!when.empty()) wanted += "&when=" + encode_form(when);
  if (!cursor.empty()) target += "&cursor=" + encode_form(cursor);
  auto const facts = co_await ask(std::move(target));
  auto values = common("search");
  add_facts(values, facts, texts_, parts_.wall.now());
  bool listed = false;
  for (auto& one : values.lists["sites"]) {
    bool const chosen = text_in(one, "host") == site;
    one.texts["chosen"] = chosen ? "1" : "";
    listed = listed || chosen;
  }
  if (!listed) values.texts["other_site"] = site;
  for (auto& hit : values.lists["results"]) {
    auto const url = text_in(hit, "url");
    auto const there = parts_.door ? parts_.door(url, host) : std::string{};
    auto const open = there.empty() ? url : there;  // on the gateway, where it has a place there
    if (!text_in(hit, "page").empty() && stitch::is_web_url(open)) hit.texts["open"] = open;
    auto const item = text_in(hit, "item");
    hit.texts["read"] = item.empty() ? hit.texts["open"] : "/item/" + item;
  }
  values.texts["words"] = words;
  values.texts["asked"] = words.find_first_not_of(" \t") == words.npos ? "" : "1";
  values.texts["when.is." + when] = "1";
  values.texts["order.is." + order] = "1";
  if (auto const next = text_in(values, "next"); !next.empty())
    values.texts["more"] = "/search?" + wanted + "&cursor=" + encode_form(next);
  co_return show("search", std::move(values));
}

}  // namespace cistern::proxy
