// Budgets in the engine: at a limit things pause, they do not fail, and the wire never carries a byte more.

#include "tests/support/whole_engine.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

/// A feed with one large file attached to each of its items.
struct podcast {
  std::string const sound = noise(9, 300'000);
  int episodes;
  fake_origin origin;

  explicit podcast(int count) : episodes{count}, origin{[this](fake_exchange& x) { answer(x); }} {}

  void answer(fake_exchange& x) const {
    auto const host = "http://" + x.request.field("Host");
    if (x.request.target == "/feed") {
      std::vector<story> stories;
      for (int i = 0; i < episodes; ++i)
        stories.push_back(
            {"e" + std::to_string(i),
             "Episode",
             i,
             {},
             "<enclosure url='" + host + "/" + std::to_string(i) + ".mp3' type='audio/mpeg' length='300000'/>"});
      return x.answer(200, "ETag: \"1\"\r\n", rss(stories));
    }
    auto const range = x.request.field("Range");
    auto const from = range.empty() ? 0 : std::stoul(range.substr(6));
    if (from == 0) return x.answer(200, "ETag: \"s\"\r\nAccept-Ranges: bytes\r\n", sound);
    x.answer(206,
             "ETag: \"s\"\r\nContent-Range: bytes " + std::to_string(from) + "-" + std::to_string(sound.size() - 1) +
                 "/" + std::to_string(sound.size()) + "\r\n",
             std::string_view{sound}.substr(from));
  }
};

std::uint64_t spent_today(whole_engine& e) { return e.spending->sums().all.day; }

std::uint64_t subscribe(whole_engine& e, podcast const& of) {
  auto const id = e.subscribe(of.origin.url("/feed"));
  auto feed = e.feed(id);
  feed.carry.enclosures = true;
  e.store.write([feed](store::write_batch& b) { b.put(feed); });
  return id;
}

}  // namespace

TEST_CASE("a day's budget is kept to the byte, and the rest comes on the days that follow", "[sync]") {
  whole_engine e;
  e.rules = sync::budget_rules{.all = {.day = 400'000}};
  e.start();
  podcast const radio{4};
  subscribe(e, radio);
  auto const first = e.pass();
  CHECK(first.ended_by == "budget");
  CHECK(spent_today(e) <= 400'000);
  CHECK(spent_today(e) > 380'000);
  auto const again = e.pass_after(1min);
  CHECK(again.received() < 1'000);
  for (auto const& job : e.jobs()) CHECK(job.attempts == 0);  // a pause is no failure
  for (int day = 0; day < 5; ++day) {
    e.pass_after(24h);
    CHECK(spent_today(e) <= 400'000);
  }
  for (int i = 0; i < 4; ++i) CHECK(e.store.body_of(radio.origin.url("/" + std::to_string(i) + ".mp3")) == radio.sound);
  CHECK(e.jobs().empty());
}

TEST_CASE("what was spent is remembered over a restart", "[sync]") {
  whole_engine e;
  e.rules = sync::budget_rules{.all = {.day = 400'000}};
  e.start();
  podcast const radio{4};
  subscribe(e, radio);
  e.pass();
  e.start();
  CHECK(spent_today(e) > 380'000);
  auto const again = e.pass_after(1min);
  CHECK(again.received() < 20'000);
  CHECK(spent_today(e) <= 400'000);
}

TEST_CASE("a class waits for its hours while the others go on", "[sync]") {
  whole_engine e;
  e.clock.set(std::chrono::sys_days{std::chrono::year{2030} / 3 / 4} + 12h);
  sync::budget_rules night;
  night.hours[sync::index_of(store::job_class::enclosure)] = {*sync::parse_day_hours("01-05")};
  e.rules = night;
  e.start();
  podcast const radio{1};
  subscribe(e, radio);
  auto const noon = e.pass();
  CHECK(noon.new_items == 1);
  CHECK(noon.ended_by == "budget");
  CHECK(e.store.body_of(radio.origin.url("/0.mp3")) == "(absent)");
  auto const at_two = e.pass_after(14h);
  CHECK(e.store.body_of(radio.origin.url("/0.mp3")) == radio.sound);
  CHECK(at_two.ended_by == "nothing left");
}

TEST_CASE("a subscription's own daily limit holds it back and nobody else", "[sync]") {
  whole_engine e;
  e.rules = sync::budget_rules{};
  e.start();
  podcast const first{2}, second{2};
  auto feed = e.feed(subscribe(e, first));
  feed.carry.daily_limit = 200'000;
  e.store.write([feed](store::write_batch& b) { b.put(feed); });
  subscribe(e, second);
  e.pass();
  CHECK(e.store.body_of(first.origin.url("/0.mp3")) == "(absent)");
  CHECK(e.store.body_of(second.origin.url("/0.mp3")) == second.sound);
  for (int day = 0; day < 4; ++day) e.pass_after(24h);
  CHECK(e.store.body_of(first.origin.url("/0.mp3")) == first.sound);
  CHECK(e.store.body_of(first.origin.url("/1.mp3")) == first.sound);
}
