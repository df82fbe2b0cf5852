#pragma once

#include "sync/engine/engine.hpp"
#include "sync/ledger.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_origin.hpp"
#include "tests/support/temp_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <map>

namespace cistern::tests {

/// A sync engine over a real repository with a clock that the test turns, without pauses between requests.
struct whole_engine {
  fake_clock clock{std::chrono::sys_seconds{std::chrono::seconds{1'900'000'000}}};
  temp_store store;
  sync::network_link link{clock};
  sync::resolver names;
  sync::engine_settings settings = quick_settings();
  std::optional<sync::budget_rules> rules;  // none: no budget
  std::unique_ptr<sync::budget> spending;
  std::unique_ptr<sync::downloads> fetching;
  std::unique_ptr<sync::engine> engine;

  whole_engine() { start(); }
  ~whole_engine() { engine.reset(); }

  static sync::engine_settings quick_settings() {
    using namespace std::chrono_literals;
    sync::engine_settings out;
    out.feeds.user_agent = "cistern/test (+https://example.org/cistern)";
    out.hosts.pause = 0ms;
    out.hosts.feed_pause = 0ms;
    out.retries.base = 5ms;
    out.retries.cap = 20ms;
    out.longest_wait = 2s;
    out.plan.start = std::chrono::sys_seconds{1'900'000'000s};
    out.seed = 7;
    return out;
  }

  void start() {
    engine.reset();
    fetching.reset();
    spending.reset();
    if (rules) {
      auto const utc = [](std::chrono::sys_seconds time) {
        return std::chrono::local_seconds{time.time_since_epoch()};
      };
      auto const history = [this](sync::budget_period const& period) { return sync::read_ledger(*store, period); };
      spending = std::make_unique<sync::budget>(
          *rules, clock, [] { return false; }, history, utc);
    }
    sync::download_settings downloading;
    downloading.spending = spending.get();
    fetching = std::make_unique<sync::downloads>(*store, link, clock, downloading);
    engine = std::make_unique<sync::engine>(sync::engine::parts{.kept = *store,
                                                                .fetching = *fetching,
                                                                .link = link,
                                                                .wall = clock,
                                                                .names = names,
                                                                .client = {},
                                                                .spending = spending.get()},
                                            settings);
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return boost::asio::co_spawn(engine->executor(), std::move(work), boost::asio::use_future).get();
  }

  /// A subscription as an import makes it: nothing was fetched yet.
  std::uint64_t subscribe(std::string feed_url, bool pages = false) {
    store::subscription feed{.feed_url = std::move(feed_url), .added = clock.now()};
    feed.carry.pages = pages;
    auto const id = store.write([feed](store::write_batch& b) {
      auto numbered = feed;
      numbered.id = b.next_id();
      b.put(numbered);
      return numbered.id;
    });
    run(engine->subscription_changed(id));
    return id;
  }

  sync::pass_record pass() { return run(engine->pass({.why = "test", .asked = true})); }
  /// A pass after so much time.
  sync::pass_record pass_after(std::chrono::seconds wait) {
    clock.advance(wait);
    return pass();
  }

  store::subscription feed(std::uint64_t id) {
    store::subscription named{};
    named.id = id;
    return store->get<store::subscription>(named.key()).value().value();
  }
  std::vector<store::item> items() {
    std::vector<store::item> out;
    static_cast<void>(store->scan<store::item>({}, [&](store::item const& i) { return out.push_back(i), true; }));
    return out;
  }
  std::vector<store::job> jobs() {
    std::vector<store::job> out;
    static_cast<void>(store->scan<store::job>({}, [&](store::job const& j) { return out.push_back(j), true; }));
    return out;
  }
};

/// One item of a feed that a test makes up.
struct story {
  std::string id;
  std::string title;
  int minutes_ago = 0;  // before 1,900,000,000
  std::string link = {};
  std::string extra = {};        // more XML
  std::int64_t seconds_ago = 0;  // on top of the minutes
};

std::string rss(std::vector<story> const& stories, std::string const& channel = {});

}  // namespace cistern::tests
