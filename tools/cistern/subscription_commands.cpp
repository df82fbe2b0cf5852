#include "tools/cistern/command.hpp"
#include "tools/cistern/input.hpp"
#include "tools/cistern/repository_command.hpp"
#include "tools/cistern/service.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <stdexcept>

namespace cistern::tools {
namespace {

namespace json = boost::json;

std::string text(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

struct add_options {
  std::vector<std::string> urls;
  std::vector<std::string> folders;
  double weight = 1;
  bool enclosures = false;
  bool no_pages = false;
  bool look_only = false;
};

void show_found(json::object const& answer) {
  auto const* const found = answer.if_contains("subscription");
  if (!found) return;
  auto const& feed = found->as_object();
  auto const title = text(feed, "title");
  std::cout << text(answer, "message") << '\n';
  if (!title.empty()) std::cout << "  title     " << title << '\n';
  std::cout << "  feed      " << text(feed, "feed") << '\n';
  if (auto const home = text(feed, "homepage"); !home.empty()) std::cout << "  homepage  " << home << '\n';
  if (text(answer, "how") != "known")
    std::cout << "  items     " << answer.at("items").to_number<std::uint64_t>() << '\n';
  auto const& others = answer.at("candidates").as_array();
  if (others.size() > 1) {
    std::cout << "  also found:\n";
    for (auto const& other : others)
      if (auto const url = text(other.as_object(), "url"); url != text(feed, "feed"))
        std::cout << "    " << url << "  " << text(other.as_object(), "title") << '\n';
  }
}

int add(config_sources const& sources, add_options const& options) {
  service cistern{sources};
  bool all = true;
  for (auto const& url : options.urls) {
    json::array folders;
    for (auto const& folder : options.folders) folders.emplace_back(folder);
    json::object const wish{{"url", url},
                            {"folders", std::move(folders)},
                            {"weight", options.weight},
                            {"look_only", options.look_only},
                            {"carry", json::object{{"enclosures", options.enclosures}, {"pages", !options.no_pages}}}};
    try {
      show_found(cistern.call("POST", "/api/v1/subscriptions", json::serialize(wish)));
    } catch (std::runtime_error const& why) {
      std::cerr << "cistern: " << why.what() << '\n';
      all = false;
    }
  }
  if (all && !cistern.is_daemon() && !options.look_only)
    std::cout << "No daemon is running: `cistern sync` fetches the articles.\n";
  return all ? done : failed;
}

json::array subscriptions(service& cistern) {
  return cistern.call("GET", "/api/v1/subscriptions").at("subscriptions").as_array();
}

/// By number, address, homepage or title; exactly one must fit.
std::uint64_t find_subscription(json::array const& all, std::string const& wanted) {
  std::vector<std::uint64_t> fitting;
  for (auto const& value : all) {
    auto const& feed = value.as_object();
    auto const id = feed.at("id").to_number<std::uint64_t>();
    auto const same = [&](std::string const& address) {
      return address == wanted || address == wanted + "/" || address == "https://" + wanted + "/";
    };
    if (std::to_string(id) == wanted || same(text(feed, "feed")) || same(text(feed, "homepage")) ||
        text(feed, "title") == wanted)
      fitting.push_back(id);
  }
  if (fitting.empty()) throw std::runtime_error{"not subscribed to \"" + wanted + "\"; see `cistern list`"};
  if (fitting.size() > 1)
    throw std::runtime_error{'"' + wanted + "\" fits several subscriptions; give the number that `cistern list` shows"};
  return fitting.front();
}

int remove(config_sources const& sources, std::vector<std::string> const& wanted) {
  service cistern{sources};
  bool all = true;
  for (auto const& name : wanted) {
    try {
      auto const id = find_subscription(subscriptions(cistern), name);
      cistern.call("DELETE", "/api/v1/subscriptions/" + std::to_string(id));
      std::cout << "removed " << name << '\n';
    } catch (std::runtime_error const& why) {
      std::cerr << "cistern: " << why.what() << '\n';
      all = false;
    }
  }
  return all ? done : failed;
}

int list(config_sources const& sources, bool as_json) {
  service cistern{sources};
  auto const feeds = subscriptions(cistern);
  if (as_json) {
    std::cout << json::serialize(feeds) << '\n';
    return done;
  }
  if (feeds.empty()) std::cout << "Nothing is subscribed to yet; try `cistern add https://example.org`.\n";
  for (auto const& value : feeds) {
    auto const& feed = value.as_object();
    auto const title = text(feed, "title");
    std::cout << std::setw(5) << feed.at("id").to_number<std::uint64_t>() << "  " << std::left << std::setw(8)
              << text(feed, "state") << std::right << "  " << (title.empty() ? text(feed, "feed") : title) << '\n';
    std::cout << "       " << text(feed, "feed") << '\n';
    if (auto const next = text(feed, "next_visit"); !next.empty()) std::cout << "       next visit " << next << '\n';
    if (auto const error = text(feed, "error"); !error.empty()) std::cout << "       " << error << '\n';
  }
  return done;
}

int import(config_sources const& sources, std::string const& file) {
  std::string unreadable;
  auto const document = read_whole(file, 16u << 20, unreadable);
  if (!unreadable.empty()) return fail(unreadable);
  service cistern{sources};
  auto const answer = cistern.call("POST", "/api/v1/opml", document);
  std::cout << "added " << answer.at("added").to_number<std::uint64_t>() << ", known before "
            << answer.at("known").to_number<std::uint64_t>() << '\n';
  auto const& problems = answer.at("problems").as_array();
  for (auto const& problem : problems) std::cerr << "cistern: " << std::string{problem.as_string()} << '\n';
  return problems.empty() ? done : failed;
}

int export_all(config_sources const& sources) {
  service cistern{sources};
  std::cout << cistern.call_raw("GET", "/api/v1/opml").body;
  return done;
}

}  // namespace

void add_subscription_commands(CLI::App& program, int& exit_code) {
  auto* const adding = program.add_subcommand("add", "subscribe to a homepage or a feed; the other is found");
  auto const what = std::make_shared<add_options>();
  auto const add_sources = add_repository_options(*adding);
  adding->add_option("URL", what->urls, "a homepage or a feed")->required();
  adding->add_option("--folder", what->folders, "folder to put it in, as News/Local");
  adding->add_option("--weight", what->weight, "how dear it is, 1 is usual")->check(CLI::Range(0.001, 1000.0));
  adding->add_flag("--enclosures", what->enclosures, "carry what is attached: podcasts, pictures");
  adding->add_flag("--no-pages", what->no_pages, "carry the feed only, not the pages it announces");
  adding->add_flag("--look-only", what->look_only, "say what would be subscribed to");
  adding->callback([=, &exit_code] { exit_code = add(*add_sources, *what); });

  auto* const removing = program.add_subcommand("remove", "end subscriptions");
  auto const gone = std::make_shared<std::vector<std::string>>();
  auto const remove_sources = add_repository_options(*removing);
  removing->add_option("SUBSCRIPTION", *gone, "number, address or title")->required();
  removing->callback([=, &exit_code] { exit_code = remove(*remove_sources, *gone); });

  auto* const listing = program.add_subcommand("list", "what is subscribed to, and how it fares");
  auto const as_json = std::make_shared<bool>(false);
  auto const list_sources = add_repository_options(*listing);
  listing->add_flag("--json", *as_json, "as JSON");
  listing->callback([=, &exit_code] { exit_code = list(*list_sources, *as_json); });

  auto* const importing = program.add_subcommand("import", "subscribe to all feeds of an OPML file");
  auto const file = std::make_shared<std::string>();
  auto const import_sources = add_repository_options(*importing);
  importing->add_option("FILE", *file, "an OPML file; - is standard input")->required();
  importing->callback([=, &exit_code] { exit_code = import(*import_sources, *file); });

  auto* const exporting = program.add_subcommand("export", "print all subscriptions as OPML");
  auto const export_sources = add_repository_options(*exporting);
  auto const as_opml = std::make_shared<bool>(true);
  exporting->add_flag("--opml", *as_opml, "as OPML, which is the only form there is");
  exporting->callback([=, &exit_code] { exit_code = export_all(*export_sources); });
}

}  // namespace cistern::tools
