#include "tools/cistern/stitch_score.hpp"

#include "stitch/template/self_check.hpp"
#include "tools/cistern/command.hpp"
#include "tools/cistern/input.hpp"
#include "tools/cistern/stitch_input.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace cistern::tools {
namespace {

namespace fs = std::filesystem;
namespace templates = stitch::templates;

std::string base_of(fs::path const& site) {
  std::string problem;
  auto const text = read_whole((site / "meta.json").string(), 1U << 20, problem);
  boost::system::error_code bad;
  auto const meta = boost::json::parse(text, bad);
  if (!problem.empty() || bad || !meta.is_object()) return "http://site.example/";
  auto const* const base = meta.as_object().if_contains("base_url");
  return base && base->is_string() ? std::string{base->as_string()} : "http://site.example/";
}

std::string page_file(fs::path const& site, std::size_t n) { return (site / (std::to_string(n) + ".html")).string(); }

std::vector<stitch::feed::feed> feeds_at(fs::path const& site, std::size_t n, std::string const& base) {
  std::vector<stitch::feed::feed> out{load_feed((site / (std::to_string(n) + ".feed.xml")).string(), base)};
  for (int k = 1;; ++k) {
    auto const more = site / (std::to_string(n) + ".feed" + std::to_string(k) + ".xml");
    if (!fs::exists(more)) return out;
    out.push_back(load_feed(more.string(), base));
  }
}

struct site_score {
  bool declined = false;
  templates::check stale, stitched;
};

site_score score_site(fs::path const& site, std::size_t points, bool by_novelty) {
  auto const base = base_of(site);
  std::vector<templates::snapshot> snapshots;
  for (std::size_t n = 0; n + 1 < points; ++n)
    snapshots.push_back({load_page(page_file(site, n)), feeds_at(site, n, base)});
  auto const feeds = feeds_at(site, points - 1, base);
  auto const served = load_page(page_file(site, points - 1));
  templates::options options;
  if (by_novelty) options.method = templates::method::novelty;
  auto const outcome = templates::stitch(base, snapshots, feeds, options);
  auto all = feeds;
  for (auto const& s : snapshots) all.insert(all.end(), s.feeds.begin(), s.feeds.end());
  auto const page = stitch::html::document::parse(outcome.page);
  return {outcome.declined, templates::self_check(snapshots.back().page, served, base, all),
          templates::self_check(page ? *page : snapshots.back().page, served, base, all)};
}

}  // namespace

int score_corpus(std::string const& corpus, bool by_novelty) try {
  std::vector<fs::path> sites;
  for (auto const& entry : fs::directory_iterator{fs::path{corpus} / "sites"})
    if (entry.is_directory()) sites.push_back(entry.path());
  std::sort(sites.begin(), sites.end());
  std::size_t count = 0, right = 0, worse = 0, declined_count = 0;
  double stale = 0, stitched = 0;
  std::printf("%-40s %-9s %7s %7s %7s %7s %7s\n", "site", "", "stale", "score", "order", "words", "outside");
  for (auto const& site : sites) {
    std::size_t points = 0;
    while (fs::exists(page_file(site, points))) ++points;
    if (points < 2) continue;
    auto const s = score_site(site, points, by_novelty);
    bool const is_worse = s.stitched.order < s.stale.order || s.stitched.outside + 0.05 < s.stale.outside;
    auto const* const verdict = s.declined ? "declined" : s.stitched.right() ? "right" : is_worse ? "worse" : "partly";
    std::printf("%-40s %-9s %7.3f %7.3f %7.3f %7.3f %7.3f\n", site.filename().c_str(), verdict, s.stale.score,
                s.stitched.score, s.stitched.order, s.stitched.words, s.stitched.outside);
    ++count;
    right += !s.declined && s.stitched.right();
    worse += !s.declined && is_worse && !s.stitched.right();
    declined_count += s.declined;
    stale += s.stale.score;
    stitched += s.stitched.score;
  }
  auto const n = static_cast<double>(std::max<std::size_t>(count, 1));
  std::printf("%zu sites: %zu right (%.1f%%), %zu worse, %zu declined; mean score %.3f, stale %.3f\n", count, right,
              100 * static_cast<double>(right) / n, worse, declined_count, stitched / n, stale / n);
  return done;
} catch (std::exception const& e) {
  return fail(e.what());
}

}  // namespace cistern::tools
