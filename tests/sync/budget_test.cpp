#include "sync/budget.hpp"

#include "sync/errc.hpp"
#include "sync/ledger.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temp_store.hpp"
#include "tests/sync/http/client_fixture.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace cistern::sync;
using namespace std::chrono;
using namespace std::chrono_literals;
using cistern::store::job_class;
using cistern::tests::temp_store;

namespace {

/// Central Europe in 2024: clocks forward in the night of 31 March, back in that of 27 October.
local_seconds berlin(sys_seconds moment) {
  auto const summer = moment >= sys_days{2024y / 3 / 31} + 1h && moment < sys_days{2024y / 10 / 27} + 1h;
  return local_seconds{moment.time_since_epoch() + (summer ? 2h : 1h)};
}
local_seconds greenwich(sys_seconds moment) { return local_seconds{moment.time_since_epoch()}; }

expense for_class(job_class purpose) { return {.purpose = purpose}; }

budget_rules enclosures_at(char const* hours) {
  budget_rules out;
  out.hours[index_of(job_class::enclosure)].push_back(parse_day_hours(hours).value());
  return out;
}

verdict judge_at(budget_rules const& rules, sys_seconds now, job_class purpose = job_class::enclosure) {
  return judge(rules, {}, for_class(purpose), now, berlin, false, 1);
}

/// A budget whose day is turned by hand.
struct bench {
  explicit bench(budget_rules r, spending_history history = {}) : rules{std::move(r)} {
    account = std::make_unique<budget>(
        rules, wall, [this] { return metered; }, std::move(history), greenwich);
  }
  budget_rules rules;
  fake_clock wall{sys_days{2024y / 2 / 29} + 10h};
  bool metered = false;
  std::unique_ptr<budget> account;
};

std::uint64_t take_all(allowance& from, std::size_t piece = 1000) {
  std::uint64_t sum = 0;
  for (auto got = from.take(piece); got != 0; got = from.take(piece)) sum += got;
  return sum;
}

}  // namespace

TEST_CASE("hours of the day are understood, also across midnight", "[sync][budget]") {
  CHECK(parse_day_hours("01-05") == day_hours{1h, 5h});
  CHECK(parse_day_hours("22:30-6") == day_hours{22h + 30min, 6h});
  CHECK(parse_day_hours("0-24") == day_hours{0h, 24h});
  for (auto const* wrong : {"", "1", "1-", "-5", "25-3", "1-24:01", "1:60-2", "a-b", "001-5", "24-1"})
    CHECK_FALSE(parse_day_hours(wrong));
  auto const night = parse_day_hours("22-06").value();
  local_days const day{2024y / 1 / 1};
  CHECK(night.contains(day + 23h));
  CHECK(night.contains(day + 0h));
  CHECK(night.contains(day + 5h + 59min));
  CHECK_FALSE(night.contains(day + 6h));
  CHECK_FALSE(night.contains(day + 21h + 59min));
}

TEST_CASE("a class is fetched at its hours by the box's own clock, and told when that will be", "[sync][budget]") {
  auto const rules = enclosures_at("01-05");
  CHECK(judge_at(rules, sys_days{2024y / 1 / 10} + 0h).allowed);  // 01:00 there
  CHECK(judge_at(rules, sys_days{2024y / 1 / 10} + 5h, job_class::page).allowed);
  auto const late = judge_at(rules, sys_days{2024y / 1 / 10} + 4h);
  CHECK_FALSE(late.allowed);
  CHECK(late.why == "enclosures are fetched at 01:00-05:00");
  CHECK(late.until == sys_days{2024y / 1 / 11} + 0h);
}

