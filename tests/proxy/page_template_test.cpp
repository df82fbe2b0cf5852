#include "proxy/page_template.hpp"
#include "proxy/page_texts.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;

namespace {
std::string fill(std::string_view source, page_values const& values) {
  return page_template::parse(source).value().render(values);
}
}  // namespace

TEST_CASE("places are filled, escaped, and sections repeat or vanish", "[proxy]") {
  page_values v;
  v.texts = {{"name", "<b>\"'&"}, {"empty", ""}};
  v.lists["items"] = {page_values{{{"name", "one"}}, {}}, page_values{{{"x", "two"}}, {}}};
  CHECK(fill("a {{name}} {{ name }} {{unknown}}.", v) == "a &lt;b&gt;&quot;&#39;&amp; &lt;b&gt;&quot;&#39;&amp; .");
  CHECK(fill("{{#items}}[{{name}}{{x}}]{{/items}}", v) == "[one][&lt;b&gt;&quot;&#39;&amp;two]");
  CHECK(fill("{{#empty}}no{{/empty}}{{^empty}}yes{{/empty}}{{#name}}!{{/name}}{{^items}}no{{/items}}", v) == "yes!");
  CHECK(fill("{{#name}}{{#items}}.{{/items}}{{/name}}", v) == "..");
}

TEST_CASE("a template whose sections do not close is refused", "[proxy]") {
  for (auto const* bad : {"{{#a}}", "{{/a}}", "{{#a}}{{/b}}", "{{#a}}{{#b}}{{/a}}{{/b}}", "{{", "{{}}", "{{a"})
    CHECK_FALSE(page_template::parse(bad));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{{#a}}";
  CHECK_FALSE(page_template::parse(deep));
}

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
