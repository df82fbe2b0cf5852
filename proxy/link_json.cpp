#include "proxy/link_json.hpp"

#include <boost/json.hpp>

#include <ctime>

namespace cistern::proxy {
namespace {

char const* word_of(sync::link_state state) {
  if (state == sync::link_state::up) return "up";
  return state == sync::link_state::portal ? "portal" : "down";
}

char const* word_of(sync::link_mode mode) {
  if (mode == sync::link_mode::online) return "online";
  return mode == sync::link_mode::offline ? "offline" : "auto";
}

std::string time_text(std::chrono::sys_seconds moment) {
  auto const since = static_cast<std::time_t>(moment.time_since_epoch().count());
  std::tm civil{};
  char text[32];
  ::gmtime_r(&since, &civil);
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &civil)};
}

}  // namespace

std::string link_json(sync::network_link const& link) {
  boost::json::object out;
  out["state"] = word_of(link.state());
  out["mode"] = word_of(link.mode());
  out["reason"] = link.reason();
  out["since"] = time_text(link.since());
  out["metered"] = link.metered();
  out["name"] = link.name();
  out["in_doubt"] = link.in_doubt();
  out["clock_trouble"] = link.clock_trouble();
  boost::json::array changes;
  for (auto const& change : link.history()) {
    boost::json::object entry;
    entry["when"] = time_text(change.when);
    entry["state"] = word_of(change.state);
    entry["reason"] = change.reason;
    changes.push_back(std::move(entry));
  }
  out["history"] = std::move(changes);
  return boost::json::serialize(out) + "\n";
}

}  // namespace cistern::proxy
