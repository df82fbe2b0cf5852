#include "tools/cistern/feed_command.hpp"

#include "stitch/feed/discovery.hpp"
#include "stitch/feed/reader.hpp"
#include "stitch/html/sanitizer.hpp"
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

/// Prints one JSON object as the items come. A feed of ordinary size starts with what the feed says of itself; a large
/// one with its items, which are not kept until the end.
class feed_printer {
public:
  void add(feed::item&& item) {
    out_ += out_.empty() && !streaming_ ? "" : ",";
    append_item(out_, item);
    if (out_.size() < most_kept) return;
    if (!streaming_) std::fputs("{\"items\":[", stdout);
    streaming_ = true;
    write();
  }
  void finish(feed::feed const& feed) {
    std::string members;
    append_feed_members(members, feed);
    if (streaming_)
      out_ += "]," + members + "}\n";
    else
      out_ = '{' + members + ",\"items\":[" + out_ + "]}\n";
    write();
  }

private:
  static constexpr std::size_t most_kept = 2U << 20;
  void write() {
    std::fwrite(out_.data(), 1, out_.size(), stdout);
    out_.clear();
  }
  std::string out_;
  bool streaming_ = false;
};

// As a page would get it: plain text escaped, HTML through the sanitiser.
void sanitize(feed::item& item) {
  namespace html = stitch::html;
  item.summary = item.summary_is_text ? html::escaped(item.summary) : html::sanitized(item.summary);
  item.content = item.content_is_text ? html::escaped(item.content) : html::sanitized(item.content);
}

int parse(parse_arguments const& given) {
  feed_printer printer;
  feed::reader_options options;
  options.base = given.base;
  options.content_type = given.content_type;
  options.hold_bytes = 2U << 20;
  feed::feed_reader reader{std::move(options), [&](feed::item&& item) {
                             if (given.sanitize) sanitize(item);
                             printer.add(std::move(item));
                           }};
  auto const problem = read_blocks(given.file, [&reader](std::string_view bytes) {
    reader.push(bytes);
    return !reader.done();
  });
  if (!problem.empty()) return fail(problem);
  auto outcome = reader.finish();
  if (!outcome) return fail(name_of_input(given.file) + " is " + outcome.error().message());
  if (given.sanitize) outcome->description = stitch::html::sanitized(outcome->description);
  printer.finish(*outcome);
  if (outcome->repaired) std::cerr << "cistern: the feed was damaged; what could be saved was saved\n";
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
