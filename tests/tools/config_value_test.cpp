#include "tools/cistern/config_value.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tools;
using namespace std::chrono_literals;

TEST_CASE("durations are read in the units people write", "[tools]") {
  auto const [text, value] = GENERATE(table<std::string, std::optional<duration>>({
      {"250ms", 250ms},
      {"2s", 2s},
      {" 15 m ", 15min},
      {"1h 30m", 90min},
      {"1.5h", 90min},
      {"7d", 168h},
      {"0", 0ms},
      {"", {}},
      {"2", {}},
      {"s", {}},
      {"-2s", {}},
      {"2 parsecs", {}},
      {"0.1ms", {}},
      {"99999999999999999999d", {}},
  }));
  INFO(text);
  CHECK(parse_duration(text) == value);
}

TEST_CASE("sizes are powers of 1000 without an i and of 1024 with one", "[tools]") {
  auto const [text, value] = GENERATE(table<std::string, std::optional<byte_size>>({
      {"4096", byte_size{4096}},
      {"500MB", byte_size{500'000'000}},
      {"2 GiB", gib(2)},
      {"2gib", gib(2)},
      {"1.5 KiB", byte_size{1536}},
      {"1 TB", byte_size{1'000'000'000'000}},
      {"0", byte_size{0}},
      {"", {}},
      {"2 GiB 3", {}},
      {"GiB", {}},
      {"-1", {}},
      {"2 gallons", {}},
      {"9999999 TiB", {}},
      {"1..5 GiB", {}},
  }));
  INFO(text);
  CHECK(parse_size(text) == value);
}

TEST_CASE("what is printed for a duration or a size reads back as the same", "[tools]") {
  for (auto const value : {0ms, 1ms, 1500ms, duration{60'000}, duration{86'400'000}, duration{90'000}}) {
    CHECK(parse_duration(to_text(value)) == value);
  }
  for (auto const value :
       {byte_size{0}, byte_size{1}, byte_size{1500}, kib(3), mib(16), gib(64), byte_size{500'000'000}}) {
    CHECK(parse_size(to_text(value)) == value);
  }
  CHECK(to_text(90min) == "90m");
  CHECK(to_text(gib(2)) == "2 GiB");
}
