#include "tools/cistern/opml_command.hpp"

#include "stitch/feed/opml.hpp"
#include "stitch/url.hpp"
#include "tools/cistern/input.hpp"

#include <iostream>
#include <memory>
#include <set>
#include <string>

namespace cistern::tools {
namespace {

namespace feed = stitch::feed;

// One line a feed with its folders, then what the file holds and what will not be subscribed to.
int check(std::string const& file) {
  std::string problem;
  auto const bytes = read_whole(file, 32U << 20, problem);
  if (!problem.empty()) return fail(problem);
  auto const document = feed::parse_opml(bytes);
  if (!document) return fail(name_of_input(file) + " is " + document.error().message());
  auto const list = feed::subscriptions(*document);
  std::set<std::string> urls;
  std::size_t unusable = 0;
  for (auto const& each : list) {
    std::string path;
    for (auto const& folder : each.folders) path += folder + '/';
    std::cout << each.feed_url << '\t' << path << '\t' << each.title << '\n';
    if (stitch::is_web_url(each.feed_url))
      urls.insert(each.feed_url);
    else
      ++unusable;
  }
  std::cout << urls.size() << " feeds, " << list.size() << " places";
  if (unusable > 0) std::cout << ", " << unusable << " without an http or https address";
  std::cout << '\n';
  return list.empty() ? fail(name_of_input(file) + " lists no feeds") : done;
}

}  // namespace

void add_opml(CLI::App& program, int& result) {
  auto* const group = program.add_subcommand("opml", "Look at a list of subscriptions.");
  group->require_subcommand(1);
  auto const file = std::make_shared<std::string>();
  auto* const check_command = group->add_subcommand("check", "Say which feeds an OPML file would subscribe to.");
  check_command->add_option("FILE", *file, "the OPML file, - for standard input")->required();
  check_command->callback([file, &result] { result = check(*file); });
}

}  // namespace cistern::tools