TEST_CASE("hours hold in the nights when the clocks are changed", "[sync][budget]") {
  // Forward: 02:00 is 03:00 at once.
  sys_seconds const spring = sys_days{2024y / 3 / 30} + 20h;
  CHECK(judge_at(enclosures_at("01-05"), spring).until == sys_days{2024y / 3 / 31} + 0h);
  CHECK(judge_at(enclosures_at("02-05"), spring).until == sys_days{2024y / 3 / 31} + 1h);
  CHECK(judge_at(enclosures_at("02-03"), spring).until == sys_days{2024y / 4 / 1} + 0h);  // skipped that night
  CHECK(judge_at(enclosures_at("04-05"), spring).until == sys_days{2024y / 3 / 31} + 2h);
  CHECK_FALSE(judge_at(enclosures_at("01-05"), sys_days{2024y / 3 / 31} + 3h).allowed);  // 05:00
  // Back: 03:00 is 02:00 again.
  sys_seconds const autumn = sys_days{2024y / 10 / 26} + 20h;
  CHECK(judge_at(enclosures_at("02-03"), autumn).until == sys_days{2024y / 10 / 27} + 0h);
  CHECK(judge_at(enclosures_at("02-03"), sys_days{2024y / 10 / 27} + 1h + 30min).allowed);
  CHECK(judge_at(enclosures_at("04-05"), autumn).until == sys_days{2024y / 10 / 27} + 3h);
}

