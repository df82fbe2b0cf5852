#include "tools/cistern/stitch_savings.hpp"

#include "stitch/feed/reader.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/input.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <vector>

namespace cistern::tools {
namespace {

namespace fs = std::filesystem;

std::string whole(fs::path const& file) {
  std::string problem;
  auto bytes = read_whole(file.string(), 96U << 20, problem);
  if (!problem.empty()) throw std::runtime_error{problem};
  return bytes;
}

std::size_t gzipped(std::string_view bytes) {
  auto size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<Bytef> out(size);
  compress2(out.data(), &size, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  return size + 12;  // gzip's frame is that much larger than zlib's
}

std::set<std::string> links_of(std::string const& feed) {
  std::set<std::string> out;
  if (auto const f = stitch::feed::parse(feed))
    for (auto const& i : f->items) out.insert(i.link);
  return out;
}

// How much of the feed arrives before the first item that is known already is complete.
std::size_t head_of(std::string_view feed, std::set<std::string> const& known) {
  bool met = false;
  stitch::feed::feed_reader reader{{}, [&](stitch::feed::item&& i) { met |= known.contains(i.link); }};
  std::size_t at = 0;
  while (at < feed.size() && !met) {
    auto const block = feed.substr(at, 1024);
    reader.push(block);
    at += block.size();
  }
  return at;
}

struct bytes {
  std::size_t page = 0, feed = 0, head = 0, page_gz = 0, feed_gz = 0, head_gz = 0;
  bytes& operator+=(bytes const& b) {
    page += b.page, feed += b.feed, head += b.head, page_gz += b.page_gz, feed_gz += b.feed_gz, head_gz += b.head_gz;
    return *this;
  }
};

double saved(std::size_t instead, std::size_t of) {
  return of == 0 ? 0 : 100.0 * (static_cast<double>(of) - static_cast<double>(instead)) / static_cast<double>(of);
}

void print(char const* name, bytes const& b) {
  std::printf("%-34s %9zu %9zu %9zu %7.0f%% %7.0f%% %8zu %8zu %8zu %7.0f%% %7.0f%%\n", name, b.page, b.feed, b.head,
              saved(b.feed, b.page), saved(b.head, b.page), b.page_gz, b.feed_gz, b.head_gz,
              saved(b.feed_gz, b.page_gz), saved(b.head_gz, b.page_gz));
}

bytes of_site(fs::path const& site) {
  bytes out;
  auto const file = [&](int n, char const* end) { return site / (std::to_string(n) + end); };
  std::set<std::string> known = links_of(whole(file(0, ".feed.xml")));
  for (int n = 1; fs::exists(file(n, ".html")); ++n) {
    auto const page = whole(file(n, ".html")), feed = whole(file(n, ".feed.xml"));
    auto const head = head_of(feed, known);
    out +=
        {page.size(), feed.size(), head, gzipped(page), gzipped(feed), gzipped(std::string_view{feed}.substr(0, head))};
    known = links_of(feed);
  }
  return out;
}

}  // namespace

int print_savings(std::string const& corpus) try {
  std::vector<fs::path> sites;
  for (auto const& entry : fs::directory_iterator{fs::path{corpus} / "sites"})
    if (entry.is_directory()) sites.push_back(entry.path());
  std::sort(sites.begin(), sites.end());
  std::printf("%-34s %9s %9s %9s %8s %8s %8s %8s %8s %8s %8s\n", "site", "page", "feed", "head", "by feed", "by head",
              "page gz", "feed gz", "head gz", "by feed", "by head");
  bytes total;
  std::vector<double> by_feed, by_head;
  for (auto const& site : sites) {
    auto const b = of_site(site);
    print(site.filename().c_str(), b);
    total += b;
    by_feed.push_back(saved(b.feed_gz, b.page_gz));
    by_head.push_back(saved(b.head_gz, b.page_gz));
  }
  print("all", total);
  auto const middle = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() / 2];
  };
  std::printf("median site, gzip: %.0f%% saved by reading the whole feed, %.0f%% by reading its new head\n",
              middle(by_feed), middle(by_head));
  return done;
} catch (std::exception const& e) {
  return fail(e.what());
}

}  // namespace cistern::tools
