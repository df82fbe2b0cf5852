/// The stitch lab's page: pictures of a page before and after, what was learned, and how well it went so far.

#include "proxy/api/answers.hpp"
#include "proxy/dashboard/dashboard.hpp"
#include "proxy/dashboard/line_chart.hpp"
#include "proxy/dashboard/page_facts.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <cmath>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;
namespace json = boost::json;

double number_in(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  json::error_code error;
  auto const number = value ? value->to_number<double>(error) : 0;
  return error ? 0 : number;
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)); }

/// A confidence in words, by the name of its sentence.
std::string_view sure(double confidence) {
  if (confidence >= 0.9) return "lab.sure.very";
  if (confidence >= 0.7) return "lab.sure.quite";
  return confidence >= 0.5 ? "lab.sure.enough" : "lab.sure.not";
}

void add_confidence(page_values& into, double confidence, page_texts const& texts) {
  into.texts["percent"] = percent(confidence);
  into.texts["sure"] = texts.say(sure(confidence));
  into.texts["share"] = std::to_string(confidence);
}

/// Numbered as the heat map numbers them.
void add_regions(page_values& values, json::object const& facts, page_texts const& texts) {
  auto const* const regions = facts.if_contains("regions");
  if (!regions || !regions->is_array()) return;
  auto& rows = values.lists["regions"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& region = regions->as_array()[i].as_object();
    rows[i].texts["number"] = std::to_string(i + 1);
    add_confidence(rows[i], number_in(region, "confidence"), texts);
    auto& fields = rows[i].lists["fields"];
    auto const& known = region.at("fields").as_array();
    for (std::size_t k = 0; k < fields.size(); ++k)
      fields[k].texts["percent"] = percent(number_in(known[k].as_object(), "support"));
  }
}

std::vector<chart_point> points_of(json::object const& facts) {
  std::vector<chart_point> out;
  auto const* const all = facts.if_contains("accuracy");
  if (!all || !all->is_array()) return out;
  for (auto const& entry : all->as_array()) {
    auto const& one = entry.as_object();
    chart_point point{.share = number_in(one, "score")};
    auto const when = text_of(one, "when");
    if (when.size() >= 16) point.label = when.substr(5, 5);
    point.title = percent(point.share) + " %" + (when.empty() ? "" : ", " + when);
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace

net::awaitable<dashboard::reply> dashboard::lab(std::string query) {
  auto const chosen = query_text(query, "subscription");
  std::string list_target = "/api/v1/subscriptions";
  auto const list = co_await ask(std::move(list_target));
  auto values = common("lab");
  add_facts(values, list, texts_, parts_.wall.now());
  auto& sites = values.lists["subscriptions"];
  std::erase_if(sites, [](page_values const& site) { return site.texts.at("homepage").empty(); });
  values.texts["subscriptions.n"] = sites.empty() ? "" : "1";
  for (auto& site : sites) site.texts["chosen"] = site.texts.at("id") == chosen ? "1" : "";
  if (chosen.empty()) co_return show_lab(std::move(values), {});
  auto target = "/api/v1/lab/" + chosen + "?pages=1";
  auto const facts = co_await ask(std::move(target));
  if (!facts.contains("subscription")) co_return message(404, texts_.say("message.no_site"));
  values.texts["site"] = "1";
  co_return show_lab(std::move(values), facts);
}

net::awaitable<dashboard::reply> dashboard::lab_upload(std::string type, std::string body) {
  api_request asked{"POST", "/api/v1/lab?pages=1", std::move(body), std::move(type)};
  auto const made = co_await parts_.interface.answer(std::move(asked));
  json::error_code error;
  auto const facts = json::parse(made.body, error);
  auto values = common("lab");
  values.texts["uploaded"] = "1";
  auto out = show_lab(std::move(values), !error && facts.is_object() ? facts.as_object() : json::object{});
  if (made.status != 200) out.status = made.status;
  co_return out;
}

dashboard::reply dashboard::show_lab(page_values values, json::object const& facts) {
  add_facts(values, facts, texts_, parts_.wall.now());
  add_confidence(values, number_in(facts, "confidence"), texts_);
  add_regions(values, facts, texts_);
  if (auto const* const measured = facts.if_contains("measured"); measured && measured->is_object()) {
    values.texts["measured"] = "1";
    for (auto const* const name : {"score", "items", "order", "words", "outside"})
      values.texts["measured." + std::string{name}] = percent(number_in(measured->as_object(), name));
  }
  if (auto const points = points_of(facts); !points.empty()) {
    values.markup["accuracy_chart"] = draw_shares(points, texts_.say("lab.accuracy"));
    values.texts["measurements"] = texts_.count("lab.measurements", points.size());
  }
  values.texts["looked"] = facts.contains("pages") ? "1" : "";
  values.texts["not_yet"] = facts.contains("snapshots") && !facts.contains("pages") ? "1" : "";
  auto out = show("lab", std::move(values));
  out.pictures = true;
  return out;
}

}  // namespace cistern::proxy
