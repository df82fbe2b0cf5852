#include "stitch/feed/reader.hpp"
#include "stitch/template/heatmap.hpp"
#include "stitch/template/page_template.hpp"
#include "stitch/template/self_check.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace cistern::stitch;

namespace {

std::string_view next_part(std::string_view& rest) {
  constexpr std::string_view mark = "\n%%%%\n";
  auto const end = rest.find(mark);
  auto const part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + mark.size());
  return part;
}

std::vector<feed::feed> feeds(std::string_view bytes) {
  feed::reader_options options;
  options.base = "https://site.test/";
  auto f = feed::parse(bytes, std::move(options));
  if (!f) return {};
  return {std::move(*f)};
}

std::size_t scripts(html::document const& page) {
  std::size_t out = 0;
  for (html::node_id n = 0; n < page.size(); ++n) out += page.is(n, "script");
  return out;
}

}  // namespace

// Page, feed, page, feed, new feed. A page that is declined comes back as it was; a template survives being stored.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view rest{reinterpret_cast<char const*>(data), size};
  std::vector<templates::snapshot> snapshots;
  for (int i = 0; i < 2; ++i) {
    auto const page = html::document::parse(next_part(rest));
    if (!page) return 0;
    snapshots.push_back({*page, feeds(next_part(rest))});
  }
  auto const fresh = feeds(next_part(rest));
  auto const outcome = templates::stitch("https://site.test/", snapshots, fresh);
  if (outcome.declined && outcome.page != snapshots.back().page.source()) std::abort();
  if (auto const made = html::document::parse(outcome.page);
      made && scripts(snapshots.back().page) == 0 && scripts(*made) > 0)
    std::abort();
  (void)templates::draw_heatmap("https://site.test/", snapshots, outcome);
  (void)templates::self_check(snapshots[0].page, snapshots[1].page, "https://site.test/", fresh);
  if (!templates::deserialise(templates::serialise(templates::learn("https://site.test/", snapshots)))) std::abort();
  return 0;
}
