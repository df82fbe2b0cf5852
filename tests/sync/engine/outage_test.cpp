// The link goes and comes back, the disk is full, a file is damaged: what a pass does, and what it does not.

#include "sync/queue_runner.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::string at(std::string const& host, fake_origin const& origin, std::string const& target) {
  return "http://" + host + ":" + std::to_string(origin.port()) + target;
}

template <class Condition>
bool comes_true(Condition so, std::chrono::seconds within) {
  auto const until = std::chrono::steady_clock::now() + within;
  while (!so() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return so();
}

}  // namespace

TEST_CASE("when every host breaks off it is the link, nobody is blamed, and all are asked again when it is back",
          "[sync][link]") {
  whole_engine e;
  e.engine.reset();
  sync::network_link link{e.clock, {.first_probe = 20ms, .slowest_probe = 50ms}};
  sync::resolver names{{}, [](std::string const&) -> sync::result<sync::resolver::addresses> {
                         return sync::resolver::addresses{boost::asio::ip::address_v4::loopback()};
                       }};
  sync::downloads fetching{*e.store, link, e.clock, {}};
  e.settings.retries.base = 200ms;
  e.settings.retries.cap = 1s;
  e.engine = std::make_unique<sync::engine>(
      sync::engine::parts{
          .kept = *e.store, .fetching = fetching, .link = link, .wall = e.clock, .names = names, .client = {}},
      e.settings);
  std::atomic<bool> down{false};
  std::atomic<int> read{0};
  fake_origin origin{[&](fake_exchange& x) {
    if (down) return x.reset();
    if (x.request.target == "/feed") ++read;
    x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}}));
  }};
  std::vector<std::uint64_t> ids;
  for (auto const* host : {"a.example", "b.example", "c.example"})
    ids.push_back(e.subscribe(at(host, origin, "/feed")));
  e.pass();
  REQUIRE(read == 3);
  {
    sync::queue_runner const prober{*e.store, fetching, link, e.clock, names, {}};
    down = true;
    auto const pass = e.pass_after(2h);
    CHECK(link.state() == sync::link_state::down);
    CHECK_THAT(link.reason(), Contains("3 hosts"));
    CHECK(pass.ended_by == "link down");
    CHECK(read == 3);
    for (auto const id : ids) {
      CHECK(e.feed(id).failures == 0);
      CHECK(e.feed(id).last_error.empty());
    }
    e.engine->watch();
    down = false;
    CHECK(comes_true([&] { return read == 6; }, 10s));
    CHECK(link.state() == sync::link_state::up);
  }
  e.engine.reset();
}

TEST_CASE("one host that breaks off while others answer is not the link", "[sync][link]") {
  whole_engine e;
  fake_origin dead{[](fake_exchange& x) { x.reset(); }};
  fake_origin well{[](fake_exchange& x) { x.answer(200, "ETag: \"1\"\r\n", rss({{"a", "A", 1}})); }};
  auto const id = e.subscribe(dead.url("/feed"));
  e.subscribe(well.url("/feed"));
  e.pass();
  CHECK(e.link.state() == sync::link_state::up);
  CHECK(e.feed(id).failures == 1);
}