TEST_CASE("the tightest limit decides, and says until when", "[sync][budget]") {
  budget_rules rules;
  rules.all = {.day = 50'000'000, .month = 1'500'000'000};
  rules.of_class[index_of(job_class::enclosure)] = {.day = 20'000'000};
  spent_sums spent;
  spent.add(for_class(job_class::enclosure), 19'000'000);
  sys_seconds const now = sys_days{2024y / 3 / 30} + 12h;
  auto const ask = [&](job_class purpose, std::uint64_t least = 1) {
    return judge(rules, spent, for_class(purpose), now, berlin, false, least);
  };
  CHECK(ask(job_class::enclosure).left == 1'000'000);
  CHECK(ask(job_class::page).left == 31'000'000);
  CHECK_FALSE(ask(job_class::enclosure, 1'000'001).allowed);

  spent.add(for_class(job_class::enclosure), 1'000'000);
  auto const full = ask(job_class::enclosure);
  CHECK(full.why == "today's 20 MB for enclosures are used up");
  CHECK(full.until == sys_days{2024y / 3 / 30} + 23h);  // the next midnight there

  spent.all.month = 1'500'000'000;
  auto const month = ask(job_class::page);
  CHECK(month.why == "this month's 1.5 GB are used up");
  CHECK(month.until == sys_days{2024y / 3 / 31} + 22h);  // 1 April, in summer time by then
}

TEST_CASE("a month begins on the day of the data plan", "[sync][budget]") {
  CHECK(period_at(local_days{2024y / 3 / 14} + 23h, 15).month == local_days{2024y / 2 / 15});
  CHECK(period_at(local_days{2024y / 3 / 15}, 15).month == local_days{2024y / 3 / 15});
  CHECK(period_at(local_days{2024y / 1 / 3}, 28).month == local_days{2023y / 12 / 28});
}

TEST_CASE("a subscription has a daily limit of its own", "[sync][budget]") {
  bench b{{}};
  expense const greedy{.purpose = job_class::page, .subscription = 7, .daily_limit = 10'000};
  auto const purse = b.account->open(greedy);
  REQUIRE(purse);
  CHECK(take_all(*purse) == 10'000);
  auto const no = b.account->may_spend(greedy);
  CHECK(no.why == "today's 10 kB for this subscription are used up");
  CHECK(b.account->may_spend({.purpose = job_class::page, .subscription = 8, .daily_limit = 10'000}).allowed);
  CHECK(b.account->may_spend(for_class(job_class::page)).left == UINT64_MAX);
}

TEST_CASE("on a metered link enclosures wait, and images if so set", "[sync][budget]") {
  budget_rules rules;
  rules.not_metered[index_of(job_class::enclosure)] = true;
  rules.no_metered_images = GENERATE(false, true);
  bench b{rules};
  expense const image{.purpose = job_class::requisite, .image = true};
  auto const purse = b.account->open(for_class(job_class::enclosure));
  CHECK(purse->take(100) == 100);
  CHECK(b.account->may_spend(image).allowed);
  b.metered = true;
  CHECK(purse->take(100) == 0);  // the one under way ends, too
  CHECK(b.account->may_spend(for_class(job_class::enclosure)).why == "enclosures wait while the link is metered");
  CHECK(b.account->may_spend(for_class(job_class::requisite)).allowed);
  CHECK(b.account->may_spend(image).allowed == !rules.no_metered_images);
  if (rules.no_metered_images) CHECK(b.account->may_spend(image).why == "images wait while the link is metered");
}

TEST_CASE("a transfer under way ends with its hours", "[sync][budget]") {
  bench b{enclosures_at("09-11")};
  auto const purse = b.account->open(for_class(job_class::enclosure));
  CHECK(purse->take(100) == 100);
  b.wall.advance(1h);
  CHECK(purse->take(100) == 0);
}

TEST_CASE("what has no rule costs nothing", "[sync][budget]") {
  bench b{enclosures_at("01-05")};
  CHECK_FALSE(b.account->open(for_class(job_class::page)));
}

TEST_CASE("transfers on many threads together spend the budget to the byte and no more", "[sync][budget]") {
  budget_rules rules;
  rules.all.day = 1'000'003;
  bench b{rules};
  std::atomic<std::uint64_t> moved{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto const purse = b.account->open(for_class(t % 2 == 0 ? job_class::page : job_class::enclosure));
      for (unsigned i = 0;; ++i) {
        auto const got = purse->take(997);
        if (got == 0) break;
        auto const unused = got * (i % 3) / 4;  // reads are seldom as long as they might be
        purse->give_back(unused);
        moved += got - unused;
      }
    });
  for (auto& thread : threads) thread.join();
  auto const last = b.account->open(for_class(job_class::page));
  moved += take_all(*last);
  CHECK(moved == rules.all.day);
  CHECK(b.account->sums().all.day == rules.all.day);
}

TEST_CASE("a new day brings new bytes, and a month goes on", "[sync][budget]") {
  budget_rules rules;
  rules.all = {.day = 10'000, .month = 15'000};
  bench b{rules};  // 29 February
  auto const purse = b.account->open(for_class(job_class::page));
  CHECK(take_all(*purse) == 10'000);
  b.wall.set(sys_days{2024y / 3 / 1});
  CHECK(take_all(*purse) == 10'000);
  b.wall.set(sys_days{2024y / 3 / 2});
  CHECK(take_all(*purse) == 5'000);
  CHECK(b.account->may_spend(for_class(job_class::page)).until == sys_days{2024y / 4 / 1});
  // What was taken yesterday and did not move does not make today's larger.
  purse->give_back(1'000);
  b.wall.set(sys_days{2024y / 4 / 1});
  CHECK(purse->take(100) == 100);
  b.wall.set(sys_days{2024y / 4 / 2});
  static_cast<void>(b.account->sums());
  purse->give_back(100);
  CHECK(b.account->sums().all.day == 0);
}

TEST_CASE("too little to be of use is not begun with, but used to the last byte by what is under way",
          "[sync][budget]") {
  budget_rules rules;
  rules.all.day = 10'000;
  bench b{rules};
  auto const purse = b.account->open(for_class(job_class::page));
  CHECK(purse->take(8'000) == 8'000);
  CHECK_FALSE(b.account->may_spend(for_class(job_class::page)).allowed);
  CHECK(take_all(*purse) == 2'000);
}

TEST_CASE("a waiting person can override the limit once", "[sync][budget]") {
  budget_rules rules;
  rules.all.day = 5'000;
  bench b{rules};
  b.account->spent(for_class(job_class::feed), 5'000);
  expense const wanted{.purpose = job_class::person, .url = "http://a.test/page"};
  CHECK_FALSE(b.account->may_spend(wanted).allowed);
  SECTION("for one page") {
    b.account->grant(wanted.url, 3'000);
    CHECK_FALSE(b.account->may_spend({.purpose = job_class::person, .url = "http://a.test/other"}).allowed);
    CHECK(b.account->may_spend(wanted).left == 3'000);
    CHECK(take_all(*b.account->open(wanted)) == 3'000);
  }
  SECTION("for whatever comes next") {
    b.account->grant({}, 3'000);
    CHECK(b.account->may_spend(wanted).allowed);
    CHECK(take_all(*b.account->open(for_class(job_class::page))) == 0);  // not for the machine
    CHECK(take_all(*b.account->open(wanted)) == 3'000);
  }
  CHECK(take_all(*b.account->open(wanted)) == 0);
  CHECK(b.account->sums().all.day == 8'000);  // counted all the same
}

TEST_CASE("after a restart the day's and the month's bytes are those in the ledger", "[sync][budget]") {
  temp_store kept;
  auto const charge = [&](local_days day, job_class purpose, std::uint64_t subscription, char const* host,
                          std::uint64_t received) {
    ledger_facts facts{.what = {.purpose = purpose, .subscription = subscription}, .host = host, .link = "wlan0"};
    facts.received = received;
    facts.sent = 10;
    auto const line = ledger_line(facts, day);
    kept.write([line](cistern::store::write_batch& batch) { batch.charge(line); });
  };
  charge(local_days{2024y / 1 / 31}, job_class::page, 1, "a.test", 1'000'000);  // last month
  charge(local_days{2024y / 2 / 1}, job_class::page, 1, "a.test", 400);
  charge(local_days{2024y / 2 / 29}, job_class::page, 1, "a.test", 100);
  charge(local_days{2024y / 2 / 29}, job_class::page, 1, "a.test", 200);  // the same line, added to
  charge(local_days{2024y / 2 / 29}, job_class::enclosure, 2, "b.test", 5'000);
  charge(local_days{2030y / 1 / 1}, job_class::page, 1, "a.test", 9'999);  // a clock that was ahead
  kept.open();

  budget_rules rules;
  rules.all = {.day = 10'000, .month = 100'000};
  bench b{rules, [&](budget_period const& period) { return read_ledger(*kept, period); }};
  auto const sums = b.account->sums();
  CHECK(sums.all.day == 5'330);
  CHECK(sums.all.month == 5'740);
  CHECK(sums.of_class[index_of(job_class::page)].day == 320);
  CHECK(sums.of_subscription.at(2) == 5'010);
  CHECK(b.account->may_spend(for_class(job_class::page)).left == 10'000 - 5'330);
}

TEST_CASE("a clock that is set after the start finds the bytes of the day it is set to", "[sync][budget]") {
  budget_rules rules;
  rules.all.day = 10'000;
  auto const history = [](budget_period const& period) {
    spent_sums out;
    if (period.day == local_days{2024y / 2 / 29}) out.add(for_class(job_class::page), 9'000);
    return out;
  };
  bench b{rules, history};
  b.wall.set(sys_seconds{});  // a board without a battery
  CHECK(b.account->may_spend(for_class(job_class::page)).left == 10'000);
  b.wall.set(sys_days{2024y / 2 / 29});
  CHECK(take_all(*b.account->open(for_class(job_class::page))) == 1'000);
}

TEST_CASE("on the wire a class stops at its limit while the others go on", "[sync][budget]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", std::string(200'000, 'x')); }};
  budget_rules rules;
  rules.all.day = 1'000'000;
  rules.of_class[index_of(job_class::enclosure)].day = 50'000;
  bench b{rules};
  client_test::bench client;
  auto const get = [&](job_class purpose) {
    auto what = client_test::to(origin.url());
    what.options.spends = b.account->open(for_class(purpose));
    return client.run(std::move(what));
  };
  auto const podcast = get(job_class::enclosure);
  CHECK(podcast.error == errc::budget_spent);
  CHECK(podcast.received + podcast.sent == 50'000);
  auto const page = get(job_class::page);
  CHECK(page.body.size() == 200'000);
  CHECK(b.account->sums().all.day == 50'000 + page.received + page.sent);
}
