#include "store/codec.hpp"
#include "store/tables.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace cistern::store;
using namespace std::chrono_literals;

namespace {

struct first_edition {
  static constexpr std::uint8_t version = 1;
  std::string name;
  std::int64_t number = 0;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.name, self.number);
  }
};

struct second_edition {
  static constexpr std::uint8_t version = 1;
  std::string name;
  std::int64_t number = 0;
  std::vector<std::string> tags{"none"};
  double weight = 1.5;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& v) {
    v(self.name, self.number, self.tags, self.weight);
  }
};

}  // namespace

TEST_CASE("a record comes back as it was written", "[store]") {
  subscription s{.id = 7, .feed_url = "http://a.test/feed", .folders = {"News", "Daily/Local"}, .weight = 0.25};
  s.carry.enclosure_limit = std::numeric_limits<std::uint64_t>::max();
  s.added = std::chrono::sys_seconds{-3600s};
  s.etag = "W/\"a\\\"b\"";
  auto const back = decode<subscription>(encode(s));
  CHECK(back.id == 7);
  CHECK(back.folders == s.folders);
  CHECK(back.weight == 0.25);
  CHECK(back.carry.enclosure_limit == s.carry.enclosure_limit);
  CHECK(back.added == s.added);
  CHECK(back.etag == s.etag);
}

TEST_CASE("programs of different age read each other's records", "[store]") {
  auto const newer = decode<second_edition>(encode(first_edition{.name = "x", .number = -5}));
  CHECK(newer.name == "x");
  CHECK(newer.number == -5);
  CHECK(newer.tags == std::vector<std::string>{"none"});
  auto const older =
      decode<first_edition>(encode(second_edition{.name = "y", .number = 9, .tags = {"a", "b"}, .weight = 2}));
  CHECK(older.name == "y");
  CHECK(older.number == 9);
}

TEST_CASE("no bytes make the decoder read outside its record", "[store]") {
  auto const whole = encode(job{.id = 1, .url = "http://a.test/", .owners = {"me", "you"}, .last_error = "refused"});
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    try {
      static_cast<void>(decode<job>(whole.substr(0, cut)));
    } catch (bad_record const&) {
    }
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto flipped = whole;
      flipped[cut] = static_cast<char>(flipped[cut] ^ (1 << bit));
      try {
        static_cast<void>(decode<job>(flipped));
      } catch (bad_record const&) {
      }
    }
  }
  CHECK_THROWS_AS(decode<job>(""), bad_record);
  CHECK_THROWS_AS(decode<job>("\x63"), bad_record);
}
