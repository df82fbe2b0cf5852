#include "proxy/pac.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;
using Catch::Contains;

TEST_CASE("the PAC file names carried hosts once, sorted and in lower case", "[proxy]") {
  auto const pac = make_pac({.proxy = "localhost:8910", .hosts = {"b.test", "A.test", ".c.test", "b.test"}});
  CHECK_THAT(pac, Contains("var carried = {\n  \"a.test\": 1,\n  \"b.test\": 1,\n  \"c.test\": 1};"));
  CHECK_THAT(pac, Contains("var carriedBelow = {\n  \"c.test\": 1};"));
  CHECK_THAT(pac, Contains("return \"PROXY localhost:8910; DIRECT\""));
}

TEST_CASE("no host name can become script", "[proxy]") {
  auto const pac = make_pac(
      {.proxy = "localhost:8910", .hosts = {"\"};alert(1);//", "a b", "", ".", "x\ny", "good.test", "\xC3\xBC.test"}});
  CHECK_THAT(pac, Contains("var carried = {\n  \"good.test\": 1};"));
  CHECK_THAT(pac, !Contains("alert"));
}

TEST_CASE("without carried hosts, or with a proxy that is no address, everything goes direct", "[proxy]") {
  CHECK_THAT(make_pac({.proxy = "localhost:8910", .hosts = {}}), !Contains("PROXY"));
  for (auto const* bad : {"", "localhost", "localhost:", ":80", "a\"b:80", "a:8x"})
    CHECK_THAT(make_pac({.proxy = bad, .hosts = {"a.test"}}), !Contains("PROXY"));
  CHECK_THAT(make_pac({.proxy = "[::1]:8910", .hosts = {"a.test"}}), Contains("PROXY [::1]:8910; DIRECT"));
}
