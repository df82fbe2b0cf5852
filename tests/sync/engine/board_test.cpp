#include "sync/engine/board.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace cistern;
using namespace std::chrono_literals;
using store::job_class;
using sync::board;
using sync::task;

namespace {

constexpr std::array<bool, 6> all_open{true, true, true, true, true, true};
board::time const start{1h};

std::uint64_t taken(board& from, board::time now, board::permission const& allowed = {.open = all_open}) {
  auto const next = from.take(now, allowed);
  return next ? next->id : 0;
}

/// The same rules without any order kept: looks through everything each time.
struct plain_board {
  struct host_state {
    std::vector<task> waiting{};
    std::size_t active = 0;
    board::time pause{}, feed_pause{}, hold{};
  };
  sync::board_limits limits;
  std::map<std::string, host_state> hosts{};

  static bool before(task const& a, task const& b) {
    return std::tuple{a.purpose, -a.value, a.id} < std::tuple{b.purpose, -b.value, b.id};
  }
  static board::time ready(host_state const& host, task const& first) {
    auto const at = std::max(host.pause, host.hold);
    return first.purpose == job_class::feed ? std::max(at, host.feed_pause) : at;
  }
  static std::vector<task>::iterator first_open(host_state& host, board::permission const& allowed) {
    auto best = host.waiting.end();
    for (auto at = host.waiting.begin(); at != host.waiting.end(); ++at)
      if (allowed.open[static_cast<std::size_t>(at->purpose)] && (best == host.waiting.end() || before(*at, *best)))
        best = at;
    return best;
  }
  std::optional<task> take(board::time now, board::permission const& allowed) {
    std::optional<task> best;
    for (auto& [name, host] : hosts) {
      auto const first = first_open(host, allowed);
      bool const may = first != host.waiting.end() && host.active < limits.connections_per_host &&
                       (!allowed.host || allowed.host(name)) && ready(host, *first) <= now;
      if (may && (!best || before(*first, *best))) best = *first;
    }
    if (!best) return std::nullopt;
    auto& host = hosts[best->host];
    std::erase_if(host.waiting, [&](task const& one) { return one.id == best->id; });
    ++host.active;
    host.pause = now + limits.pause;
    if (best->purpose == job_class::feed) host.feed_pause = now + limits.feed_pause;
    return best;
  }
  std::optional<board::time> next_ready(board::time now, board::permission const& allowed) {
    std::optional<board::time> out;
    for (auto& [name, host] : hosts) {
      auto const first = first_open(host, allowed);
      bool const may = first != host.waiting.end() && host.active < limits.connections_per_host &&
                       (!allowed.host || allowed.host(name));
      if (may) out = std::min(out.value_or(board::time::max()), std::max(now, ready(host, *first)));
    }
    return out;
  }
};

}  // namespace

TEST_CASE("the more urgent class goes first, then the dearer task, whichever host it is for", "[sync]") {
  board b{{}};
  b.add({job_class::enclosure, 9, 1, "a"});
  b.add({job_class::page, 1, 2, "b"});
  b.add({job_class::page, 5, 3, "c"});
  b.add({job_class::feed, 0, 4, "d"});
  CHECK(taken(b, start) == 4);
  CHECK(taken(b, start) == 3);
  CHECK(taken(b, start) == 2);
  CHECK(taken(b, start) == 1);
  CHECK(taken(b, start) == 0);
}

TEST_CASE("a host has two connections at most and a pause between two requests", "[sync]") {
  board b{{.connections_per_host = 2, .pause = 250ms, .feed_pause = 1s}};
  for (std::uint64_t id = 1; id <= 4; ++id) b.add({job_class::page, 10.0 - static_cast<double>(id), id, "a"});
  board::permission const all{.open = all_open};
  CHECK(taken(b, start) == 1);
  CHECK(taken(b, start + 249ms) == 0);
  CHECK(b.next_ready(start, all) == start + 250ms);
  CHECK(taken(b, start + 250ms) == 2);
  CHECK(taken(b, start + 10s) == 0);
  CHECK_FALSE(b.next_ready(start + 10s, all).has_value());
  b.done({job_class::page, 9, 1, "a"}, start + 10s);
  CHECK(taken(b, start + 10s) == 3);
}

TEST_CASE("a host that is held is left alone until then, or until the link comes back", "[sync]") {
  board b{{}};
  b.add({job_class::page, 1, 1, "a"});
  b.hold("a", start + 1h);
  CHECK(taken(b, start) == 0);
  SECTION("until then") { CHECK(taken(b, start + 1h) == 1); }
  SECTION("until the link comes back") {
    b.lift_holds();
    CHECK(taken(b, start) == 1);
  }
}

TEST_CASE("any order of events leads to the tasks that looking through all of them would find", "[sync]") {
  std::mt19937 dice{20261118};
  auto const upto = [&](int most) { return std::uniform_int_distribution{0, most}(dice); };
  sync::board_limits const limits{.connections_per_host = 2, .pause = 30ms, .feed_pause = 90ms};
  board b{limits};
  plain_board plain{limits};
  std::vector<task> doing;
  auto now = start;
  for (std::uint64_t id = 1; id <= 5000; ++id) {
    auto const host = std::string(1, static_cast<char>('a' + upto(7)));
    now += std::chrono::milliseconds{upto(20)};
    board::permission allowed;
    for (auto& open : allowed.open) open = upto(3) > 0;
    if (upto(3) == 0) allowed.host = [](std::string const& name) { return name > "c"; };
    switch (upto(5)) {
      case 0:
      case 1: {
        task const what{static_cast<job_class>(1 + upto(4)), static_cast<double>(upto(5)), id, host};
        b.add(what);
        plain.hosts[host].waiting.push_back(what);
        break;
      }
      case 2:
        if (doing.empty()) break;
        b.done(doing.back(), now);
        --plain.hosts[doing.back().host].active;
        plain.hosts[doing.back().host].pause = std::max(plain.hosts[doing.back().host].pause, now);
        doing.pop_back();
        break;
      case 3:
        if (upto(20) > 0) break;
        b.hold(host, now + 200ms);
        plain.hosts[host].hold = std::max(plain.hosts[host].hold, now + 200ms);
        break;
      default:
        CHECK(b.next_ready(now, allowed) == plain.next_ready(now, allowed));
        auto const next = b.take(now, allowed);
        auto const expected = plain.take(now, allowed);
        REQUIRE((next ? next->id : 0) == (expected ? expected->id : 0));
        if (next) doing.insert(doing.begin(), *next);
    }
  }
}
