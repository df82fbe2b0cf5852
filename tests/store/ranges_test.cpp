#include "store/ranges.hpp"

#include "fields.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace cistern::store;
using kind = range_answer::kind;
using ranges = std::vector<byte_range>;

namespace {
constexpr range_limits exact{.most_ranges = 32, .worth_joining = 0};
}

TEST_CASE("a range is cut to what is there", "[store]") {
  auto const [text, wanted] = GENERATE(table<std::string, ranges>({
      {"bytes=0-1", {{0, 1}}},
      {"bytes=1-", {{1, 9}}},
      {"bytes=-1", {{9, 9}}},
      {"bytes=-5", {{5, 9}}},
      {"bytes=-500", {{0, 9}}},
      {"bytes=0-0", {{0, 0}}},
      {"bytes=5-99999999999999999999999", {{5, 9}}},
      {"BYTES = 0-1", {{0, 1}}},
      {"bytes=0-1,4-5", {{0, 1}, {4, 5}}},
      {"bytes=4-5, 0-1", {{4, 5}, {0, 1}}},
      {"bytes=0-4,3-6", {{0, 6}}},
      {"bytes=5-,0-3,2-3", {{0, 3}, {5, 9}}},
      {"bytes=20-30,0-1", {{0, 1}}},
      {"bytes=,0-1", {{0, 1}}},
  }));
  INFO(text);
  auto const answer = read_range(text, 10, exact);
  CHECK(answer.what == kind::partial);
  CHECK(answer.ranges == wanted);
}

TEST_CASE("a Range that cannot be read, or of another unit, is as if it were not there", "[store]") {
  for (auto const* text : {"", "bytes", "bytes=", "bytes=a-b", "bytes=5", "bytes=5-4", "bytes=-", "bytes=1-2-3",
                           "lines=0-1", "bytes=0-1,x", "bytes=0x1-2", "bytes=+1-2"}) {
    INFO(text);
    CHECK(read_range(text, 10).what == kind::whole);
  }
}

TEST_CASE("a range past the end is refused, and so is any of an empty body", "[store]") {
  for (auto const* text : {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"})
    CHECK(read_range(text, 10).what == kind::unsatisfiable);
  CHECK(read_range("bytes=0-", 0).what == kind::unsatisfiable);
  CHECK(read_range("bytes=-1", 0).what == kind::unsatisfiable);
}

TEST_CASE("many tiny ranges are refused, and near ones are sent as one", "[store]") {
  std::string many = "bytes=0-0";
  for (int i = 1; i < 33; ++i) many += "," + std::to_string(i * 1000) + "-" + std::to_string(i * 1000);
  CHECK(read_range(many, 100'000).what == kind::refused);
  CHECK(read_range("bytes=0-9,100-109,5000-5009", 10'000).ranges == ranges{{0, 109}, {5000, 5009}});
}

TEST_CASE("ranges work beyond four gigabytes", "[store]") {
  constexpr std::uint64_t size = std::uint64_t{1} << 40;
  CHECK(read_range("bytes=1099511627775-", size).ranges == ranges{{size - 1, size - 1}});
  CHECK(content_range({size - 2, size - 1}, size) == "bytes 1099511627774-1099511627775/1099511627776");
}

TEST_CASE("the one range of something whose size is unknown yet is understood", "[store]") {
  CHECK(single_open_range("bytes=5-9") == byte_range{5, 9});
  CHECK(single_open_range("bytes=5-") == byte_range{5, std::numeric_limits<std::uint64_t>::max()});
  for (auto const* text : {"bytes=-5", "bytes=0-1,2-3", "bytes=", "x=1-2", ""}) CHECK_FALSE(single_open_range(text));
}

TEST_CASE("Content-Range is read to the letter", "[store]") {
  auto const whole = parse_content_range("bytes 0-4/10");
  REQUIRE(whole);
  CHECK(whole->range == byte_range{0, 4});
  CHECK(whole->size == 10);
  CHECK_FALSE(parse_content_range("bytes 0-4/*")->size);
  CHECK_FALSE(parse_content_range("bytes */10")->range);
  for (auto const* text : {"", "bytes", "bytes 0-4", "bytes 4-0/10", "bytes 0-10/10", "bytes */*", "bytes a-b/c",
                           "lines 0-4/10", "bytes=0-4/10", "bytes 0-4/1x"}) {
    INFO(text);
    CHECK_FALSE(parse_content_range(text));
  }
  CHECK(unsatisfied_content_range(10) == "bytes */10");
}

TEST_CASE("the parts of several ranges add up to the length that was announced", "[store]") {
  std::string const body = "0123456789";
  ranges const asked{{0, 1}, {7, 9}};
  multipart_ranges const frame{"edge", "text/plain", body.size()};
  std::string out;
  for (std::size_t i = 0; i < asked.size(); ++i)
    out += frame.part_head(asked[i], i == 0) + body.substr(asked[i].first, asked[i].size());
  out += frame.end();
  CHECK(out ==
        "--edge\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
        "\r\n--edge\r\nContent-Type: text/plain\r\nContent-Range: bytes 7-9/10\r\n\r\n789"
        "\r\n--edge--\r\n");
  CHECK(frame.content_length(asked) == out.size());
  CHECK(frame.content_type() == "multipart/byteranges; boundary=edge");
}
