#include "sync/engine/pass.hpp"

#include <boost/json.hpp>

namespace cistern::sync {
namespace {

constexpr std::size_t failures_named = 50;

namespace json = boost::json;

json::object describe(class_tally const& tally) {
  return {{"done", tally.done}, {"failed", tally.failed}, {"received", tally.received},
          {"sent", tally.sent}, {"saved", tally.saved},   {"requests", tally.requests}};
}

}  // namespace

std::uint64_t pass_record::received() const {
  std::uint64_t sum = 0;
  for (auto const& tally : classes) sum += tally.received;
  return sum;
}

void pass_record::note_failure(std::string url, std::string reason) {
  if (failures.size() < failures_named) failures.push_back({std::move(url), std::move(reason)});
}

std::string to_json(pass_record const& pass) {
  json::object classes;
  for (std::size_t i = 0; i < class_count; ++i)
    if (pass.classes[i].requests + pass.classes[i].done + pass.classes[i].failed > 0)
      classes[class_name(static_cast<store::job_class>(i))] = describe(pass.classes[i]);
  json::array failures;
  for (auto const& failure : pass.failures)
    failures.push_back(json::object{{"url", failure.url}, {"reason", failure.reason}});
  json::object const out{{"began", pass.began.time_since_epoch().count()},
                         {"ended", pass.ended.time_since_epoch().count()},
                         {"why", pass.why},
                         {"link", pass.link},
                         {"ended_by", pass.ended_by},
                         {"received", pass.received()},
                         {"new_items", pass.new_items},
                         {"edited_items", pass.edited_items},
                         {"feeds_unchanged", pass.feeds_unchanged},
                         {"gaps", pass.lost_gaps},
                         {"articles_completed", pass.articles_completed},
                         {"pages_stitched", pass.pages_stitched},
                         {"still_wanted", pass.still_wanted},
                         {"classes", std::move(classes)},
                         {"failures", std::move(failures)}};
  return json::serialize(out);
}

}  // namespace cistern::sync
