#include "tools/cistern/feed_command.hpp"

#include "stitch/feed/discovery.hpp"
#include "stitch/feed/reader.hpp"
#include "stitch/feed/sanitize.hpp"
#include "tools/cistern/feed_json.hpp"
#include "tools/cistern/input.hpp"

#include <cstdio>
#include <iostream>
#include <memory>

namespace cistern::tools {
namespace {

namespace feed = stitch::feed;

struct parse_arguments {
  std::string file, base, content_type;
  bool sanitize = false;
};

/// Prints one JSON object as the items come. A feed of ordinary size starts with what it says of itself; of a large one
/// items come before that is known, and it is written behind them.
class feed_printer {
public:
  void begin(feed::feed const& feed) {
    append_feed_members(members_, feed);
    if (any_) return;
    out_ += '{';
    out_ += members_;
    out_ += ",\"items\":[";
    members_.clear();
  }
  void add(feed::item const& item) {
    if (any_)
      out_ += ',';
    else if (out_.empty())
      out_ += "{\"items\":[";
    any_ = true;
    append_item(out_, item);
    if (out_.size() >= block_bytes) write();
  }
  void finish() {
    out_ += ']';
    if (!members_.empty()) (out_ += ',') += members_;
    out_ += "}\n";
    write();
  }

private:
  static constexpr std::size_t block_bytes = 32U << 10;

  void write() {
    std::fwrite(out_.data(), 1, out_.size(), stdout);
    out_.clear();
  }

  std::string out_, members_;
  bool any_ = false;
};

int parse(parse_arguments const& given) {
  feed_printer printer;
  feed::reader_options options;
  options.base = given.base;
  options.content_type = given.content_type;
  options.hold_bytes = 256U << 10;
  feed::allowance sanitizing{options.bounds.sanitizing};
  bool whole = true;
  feed::feed_reader reader{std::move(options), [&](feed::item&& item) {
                             if (given.sanitize) whole = sanitize(item, sanitizing) && whole;
                             printer.add(item);
                           }};
  auto const problem = read_blocks(given.file, [&reader](std::string_view bytes) {
    reader.push(bytes);
    return !reader.done();
  });
  if (!problem.empty()) return fail(problem);
  auto const outcome = reader.finish([&](feed::feed head) {
    if (given.sanitize) whole = sanitize(head.description, sanitizing) && whole;
    printer.begin(head);
  });
  if (!outcome) return fail(name_of_input(given.file) + " is " + outcome.error().message());
  printer.finish();
  std::string note;
  if (outcome->repaired) note = "the feed was damaged; what could be saved was saved";
  if (!whole)
    note += (note.empty() ? "" : "; ") + std::string{"it has more HTML than is sanitised, the rest is shown as text"};
  if (!note.empty()) std::cerr << "cistern: " << note << '\n';
  return done;
}

// One line a feed: address, type, title.
int discover(parse_arguments const& given) {
  std::string problem;
  auto const page = read_whole(given.file, 16U << 20, problem);
  if (!problem.empty()) return fail(problem);
  using origin = feed::feed_link::origin;
  auto const found =
      feed::discover({.bytes = page, .content_type = given.content_type, .base = given.base, .link_headers = {}});
  for (auto const& each : found)
    std::cout << each.url << '\t' << (each.from == origin::guess ? "guess" : each.type) << '\t' << each.title << '\n';
  return found.empty() ? fail("no feed found; give --base to try the usual addresses") : done;
}

}  // namespace

void add_feed(CLI::App& program, int& result) {
  auto* const group = program.add_subcommand("feed", "Read one feed: parse it, or find the feeds of a page.");
  group->require_subcommand(1);

  auto const given = std::make_shared<parse_arguments>();
  auto* const parse_command = group->add_subcommand("parse", "Print a feed of any format as one JSON object.");
  parse_command->add_option("FILE", given->file, "the feed, - for standard input")->required();
  parse_command->add_option("--base", given->base, "the address it came from, for relative links");
  parse_command->add_option("--content-type", given->content_type, "the Content-Type it came with");
  parse_command->add_flag("--sanitize", given->sanitize, "show summary and content as pages get them");
  parse_command->callback([given, &result] { result = parse(*given); });

  auto* const discover_command = group->add_subcommand("discover", "List the feeds of a page, the best first.");
  discover_command->add_option("FILE", given->file, "the page, - for standard input")->required();
  discover_command->add_option("--base", given->base, "the address it came from")->required();
  discover_command->add_option("--content-type", given->content_type, "the Content-Type it came with");
  discover_command->callback([given, &result] { result = discover(*given); });
}

}  // namespace cistern::tools
