#include "store/partial_content.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

using namespace cistern::store;
using namespace cistern::store::test;
using ranges = std::vector<byte_range>;

TEST_CASE("held ranges grow together where they touch", "[store]") {
  held_ranges held;
  held.add({10, 19});
  held.add({30, 39});
  CHECK(held.parts() == ranges{{10, 19}, {30, 39}});
  CHECK(held.first_gap(50) == byte_range{0, 9});
  held.add({0, 9});
  CHECK(held.parts() == ranges{{0, 19}, {30, 39}});
  CHECK(held.first_gap(50) == byte_range{20, 29});
  CHECK(held.covers({5, 19}));
  CHECK_FALSE(held.covers({5, 20}));
  held.add({15, 34});
  CHECK(held.parts() == ranges{{0, 39}});
  CHECK(held.bytes() == 40);
  CHECK_FALSE(held.is_complete(41));
  CHECK(held.first_gap(41) == byte_range{40, 40});
  CHECK(held.is_complete(40));
  CHECK_FALSE(held.first_gap(40));
  CHECK(held_ranges{}.is_complete(0));
  CHECK(held_ranges{}.first_gap(5) == byte_range{0, 4});
}

TEST_CASE("bytes are only put together when they are surely of the same version", "[store]") {
  constexpr std::string_view day_1 = "Tue, 01 Jan 2030 00:00:00 GMT", day_2 = "Wed, 02 Jan 2030 00:00:00 GMT";
  auto const tag = [](std::string_view t, std::string_view range) {
    return fields({{"ETag", t}, {"Content-Range", range}});
  };
  CHECK(may_combine(tag("\"a\"", "bytes 0-4/10"), tag("\"a\"", "bytes 5-9/10")));
  CHECK_FALSE(may_combine(tag("\"a\"", "bytes 0-4/10"), tag("\"b\"", "bytes 5-9/10")));
  CHECK_FALSE(may_combine(tag("W/\"a\"", "bytes 0-4/10"), tag("W/\"a\"", "bytes 5-9/10")));
  CHECK_FALSE(may_combine(tag("\"a\"", "bytes 0-4/10"), tag("\"a\"", "bytes 5-9/11")));
  CHECK_FALSE(may_combine(fields({}), fields({})));
  CHECK_FALSE(may_combine(tag("\"a\"", "bytes 0-4/10"), fields({{"Content-Range", "bytes 5-9/10"}})));
  auto const dated = fields({{"Last-Modified", day_1}, {"Date", day_2}});
  CHECK(may_combine(dated, dated));
  CHECK_FALSE(may_combine(dated, fields({{"Last-Modified", day_2}, {"Date", day_2}})));
  CHECK_FALSE(may_combine(fields({{"Last-Modified", day_1}, {"Date", day_1}}),
                          fields({{"Last-Modified", day_1}, {"Date", day_1}})));
}

TEST_CASE("a joined response has the whole length and the newer fields", "[store]") {
  auto const out = combined_fields(
      fields({{"ETag", "\"a\""}, {"Content-Range", "bytes 0-4/10"}, {"Content-Length", "5"}, {"A", "1"}, {"B", "1"}}),
      fields(
          {{"ETag", "\"a\""}, {"Content-Range", "bytes 5-9/10"}, {"Content-Length", "5"}, {"A", "2"}, {"Date", "D"}}),
      10, noon);
  CHECK_FALSE(out.has("Content-Range"));
  CHECK(out.find("Content-Length") == "10");
  CHECK(out.find("A") == "2");
  CHECK(out.find("B") == "1");
}

