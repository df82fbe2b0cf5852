#include "proxy/multipart.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace cistern::proxy;

namespace {

std::string const type = "multipart/form-data; boundary=\"--x7\"";

std::string form(std::string const& inside) { return "----x7" + inside + "----x7--\r\n"; }

}  // namespace

TEST_CASE("a form with files comes apart into its fields", "[proxy]") {
  std::string const body = form(
      "\r\nContent-Disposition: form-data; name=\"base\"\r\n\r\nhttp://paper.test/\r\n"
      "----x7\r\nContent-Disposition: form-data; name=page; filename=\"a; b.html\"\r\nContent-Type: text/html\r\n\r\n"
      "<p>--x7\r\n\r\n</p>\r\n");
  auto const parts = parts_of_form(type, body);
  REQUIRE(parts);
  REQUIRE(parts->size() == 2);
  CHECK(parts->at(0).name == "base");
  CHECK(parts->at(0).bytes == "http://paper.test/");
  CHECK(parts->at(1).file_name == "a; b.html");
  CHECK(parts->at(1).bytes == "<p>--x7\r\n\r\n</p>");
}

TEST_CASE("what is no whole form is refused", "[proxy]") {
  auto const good = form("\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n");
  CHECK(parts_of_form(type, good));
  CHECK_FALSE(parts_of_form("application/x-www-form-urlencoded", good));
  CHECK_FALSE(parts_of_form("multipart/form-data", good));
  CHECK_FALSE(parts_of_form("multipart/form-data; boundary=other", good));
  for (std::size_t cut = 0; cut < good.size() - 4; ++cut) CHECK_FALSE(parts_of_form(type, good.substr(0, cut)));
  CHECK_FALSE(parts_of_form(type, good, 0));
}

TEST_CASE("no form makes the reader stumble", "[proxy]") {
  std::mt19937 dice{7};
  std::string const letters = "-x7\r\n:;=\" a";
  for (int round = 0; round < 2'000; ++round) {
    std::string body = "----x7";
    for (int i = 0; i < 60; ++i) body += letters[dice() % letters.size()];
    static_cast<void>(parts_of_form(type, body));
    static_cast<void>(parts_of_form("multipart/form-data; " + body, body));
  }
  SUCCEED();
}
