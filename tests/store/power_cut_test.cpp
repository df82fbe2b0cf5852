#include "tests/support/temp_dir.hpp"
#include "tools/torture/torture.hpp"

#include <catch2/catch.hpp>

TEST_CASE("whatever was acknowledged survives kill -9 at any moment", "[store][slow]") {
  cistern::tests::temp_dir dir;
  auto const outcome = cistern::tools::torture({.path = dir.path() / "data", .seed = 20261116, .cycles = 30});
  CAPTURE(outcome.acknowledged);
  CHECK(outcome.failure == "");
  CHECK(outcome.cycles == 30);
  CHECK(outcome.acknowledged > 300);
}
