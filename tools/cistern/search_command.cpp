#include "proxy/form.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/progress.hpp"
#include "tools/cistern/repository_command.hpp"
#include "tools/cistern/service.hpp"

#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

namespace cistern::tools {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t page_of_results = 100;

struct search_options {
  std::vector<std::string> words{};
  std::string site{};
  std::string since{};
  std::size_t limit = 10;
  bool newest = false;
  bool as_json = false;
  bool rebuild = false;
};

std::string text(json::object const& from, std::string_view name) {
  auto const* const value = from.if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

/// As it was typed: an argument with blanks was in quotes and is a phrase.
std::string query_of(std::vector<std::string> const& words) {
  std::string out;
  for (auto const& word : words) {
    if (!out.empty()) out += ' ';
    bool const phrase = words.size() > 1 && word.find(' ') != word.npos && word.find('"') == word.npos;
    out += phrase ? '"' + word + '"' : word;
  }
  return out;
}

bool is_busy(json::object const& state) {
  return state.at("building").as_bool() || !state.at("ready").as_bool() ||
         state.at("waiting").to_number<std::uint64_t>() > 0;
}

/// Until the index has everything that is stored.
void wait_for_index(service& cistern, std::optional<progress> bar) {
  std::uint64_t most = 0;
  for (;;) {
    auto const state = cistern.call("GET", "/api/v1/search/state");
    if (auto const trouble = text(state, "trouble"); !trouble.empty()) throw std::runtime_error{trouble};
    if (!is_busy(state) || !state.at("enabled").as_bool()) return;
    auto const waiting = state.at("waiting").to_number<std::uint64_t>();
    most = std::max(most, waiting);
    auto const* const of = state.if_contains("of");
    if (bar && of) bar->tell(state.at("done").to_number<std::uint64_t>(), of->to_number<std::uint64_t>());
    if (bar && !of && most > 0) bar->tell(most - waiting, most);
    std::this_thread::sleep_for(100ms);
  }
}

int rebuild(service& cistern) {
  cistern.call("POST", "/api/v1/search/rebuild");
  wait_for_index(cistern, std::optional<progress>{std::in_place, "indexing"});
  auto const state = cistern.call("GET", "/api/v1/search/state");
  std::cout << counted(state.at("documents").to_number<std::uint64_t>(), "document") << " can be found; the index has "
            << rounded_size(state.at("bytes").to_number<std::uint64_t>()) << '\n';
  return done;
}

void print_pieces(json::array const& pieces, bool bold) {
  for (auto const& piece : pieces) {
    bool const mark = bold && piece.at("match").as_bool();
    std::cout << (mark ? "\x1b[1m" : "") << piece.at("text").as_string().c_str() << (mark ? "\x1b[0m" : "");
  }
}

void print(json::object const& hit, bool bold) {
  auto const& title = hit.at("title_parts").as_array();
  if (title.empty())
    std::cout << text(hit, "title");
  else
    print_pieces(title, bold);
  std::cout << "\n  " << text(hit, "date").substr(0, 10) << "  " << text(hit, "site") << "\n  " << text(hit, "url")
            << "\n  ";
  print_pieces(hit.at("snippet").as_array(), bold);
  std::cout << "\n\n";
}

json::array find(service& cistern, search_options const& options) {
  auto target = "/api/v1/search?q=" + proxy::encode_form(query_of(options.words));
  if (!options.site.empty()) target += "&site=" + proxy::encode_form(options.site);
  if (!options.since.empty()) target += "&since=" + proxy::encode_form(options.since);
  if (options.newest) target += "&order=newest";
  json::array out;
  std::string cursor;
  do {
    auto const limit = std::min(page_of_results, options.limit - out.size());
    auto page = target + "&limit=" + std::to_string(limit);
    if (!cursor.empty()) page += "&cursor=" + cursor;
    auto const answer = cistern.call("GET", page);
    for (auto const& hit : answer.at("results").as_array()) out.push_back(hit);
    cursor = text(answer, "next");
  } while (!cursor.empty() && out.size() < options.limit);
  return out;
}

int search(config_sources const& sources, search_options const& options) {
  service cistern{sources};
  if (options.rebuild) return rebuild(cistern);
  bool const watched = ::isatty(STDERR_FILENO) != 0;
  // What was stored while no daemon ran is not in the index yet; a daemon keeps it up to date itself.
  if (!cistern.is_daemon())
    wait_for_index(cistern, watched ? std::optional<progress>{std::in_place, "indexing"} : std::nullopt);
  auto hits = find(cistern, options);
  bool const any = !hits.empty();
  if (options.as_json) {
    std::cout << json::serialize(json::object{{"results", std::move(hits)}}) << '\n';
  } else {
    for (auto const& hit : hits) print(hit.as_object(), ::isatty(STDOUT_FILENO) != 0);
    if (!any) std::cerr << "cistern: nothing that is stored says this; try fewer or shorter words\n";
  }
  return any ? done : failed;
}

}  // namespace

void add_search_command(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("search", "find what is stored by its words");
  auto const options = std::make_shared<search_options>();
  auto const sources = add_repository_options(*command);
  command->add_option("WORDS", options->words, "all must be there; \"a phrase\"; the last may be a beginning");
  command->add_option("--site", options->site, "only from that host and the hosts below it")->type_name("HOST");
  command->add_option("--since", options->since, "only from that day on, as 2026-11-16")->type_name("DATE");
  command->add_option("--limit", options->limit, "how many at most")->type_name("N")->check(CLI::Range(1, 10'000));
  command->add_flag("--newest", options->newest, "newest first, not the best first");
  command->add_flag("--json", options->as_json, "as JSON");
  command->add_flag("--rebuild", options->rebuild, "build the index anew from what is stored");
  command->callback([=, &exit_code] {
    if (options->words.empty() && !options->rebuild) throw CLI::RequiredError{"WORDS"};
    exit_code = search(*sources, *options);
  });
}

}  // namespace cistern::tools
