#include "proxy/fetch_api.hpp"

#include "proxy/form.hpp"
#include "store/url.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace cistern::proxy {
namespace {

std::string_view name_of(sync::fetcher::phase phase) {
  switch (phase) {
    case sync::fetcher::phase::fetching:
      return "fetching";
    case sync::fetcher::phase::waiting:
      return "waiting";
    case sync::fetcher::phase::complete:
      return "complete";
    case sync::fetcher::phase::failed:
      break;
  }
  return "failed";
}

std::string refusal(std::string_view sentence) {
  return boost::json::serialize(boost::json::object{{"error", sentence}}) + '\n';
}

std::string described(std::optional<sync::fetcher::state> const& state) {
  boost::json::object out;
  out["state"] = state ? name_of(state->now) : "none";
  if (state) {
    out["have"] = state->have;
    if (state->total) out["total"] = *state->total;
    if (!state->why.empty()) out["why"] = state->why;
    if (state->next_try.count() > 0) out["next_try_ms"] = state->next_try.count();
    if (!state->final_url.empty()) out["final_url"] = state->final_url;
    out["attempts"] = state->attempts;
  }
  return boost::json::serialize(out) + '\n';
}

}  // namespace

fetch_reply answer_fetch(sync::fetcher& desk, std::string_view method, std::string_view target) {
  auto const mark = target.find('?');
  auto const query = mark == target.npos ? std::string_view{} : target.substr(mark + 1);
  auto const url = store::normalise_url(form_field(query, "url"));
  if (!url) return {400, refusal("Say which http or https address: ?url=ADDRESS.")};
  if (method == "DELETE") {
    desk.leave(*url);
  } else if (method == "POST") {
    if (!desk.want(*url)) return {503, refusal("Too much is wanted at once; try again later.")};
  } else if (method != "GET" && method != "HEAD") {
    return {405, refusal("Use GET, POST or DELETE.")};
  }
  return {200, described(desk.look(*url))};
}

}  // namespace cistern::proxy
