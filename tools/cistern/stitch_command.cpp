#include "tools/cistern/stitch_command.hpp"

#include "stitch/template/heatmap.hpp"
#include "tools/cistern/input.hpp"
#include "tools/cistern/stitch_input.hpp"
#include "tools/cistern/stitch_savings.hpp"
#include "tools/cistern/stitch_score.hpp"

#include <iostream>
#include <memory>

namespace cistern::tools {
namespace {

namespace templates = stitch::templates;

struct stitch_arguments {
  std::string base, output, report, heatmap, method = "full";
  std::vector<std::vector<std::string>> snapshots;
  std::vector<std::string> feeds;
};

int run(stitch_arguments const& given) try {
  if (given.base.empty() || given.snapshots.empty() || given.feeds.empty() || given.output.empty()) {
    std::cerr
        << "cistern: stitch needs --base-url, --snapshot PAGE FEED, --feed and --output; see cistern stitch --help\n";
    return wrong_usage;
  }
  std::vector<templates::snapshot> snapshots;
  for (auto const& files : given.snapshots) snapshots.push_back(load_snapshot(files, given.base));
  std::vector<stitch::feed::feed> feeds;
  for (auto const& file : given.feeds) feeds.push_back(load_feed(file, given.base));
  templates::options options;
  if (given.method == "novelty") options.method = templates::method::novelty;
  auto const outcome = templates::stitch(given.base, snapshots, feeds, options);
  save(given.output, outcome.page);
  if (!given.report.empty()) save(given.report, report_json(outcome));
  if (!given.heatmap.empty()) save(given.heatmap, templates::draw_heatmap(given.base, snapshots, outcome));
  if (!outcome.declined) return done;
  std::cerr << "cistern: declined; the page is left as it was (see --report for the reasons)\n";
  return declined;
} catch (std::exception const& e) {
  return fail(e.what());
}

}  // namespace

void add_stitch(CLI::App& program, int& result) {
  auto* const command = program.add_subcommand("stitch", "Bring a saved homepage up to date from its feed.");
  command->require_subcommand(0, 1);
  auto const given = std::make_shared<stitch_arguments>();
  command->add_option("--base-url", given->base, "the page's address");
  command
      ->add_option("--snapshot", given->snapshots,
                   "a saved page and its feeds of the same time; give two or more, oldest first")
      ->type_name("PAGE FEED")
      ->type_size(2, 64);
  command->add_option("--feed", given->feeds, "the feed as it is now; again for further feeds")
      ->type_size(1)
      ->take_all();
  command->add_option("--output", given->output, "where the stitched page goes");
  command->add_option("--report", given->report, "regions, fields, confidences and reasons as JSON");
  command->add_option("--heatmap", given->heatmap, "the page painted with what was learned");
  command->add_option("--method", given->method, "full, or novelty: as the paper did it")
      ->check(CLI::IsMember({"full", "novelty"}));

  auto const corpus = std::make_shared<std::string>();
  auto* const score =
      command->add_subcommand("score", "Stitch a whole corpus: learn from all points but the last, foretell the last.");
  score->add_option("CORPUS", *corpus, "a folder with sites/<name>/{0,1,2...}.html and .feed.xml")->required();
  score->add_option("--method", given->method, "full or novelty")->check(CLI::IsMember({"full", "novelty"}));
  score->callback([&result, given, corpus] { result = score_corpus(*corpus, given->method == "novelty"); });
  auto* const savings =
      command->add_subcommand("savings", "What stitching saves on a corpus: bytes of feed against bytes of page.");
  savings->add_option("CORPUS", *corpus, "a folder as for score")->required();
  savings->callback([&result, corpus] { result = print_savings(*corpus); });
  command->callback([&result, given, command] {
    if (command->get_subcommands().empty()) result = run(*given);
  });
}

}  // namespace cistern::tools
