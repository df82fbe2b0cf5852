// What a person may do to sync while it runs: pause it, and drop, pause and move what is queued.

#include "tests/support/range_origin.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

/// Serves files of one letter; the first request for "/slow" gets half of it, a little more when it is told to, and
/// then nothing.
struct slow_origin {
  std::string const body = std::string(40'000, 'x');
  std::atomic<int> slow_requests{0};
  std::promise<void> more;
  std::future<void> told = more.get_future();
  fake_origin origin{[this](fake_exchange& x) {
    bool const first = x.request.target == "/slow" && slow_requests++ == 0;
    if (!first) return serve_file(x, {.body = body, .fields = "ETag: \"1\"\r\n"});
    x.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 40000\r\n\r\n" + body.substr(0, 20'000));
    told.wait_for(20s);
    x.send("x");
    x.stall();
  }};

  /// One byte more; returns when the download that was stopped has noticed.
  void go_on(whole_engine& e) {
    more.set_value();
    while (e.fetching->under_way(origin.url("/slow"))) std::this_thread::yield();
  }

  std::uint64_t enqueue(whole_engine& e, std::string const& target, double value = 0) {
    store::job const wanted{.url = origin.url(target), .priority = store::job_class::page, .value = value};
    return e.store.write([wanted](store::write_batch& b) { return b.enqueue(wanted); });
  }
};

void until_received(whole_engine& e, std::uint64_t bytes) {
  for (;;) {
    for (auto const& fetch : e.engine->status().active)
      if (fetch.received >= bytes) return;
    std::this_thread::yield();
  }
}

auto pass_in_background(whole_engine& e) {
  return boost::asio::co_spawn(e.engine->executor(), e.engine->pass({.why = "test", .asked = true}),
                               boost::asio::use_future);
}

}  // namespace

TEST_CASE("while sync is paused nothing is fetched, and a restart does not end that", "[sync]") {
  whole_engine e;
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", rss({{"1", "One"}})); }};
  e.subscribe(origin.url("/feed"));
  REQUIRE(e.run(e.engine->set_paused(true)));
  CHECK(e.pass().ended_by == "paused");
  e.start();
  CHECK(e.engine->status().paused);
  e.pass();
  CHECK(origin.requests().empty());
  REQUIRE(e.run(e.engine->set_paused(false)));
  CHECK_FALSE(e.engine->status().paused);
  CHECK(e.pass().new_items == 1);
  e.start();
  CHECK_FALSE(e.engine->paused());
}

TEST_CASE("what is under way when sync is paused stops, and goes on where it was", "[sync]") {
  whole_engine e;
  slow_origin paper;
  paper.enqueue(e, "/slow");
  auto pass = pass_in_background(e);
  until_received(e, 20'000);
  REQUIRE(e.run(e.engine->set_paused(true)));
  CHECK(pass.get().ended_by == "paused");
  paper.go_on(e);
  CHECK(paper.slow_requests == 1);
  REQUIRE(e.jobs().size() == 1);
  CHECK(e.jobs()[0].attempts == 0);  // nobody failed
  e.run(e.engine->set_paused(false));
  e.pass();
  CHECK(e.jobs().empty());
  REQUIRE(paper.origin.requests().size() == 2);
  CHECK(asked_from(paper.origin.requests()[1]) > 0);
}

TEST_CASE("paused sync goes on by itself when it is resumed", "[sync]") {
  whole_engine e;
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", rss({{"1", "One"}})); }};
  e.run(e.engine->set_paused(true));
  e.subscribe(origin.url("/feed"));
  e.engine->watch();
  e.run(e.engine->set_paused(false));
  while (e.items().empty()) std::this_thread::yield();
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("a download that is dropped or paused while it runs ends at once, and the others go on", "[sync]") {
  whole_engine e;
  e.settings.hosts.connections_per_host = 1;
  e.start();
  slow_origin paper;
  auto const slow = paper.enqueue(e, "/slow", 2);
  paper.enqueue(e, "/other", 1);
  bool const drop = GENERATE(true, false);
  auto pass = pass_in_background(e);
  until_received(e, 20'000);
  e.store.write([slow, drop](store::write_batch& b) {
    if (drop) return b.finish_job(slow);
    auto job = b.get<store::job>(store::job{.id = slow}.key());
    job->state = store::job_state::paused;
    return b.put(*job), true;
  });
  e.run(e.engine->job_changed(slow));
  paper.go_on(e);
  pass.get();
  CHECK(e.store->find(paper.origin.url("/other")).value());
  CHECK_FALSE(e.store->find(paper.origin.url("/slow")).value());
  CHECK(e.jobs().size() == (drop ? 0 : 1));
  if (drop) return;
  e.pass();
  CHECK(paper.slow_requests == 1);  // it rests until a person says otherwise
}

TEST_CASE("what a person wants now goes before everything else, also in a pass that runs", "[sync]") {
  whole_engine e;
  e.settings.hosts.connections_per_host = 1;
  e.start();
  slow_origin paper;
  paper.enqueue(e, "/slow", 9);
  paper.enqueue(e, "/second", 5);
  auto const last = paper.enqueue(e, "/last", 1);
  auto pass = pass_in_background(e);
  until_received(e, 20'000);
  e.store.write([last](store::write_batch& b) {
    auto job = b.get<store::job>(store::job{.id = last}.key());
    job->value = store::wanted_now;
    return b.put(*job), true;
  });
  e.run(e.engine->job_changed(last));
  e.run(e.engine->set_paused(true));
  pass.get();
  paper.go_on(e);
  e.run(e.engine->set_paused(false));
  e.pass();
  std::vector<std::string> order;
  for (auto const& request : paper.origin.requests()) order.push_back(request.target);
  CHECK(order == std::vector<std::string>{"/slow", "/last", "/slow", "/second"});
}
