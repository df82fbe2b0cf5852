#include "proxy/page_texts.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;

TEST_CASE("sentences are filled by name and chosen by number", "[proxy]") {
  auto const t =
      page_texts::parse(
          R"({"a": "x {who} y {what}", "n.one": "one", "n.other": "{n} things", "odd": "{ {", "twice": "{a}{a}"})")
          .value();
  CHECK(t.say("a", {{"who", "{what}"}}) == "x {what} y {what}");
  CHECK(t.say("missing") == "missing");
  CHECK(t.say("odd") == "{ {");
  CHECK(t.say("twice", {{"a", "1"}}) == "11");
  CHECK(t.count("n", 1) == "one");
  CHECK(t.count("n", 0) == "0 things");
  for (auto const* bad : {"", "[]", "{\"a\": 1}", "{"}) CHECK_FALSE(page_texts::parse(bad));
}