TEST_CASE("bytes that came before the link went are in the ledger", "[sync]") {
  whole_engine e;
  std::atomic<bool> sent{false};
  fake_origin origin{[&](fake_exchange& x) {
    x.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(40'000, ' '));
    sent = true;
    x.stall();
  }};
  e.subscribe(origin.url("/feed"));
  auto pass = boost::asio::co_spawn(e.engine->executor(), e.engine->pass({.why = "test", .asked = true}),
                                    boost::asio::use_future);
  auto const received = [&] {
    auto const now = e.engine->status();
    return !now.active.empty() ? now.active.front().received : 0;
  };
  REQUIRE(comes_true([&] { return sent && received() >= 40'000; }, 10s));
  e.link.force(sync::link_mode::offline);
  CHECK(pass.get().of(store::job_class::feed).received >= 40'000);
  std::uint64_t charged = 0;
  REQUIRE(e.store->scan<store::ledger_entry>({}, [&](store::ledger_entry const& line) {
    charged += line.received;
    return true;
  }));
  CHECK(charged >= 40'000);
}

TEST_CASE("what came between the wish and the pass is not asked for again", "[sync]") {
  whole_engine e;
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "again"); }};
  auto const url = origin.url("/file");
  e.store.write([&](store::write_batch& b) {
    return b.enqueue({.url = url, .priority = store::job_class::enclosure, .created = e.clock.now()});
  });
  e.store.put({.url = url, .requested = e.clock.now() + 5s, .responded = e.clock.now() + 6s}, "here");
  e.pass_after(1min);
  CHECK(origin.requests().empty());
  CHECK(e.jobs().empty());
  CHECK(e.store.body_of(url) == "here");
}

namespace {

/// A feed with one recording whose digest it tells, and a server that sends so many damaged copies first.
struct recording {
  explicit recording(int bad, std::string hash = "<media:hash algo='md5'>5eb63bbbe01eeed093cb22bb8f5acdc3</media:hash>")
      : hash_{std::move(hash)}, damaged_{bad} {
    e.settings.news.first_items = 5;
    e.start();
    auto feed = e.feed(e.subscribe(origin.url("/feed")));
    feed.carry.enclosures = true;
    e.store.write([feed](store::write_batch& b) { b.put(feed); });
  }
  [[nodiscard]] std::string url() const { return origin.url("/a.mp3"); }
  [[nodiscard]] std::vector<seen_request> asked() const {
    auto all = origin.requests();
    std::erase_if(all, [](auto const& each) { return each.target != "/a.mp3"; });
    return all;
  }

  whole_engine e;
  fake_origin origin{[this](fake_exchange& x) {
    if (x.request.target == "/a.mp3")
      return x.answer(200, "ETag: \"1\"\r\n", damaged_-- > 0 ? "hello w0rld" : "hello world");
    auto const file = "url='" + url() + "' type='audio/mpeg'";
    x.answer(200, "ETag: \"1\"\r\n",
             rss({{.id = "a",
                   .title = "A",
                   .extra = "<enclosure " + file + " length='11'/><media:content " + file + ">" + hash_ +
                            "</media:content>"}}));
  }};

private:
  std::string hash_;
  std::atomic<int> damaged_;
};

}  // namespace

TEST_CASE("an enclosure that is what its feed says is kept", "[sync]") {
  auto const* const hash = GENERATE("<media:hash>5EB63BBBE01EEED093CB22BB8F5ACDC3</media:hash>",
                                    "<media:hash algo='sha-1'>2aae6c35c94fcfb415dbe95f408b9ce91ee846ed</media:hash>",
                                    "<media:hash algo='crc'>00</media:hash>");
  recording r{0, hash};
  r.e.pass();
  CHECK(r.e.store.body_of(r.url()) == "hello world");
  CHECK(r.e.jobs().empty());
}

TEST_CASE("an enclosure that is not what its feed says is refused, and fetched anew later", "[sync]") {
  recording r{1};
  auto const pass = r.e.pass();
  CHECK(r.e.store.body_of(r.url()) == "(absent)");
  CHECK(r.e.store->versions(r.url()).value().empty());
  REQUIRE(pass.failures.size() == 1);
  CHECK(pass.failures.front().url == r.url());
  CHECK_THAT(pass.failures.front().reason, Contains("digest"));
  REQUIRE(r.e.jobs().size() == 1);
  CHECK_THAT(r.e.jobs().front().last_error, Contains("digest"));
  r.e.pass_after(10min);
  CHECK(r.asked().size() == 1);  // not at once: the same copy would come
  r.e.pass_after(1h);
  REQUIRE(r.asked().size() == 2);
  CHECK(r.asked()[1].field("Range").empty());
  CHECK(r.e.store.body_of(r.url()) == "hello world");
  CHECK(r.e.jobs().empty());
}

TEST_CASE("an enclosure that comes damaged again and again is given up", "[sync]") {
  recording r{100};
  r.e.pass();
  for (int i = 0; i < 5; ++i) r.e.pass_after(25h);
  CHECK(r.asked().size() == 3);
  CHECK(r.e.store.body_of(r.url()) == "(absent)");
  CHECK(r.e.jobs().empty());
}

TEST_CASE("a full disk ends the pass, what is stored is served, and sync goes on when there is room", "[sync]") {
  small_disk disk{"24m"};
  if (!disk.mounted()) return;  // needs root
  whole_engine e;
  e.engine.reset();
  e.settings.news.first_items = 40;
  store::repository kept{{.path = disk / "data", .quota = 512u << 20, .map_reserve = 2ull << 30}};
  sync::downloads fetching{kept, e.link, e.clock, {}};
  auto engine = std::make_unique<sync::engine>(
      sync::engine::parts{
          .kept = kept, .fetching = fetching, .link = e.link, .wall = e.clock, .names = e.names, .client = {}},
      e.settings);
  auto const pass_now = [&] {
    return boost::asio::co_spawn(engine->executor(), engine->pass({.why = "test", .asked = true}),
                                 boost::asio::use_future)
        .get();
  };
  auto const page = [](std::string const& target) { return noise(std::hash<std::string>{}(target), 1'000'000); };
  constexpr int pages = 40;
  fake_origin origin{[&](fake_exchange& x) {
    std::vector<story> many;
    for (int i = 0; i < pages; ++i) many.push_back({std::to_string(i), "T", i, origin.url("/" + std::to_string(i))});
    if (x.request.target == "/feed") return x.answer(200, "ETag: \"1\"\r\n", rss(many));
    serve_file(x, {.body = page(x.request.target), .fields = "ETag: \"1\"\r\nContent-Type: text/plain\r\n"});
  }};
  auto const stored = [&] {
    int whole = 0;
    for (int i = 0; i < pages; ++i) {
      auto const target = "/" + std::to_string(i);
      auto const found = kept.find(origin.url(target)).value();
      if (!found) continue;
      REQUIRE((kept.read_body(*found).value() == page(target)));  // served as it came
      ++whole;
    }
    return whole;
  };
  store::subscription feed{.id = 1, .feed_url = origin.url("/feed"), .added = e.clock.now()};
  kept.write([feed](store::write_batch& b) { b.put(feed); }, boost::asio::use_future).get().value();

  auto const full = pass_now();
  CHECK_THAT(full.ended_by, Contains("nothing can be stored"));
  auto const before = stored();
  CHECK(before > 5);
  CHECK(before < pages);
  REQUIRE(disk.grow("128m"));
  e.clock.advance(2h);
  auto const roomy = pass_now();
  CHECK(roomy.ended_by == "nothing left");
  CHECK(stored() == pages);
  auto const again = kept.get<store::subscription>(feed.key()).value().value();
  CHECK(again.failures == 0);
  engine.reset();
}