TEST_CASE("the rest of a broken download is asked for with a strong validator or not at all", "[store]") {
  held_ranges held;
  held.add({0, 4});
  header_block request;
  CHECK(add_resume(request, fields({{"ETag", "\"a\""}}), held, 10, noon));
  CHECK(request.wire() == "Range: bytes=5-\r\nIf-Range: \"a\"\r\n");
  header_block unknown;
  CHECK(add_resume(unknown, fields({{"ETag", "\"a\""}}), held, std::nullopt, noon));
  CHECK(unknown.find("Range") == "bytes=5-");
  held.add({8, 9});
  header_block gap;
  CHECK(add_resume(
      gap, fields({{"Last-Modified", "Tue, 01 Jan 2030 00:00:00 GMT"}, {"Date", "Wed, 02 Jan 2030 00:00:00 GMT"}}),
      held, 10, noon));
  CHECK(gap.wire() == "Range: bytes=5-7\r\nIf-Range: Tue, 01 Jan 2030 00:00:00 GMT\r\n");
  header_block none;
  CHECK_FALSE(add_resume(none, fields({{"ETag", "W/\"a\""}}), held, 10, noon));
  CHECK_FALSE(add_resume(none, fields({}), held, 10, noon));
  CHECK(none.empty());
}

TEST_CASE("a 206 belongs where its Content-Range says, and has the bytes that it has", "[store]") {
  auto const [range, length, part] = GENERATE(table<std::string, std::uint64_t, std::optional<held_part>>({
      {"bytes 5-9/10", 5, held_part{{5, 9}, 10}},
      {"bytes 0-4/10", 5, held_part{{0, 4}, 10}},
      {"bytes 0-9/10", 10, held_part{{0, 9}, 10}},
      {"bytes 4-9/10", 5, held_part{{4, 8}, 10}},  // incomplete: its last byte is missing
      {"bytes 2-5/10", 3, held_part{{2, 4}, 10}},
      {"bytes 5-9/10", 6, std::nullopt},
      {"bytes 5-9/10", 0, std::nullopt},
      {"bytes 5-9/*", 5, std::nullopt},
      {"bytes */10", 5, std::nullopt},
      {"bytes 9-5/10", 5, std::nullopt},
      {"bytes 5-10/10", 6, std::nullopt},
      {"items 5-9/10", 5, std::nullopt},
      {"", 5, std::nullopt},
  }));
  INFO(range);
  CHECK(received_part(fields({{"Content-Range", range}}), length) == part);
}

TEST_CASE("an unfinished response has the bytes that are stored of it", "[store]") {
  auto const ranged = fields({{"Content-Range", "bytes 5-9/10"}});
  CHECK(stored_part(206, ranged, 5, {}) == held_part{{5, 9}, 10});
  CHECK(stored_part(206, ranged, 3, {}) == held_part{{5, 7}, 10});
  CHECK_FALSE(stored_part(206, ranged, 6, {}));
  CHECK_FALSE(stored_part(206, ranged, 0, {}));
  CHECK_FALSE(stored_part(206, fields({}), 5, {}));
  CHECK(stored_part(200, fields({}), 5, 10) == held_part{{0, 4}, 10});
  CHECK_FALSE(stored_part(200, fields({}), 5, {}));
  CHECK_FALSE(stored_part(200, fields({}), 11, 10));
  CHECK_FALSE(stored_part(404, fields({}), 5, 10));
}

TEST_CASE("a part answers one range that lies in it", "[store]") {
  held_part const part{{5, 8}, 10};
  CHECK(range_in_part("bytes=5-8", part) == byte_range{5, 8});
  CHECK(range_in_part("bytes=6-6", part) == byte_range{6, 6});
  for (auto const* outside : {"bytes=4-6", "bytes=6-", "bytes=-2", "bytes=20-30", "lines=5-6", ""})
    CHECK_FALSE(range_in_part(outside, part));
}

TEST_CASE("only a range that starts far in is worth a request of its own", "[store]") {
  for (auto const* far : {"bytes=-5", "bytes=8388608-", "bytes=99999999-100000000"}) CHECK(starts_far_in(far));
  for (auto const* near : {"bytes=0-", "bytes=8388607-", "bytes=0-1,99999999-", "lines=-5", "bytes=x", ""})
    CHECK_FALSE(starts_far_in(near));
}
