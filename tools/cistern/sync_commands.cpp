#include "tools/cistern/command.hpp"
#include "tools/cistern/repository_command.hpp"
#include "tools/cistern/service.hpp"
#include "tools/cistern/sync_display.hpp"

#include <boost/json/serialize.hpp>

#include <iomanip>
#include <iostream>

namespace cistern::tools {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto longest_indexing = 60s;

std::string text(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

bool flag(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

/// "12 MB today of 50 MB", and what waits for it.
void print_budget(json::object const& budget) {
  auto const line = [&](char const* name, char const* limit, char const* words) {
    auto const* const most = budget.if_contains(limit);
    if (!most || most->is_null()) return;
    std::cout << "budget         " << rounded_size(budget.at(name).to_number<std::uint64_t>()) << ' ' << words << " of "
              << rounded_size(most->to_number<std::uint64_t>()) << '\n';
  };
  line("today", "today_limit", "today");
  line("month", "month_limit", "this month");
  auto const* const paused = budget.if_contains("paused");
  if (!paused) return;
  for (auto const& [name, why] : paused->as_object())
    std::cout << "paused         " << name << ": " << std::string_view{why.as_string()} << '\n';
}

std::uint64_t count_of(json::value const& value) { return value.to_number<std::uint64_t>(); }

int dry_run(service& cistern) {
  auto const answer = cistern.call("POST", "/api/v1/sync", R"({"dry_run": true})");
  for (auto const& value : answer.at("would_fetch").as_array()) {
    auto const& thing = value.as_object();
    std::cout << std::left << std::setw(11) << text(thing, "class") << std::right << std::setw(10)
              << rounded_size(count_of(thing.at("bytes"))) << "  " << text(thing, "url") << '\n';
  }
  std::cout << "about " << rounded_size(count_of(answer.at("bytes"))) << " for "
            << counted(answer.at("would_fetch").as_array().size(), "request") << '\n';
  return done;
}

int pause(service& cistern, bool paused) {
  cistern.call("PATCH", "/api/v1/sync", paused ? R"({"paused": true})" : R"({"paused": false})");
  std::cout << (paused ? "Sync is paused: only what people wait for is fetched.\n" : "Sync goes on.\n");
  return done;
}

struct sync_wishes {
  bool wait = false, dry = false, pause = false, resume = false;
};

int sync(config_sources const& sources, sync_wishes const& wish) {
  service cistern{sources};
  if (wish.dry) return dry_run(cistern);
  if (wish.pause || wish.resume) return pause(cistern, wish.pause);
  if (cistern.call("GET", "/api/v1/sync").at("sync").at("paused").as_bool())
    throw std::runtime_error{"sync is paused; `cistern sync --resume` lets it go on"};
  if (!wish.wait && cistern.is_daemon()) {
    cistern.call("POST", "/api/v1/sync");
    std::cout << "A pass begins; `cistern status` shows how it goes.\n";
    return done;
  }
  sync_display display;
  auto const end = cistern.pass([&](json::object const& status) { display.show(status); });
  display.finish(end);
  // Else the next pass would have to do it, and nothing would be found before.
  if (cistern.finish_index(1s)) return done;
  std::cout << "making what is new searchable" << std::endl;
  if (!cistern.finish_index(longest_indexing)) std::cout << "the next pass goes on with that\n";
  return done;
}

int status(config_sources const& sources, bool as_json) {
  service cistern{sources};
  auto const now = cistern.call("GET", "/api/v1/status");
  if (as_json) {
    std::cout << json::serialize(now) << '\n';
    return done;
  }
  auto const& link = now.at("link").as_object();
  auto const& engine = now.at("sync").as_object();
  std::cout << "link           " << text(link, "state")
            << (text(link, "mode") == "auto" ? "" : " (forced " + text(link, "mode") + ")");
  if (auto const reason = text(link, "reason"); !reason.empty() && text(link, "mode") == "auto")
    std::cout << ": " << reason;
  std::cout << (flag(link, "metered") ? ", metered" : "") << '\n';
  if (auto const trouble = text(link, "clock_trouble"); !trouble.empty())
    std::cout << "clock          " << trouble << '\n';
  std::cout << "daemon         " << (cistern.is_daemon() ? "running" : "not running") << '\n';
  std::cout << "subscriptions  " << count_of(now.at("subscriptions")) << '\n';
  std::cout << "items          " << count_of(now.at("items")) << '\n';
  std::cout << "queued         " << count_of(now.at("queued")) << '\n';
  if (auto const* const store = now.if_contains("store")) {
    std::cout << "stored         " << counted(count_of(store->at("objects")), "object") << ", "
              << rounded_size(count_of(store->at("used_bytes"))) << " of " << rounded_size(count_of(store->at("quota")))
              << '\n';
    if (auto const problem = text(store->as_object(), "problem"); !problem.empty())
      std::cout << "problem        " << problem << '\n';
  }
  if (auto const* const budget = now.if_contains("budget")) print_budget(budget->as_object());
  bool const paused = engine.at("paused").as_bool();
  std::cout << "sync           "
            << (paused                           ? "paused (`cistern sync --resume` lets it go on)"
                : engine.at("passing").as_bool() ? "a pass is under way"
                                                 : "at rest");
  if (auto const next = text(engine, "next_feed"); !next.empty() && !paused) std::cout << ", next feed " << next;
  std::cout << '\n';
  auto const entries = cistern.call("GET", "/api/v1/journal?limit=1").at("entries").as_array();
  if (!entries.empty() && entries.front().at("details").is_object())
    std::cout << "last pass      " << summary_of(entries.front().at("details").as_object()) << '\n';
  return done;
}

int queue(config_sources const& sources, bool as_json) {
  service cistern{sources};
  auto const answer = cistern.call("GET", "/api/v1/queue?limit=1000");
  if (as_json) {
    std::cout << json::serialize(answer) << '\n';
    return done;
  }
  for (auto const& value : answer.at("jobs").as_array()) {
    auto const& job = value.as_object();
    std::cout << std::setw(6) << count_of(job.at("id")) << "  " << std::left << std::setw(11) << text(job, "class")
              << std::right << text(job, "url");
    if (auto const error = text(job, "error"); !error.empty())
      std::cout << "  (" << count_of(job.at("attempts")) << " tries, " << error << ')';
    std::cout << '\n';
  }
  std::cout << counted(count_of(answer.at("total")), "job") << " waiting\n";
  return done;
}

}  // namespace

void add_sync_commands(CLI::App& program, int& exit_code) {
  auto* const passing = program.add_subcommand("sync", "one pass now: feeds, the pages they announce, what those need");
  auto const wish = std::make_shared<sync_wishes>();
  auto const sync_sources = add_repository_options(*passing);
  passing->add_flag("--wait", wish->wait, "until it is done, with its progress");
  passing->add_flag("--dry-run", wish->dry, "say what would be fetched and about how many bytes that would cost");
  auto* const pausing = passing->add_flag("--pause", wish->pause, "fetch only what people wait for, until --resume");
  passing->add_flag("--resume", wish->resume, "let it go on")->excludes(pausing);
  passing->callback([=, &exit_code] { exit_code = sync(*sync_sources, *wish); });

  auto* const asking = program.add_subcommand("status", "what is going on");
  auto const as_json = std::make_shared<bool>(false);
  auto const status_sources = add_repository_options(*asking);
  asking->add_flag("--json", *as_json, "as JSON");
  asking->callback([=, &exit_code] { exit_code = status(*status_sources, *as_json); });

  auto* const waiting = program.add_subcommand("queue", "what is waiting to be fetched");
  auto const queue_json = std::make_shared<bool>(false);
  auto const queue_sources = add_repository_options(*waiting);
  waiting->add_flag("--json", *queue_json, "as JSON");
  waiting->callback([=, &exit_code] { exit_code = queue(*queue_sources, *queue_json); });
}

}  // namespace cistern::tools
