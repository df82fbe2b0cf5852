#pragma once

#include "sync/fetch.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temp_store.hpp"

#include <memory>
#include <string>

namespace fetch_test {

using namespace cistern;
using namespace std::chrono_literals;

/// The download manager over a real repository, with a clock that the test turns.
struct bench {
  fake_clock clock{std::chrono::sys_seconds{1'900'000'000s}};
  tests::temp_store store;
  boost::asio::io_context io{1};
  sync::resolver names;
  sync::network_link link{clock};
  sync::download_settings settings;
  std::unique_ptr<sync::http_client> client;
  std::unique_ptr<sync::downloads> fetching;

  explicit bench(sync::client_options options = {}, sync::download_settings given = {}) : settings{std::move(given)} {
    client = std::make_unique<sync::http_client>(io.get_executor(), names, std::move(options));
    fetching = std::make_unique<sync::downloads>(*store, link, clock, settings);
  }
  ~bench() { drain(); }

  /// What still runs ends, so that nothing outlives the repository.
  void drain() {
    io.restart();
    while (fetching->active() > 0 && io.run_one_for(5s) > 0) {
    }
    store->settle();
  }
  /// As after a restart of the program: all that is left is on disk.
  void restart() {
    drain();
    fetching.reset();
    store.open();
    fetching = std::make_unique<sync::downloads>(*store, link, clock, settings);
  }

  static sync::wish wish_for(std::string url) {
    sync::wish out{.url = std::move(url), .kind = store::object_kind::enclosure};
    out.purpose = store::job_class::enclosure;
    return out;
  }
  sync::fetch_outcome attempt(sync::wish what) {
    return run_task(io, sync::fetch_once(*fetching, *client, std::move(what)));
  }
  sync::fetch_outcome attempt(std::string url) { return attempt(wish_for(std::move(url))); }

  /// Bytes that are stored of an unfinished download; 0 without one.
  std::uint64_t partial_size(std::string const& url) {
    for (auto const& each : store->versions(url).value())
      if (!each.complete) return each.size;
    return 0;
  }
  std::size_t objects(std::string const& url) { return store->versions(url).value().size(); }
};

inline std::string described(sync::fetch_outcome const& out) {
  return std::to_string(static_cast<int>(out.how)) + " " + std::to_string(out.status) + " " + out.error.message();
}

}  // namespace fetch_test
