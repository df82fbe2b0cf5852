/// What the API says about itself: the settings in force, and a report for whoever is asked for help.

#include "proxy/api/answers.hpp"
#include "proxy/api/api.hpp"
#include "proxy/api/views.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace cistern::proxy {
namespace {

namespace json = boost::json;

constexpr std::size_t passes_told = 50;

json::array lines_of(std::vector<known_setting> const& settings) {
  json::array out;
  for (auto const& s : settings)
    out.push_back(json::object{{"name", s.name}, {"value", s.value}, {"meaning", s.meaning}, {"changed", s.changed}});
  return out;
}

/// What a pass did, without what it fetched: addresses and the reasons that may contain them stay here.
json::object without_addresses(store::journal_entry const& entry) {
  json::object out{{"when", view(entry.when)}, {"what", entry.what}};
  json::error_code error;
  auto const details = json::parse(entry.details, error);
  if (error || !details.is_object()) return out;
  for (auto const& [name, value] : details.as_object()) {
    if (value.is_number() || value.is_bool()) out[name] = value;
    if (name == "failures" && value.is_array()) out[name] = value.as_array().size();
  }
  return out;
}

}  // namespace

api_answer api::settings() { return say(json::object{{"settings", lines_of(parts_.settings)}}); }

/// Numbers, states and settings: no address, no title, no text, no name of a machine.
api_answer api::diagnostics() {
  json::object out{{"version", parts_.version}, {"now", view(parts_.wall.now())}};
  if (auto const usage = parts_.kept.measure()) out["store"] = view(*usage);
  auto link = view(parts_.link);
  json::object known;
  for (auto const* const name : {"state", "mode", "since", "metered"})
    if (auto const* const value = link.if_contains(name)) known[name] = *value;
  out["link"] = std::move(known);
  if (parts_.spending) out["budget"] = view(*parts_.spending);
  auto const sync = parts_.engine.status();
  out["passes"] = sync.passes;
  json::object waiting;
  for (std::size_t i = 0; i < sync::class_count; ++i)
    waiting[sync::class_name(static_cast<store::job_class>(i))] = sync.waiting[i];
  out["waiting"] = std::move(waiting);

  json::array sites;
  static_cast<void>(parts_.kept.scan<store::subscription>({}, [&](store::subscription const& feed) {
    sites.push_back(json::object{{"id", feed.id},
                                 {"last_visit", view(feed.last_visit)},
                                 {"last_status", feed.last_status},
                                 {"failures", feed.failures},
                                 {"gone", feed.gone},
                                 {"paused", feed.paused},
                                 {"shows", feed.capacity},
                                 {"feed_bytes", feed.whole_bytes},
                                 {"homepage_bytes", feed.homepage_bytes}});
    return true;
  }));
  out["sites"] = std::move(sites);
  json::array journal;
  static_cast<void>(parts_.kept.scan_back<store::journal_entry>({}, [&](store::journal_entry const& entry) {
    journal.push_back(without_addresses(entry));
    return journal.size() < passes_told;
  }));
  std::ranges::reverse(journal);  // as it happened
  out["journal"] = std::move(journal);
  json::array settings;
  for (auto const& s : parts_.settings) {
    bool const plain = s.value.find('"') == s.value.npos;  // numbers and switches; texts may be names and paths
    if (s.changed) settings.push_back(json::object{{"name", s.name}, {"value", plain ? s.value : "(set)"}});
  }
  out["settings"] = std::move(settings);
  return say(out);
}

}  // namespace cistern::proxy
