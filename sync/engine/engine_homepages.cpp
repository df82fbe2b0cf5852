// The engine's part in homepages: downloaded seldom, brought up to date by what the feeds say.

#include "sync/engine/engine.hpp"
#include "sync/engine/live_pass.hpp"
#include "sync/log_url.hpp"
#include "sync/savings.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>

namespace cistern::sync {

namespace net = boost::asio;

net::awaitable<void> engine::want_homepage(store::subscription feed, bool has_news) {
  auto const now = parts_.wall.now();
  if (!homepage_due(parts_.kept, feed, has_news, now, settings_.homepages)) co_return;
  store::job job{.url = feed.homepage_url, .priority = store::job_class::homepage};
  job.owners.push_back("homepage " + std::to_string(feed.id));
  job.created = now;
  job.value = feed.weight;
  job.subscription = feed.id;
  if (feed.homepage_bytes > 0) job.expected_size = feed.homepage_bytes;
  auto task = [job](store::write_batch& b) {
    auto queued = job;
    queued.id = b.enqueue(job);
    return queued;
  };
  auto const queued = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (queued) post_job(*queued);
}

net::awaitable<void> engine::stitch_news(live_pass& pass, store::subscription feed) {
  auto const saved = co_await put_stitched(std::move(feed), true);
  if (!saved) co_return;
  ++pass.record.pages_stitched;
  pass.record.of(store::job_class::homepage).saved += *saved;
}

net::awaitable<void> engine::restitch(std::uint64_t id) {
  auto feed = subscription(id);
  if (feed && !feed->homepage_url.empty()) co_await put_stitched(std::move(*feed), false);
}

net::awaitable<bool> engine::relearn(std::uint64_t id) {
  auto const feed = subscription(id);
  if (!feed || feed->homepage_url.empty()) co_return false;
  store::job job{.url = feed->homepage_url, .priority = store::job_class::homepage};
  job.owners.push_back(relearning_owner(id));
  job.created = parts_.wall.now();
  job.value = feed->weight;
  job.subscription = id;
  auto task = [job](store::write_batch& b) { return b.enqueue(job) != 0; };
  auto const queued = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (queued) pass_soon("asked for");
  co_return queued&&* queued;
}

/// The page's news put into its stored copy, or what was stitched before forgotten; what a download would have cost.
net::awaitable<std::optional<std::uint64_t>> engine::put_stitched(store::subscription feed, bool charged) {
  std::string why;
  auto page = stitch_homepage(parts_.kept, feed, parts_.wall.now(), settings_.homepages, why);
  if (!page) {
    spdlog::debug("stitch.declined url={} why={}", log_url(feed.homepage_url), log_value(why));
    auto forget = [name = stitched_name(feed.homepage_url)](store::write_batch& b) { return b.erase_url(name); };
    if (!feed.homepage_url.empty()) co_await parts_.kept.write(std::move(forget), net::use_awaitable);
    co_return std::nullopt;
  }
  // What the full page would have cost is saved; the feed that was read instead is charged where it was read.
  store::ledger_entry line = line_for(store::job_class::homepage, feed.id, host_in(feed.homepage_url), traffic{});
  line.requests = 0;
  line.saved = page->full_bytes;
  auto task = [page = std::move(*page), line, charged](store::write_batch& b) {
    if (charged) b.charge(line);
    if (charged) note_savings(b, line.day, {.stitching = line.saved});
    return b.put_object(page.head, page.body);
  };
  auto const stored = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!stored) co_return std::nullopt;
  spdlog::info("stitch url={} bytes={}", log_url(feed.homepage_url), stored->size);
  co_return line.saved;
}

/// A page that came fresh needs no stitching until there is news; what was stitched before is measured against it.
net::awaitable<void> engine::take_homepage(store::stored_object page, std::uint64_t bytes, bool afresh) {
  auto const now = parts_.wall.now();
  auto news = learn_homepage(parts_.kept, page, now, settings_.homepages, afresh);
  if (news.accuracy) spdlog::info("stitch.measured url={} accuracy={:.3f}", log_url(page.url), *news.accuracy);
  auto task = [news = std::move(news), url = page.url, bytes, now](store::write_batch& b) {
    write_homepage(b, news, url, bytes, now);
  };
  auto const written = co_await parts_.kept.write(std::move(task), net::use_awaitable);
  if (!written)
    spdlog::warn("stitch.not_stored url={} error={}", log_url(page.url), log_value(written.error().message()));
}

}  // namespace cistern::sync
