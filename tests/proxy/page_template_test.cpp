#include "proxy/page_template.hpp"

#include <catch2/catch.hpp>

using namespace cistern::proxy;

TEST_CASE("a page's holes are filled with escaped values", "[proxy]") {
  page_template const page{"<b title=\"{{a}}\">{{a}}</b>{{none}}{{{raw}}}."};
  CHECK(page.fill({{"a", "<'\"&>"}, {"raw", "<i>"}}) ==
        "<b title=\"&lt;&#39;&quot;&amp;&gt;\">&lt;&#39;&quot;&amp;&gt;</b><i>.");
}

TEST_CASE("a value that looks like a hole stays as it is", "[proxy]") {
  CHECK(page_template{"{{a}} {{b}}"}.fill({{"a", "{{b}}"}, {"b", "x"}}) == "{{b}} x");
}

TEST_CASE("a page without holes or with one that never closes is left alone", "[proxy]") {
  CHECK(page_template{"plain { text }"}.fill({}) == "plain { text }");
  CHECK(page_template{"a {{open"}.fill({}) == "a {{open");
  CHECK(page_template{""}.fill({}).empty());
}

TEST_CASE("a missing page says which file and what to do", "[proxy]") {
  CHECK_THROWS_WITH(page_template::load("/nonexistent/status.html"),
                    Catch::Contains("/nonexistent/status.html") && Catch::Contains("server.webroot"));
}

TEST_CASE("a page's sections repeat for each entry of a list, or vanish", "[proxy]") {
  page_values with;
  with.texts = {{"name", "<b>"}, {"empty", ""}};
  with.lists["items"] = {page_values{{{"name", "one"}}, {}}, page_values{{{"x", "two"}}, {}}};
  auto const fill = [&](std::string text) { return page_template{std::move(text)}.fill_all(with); };
  CHECK(fill("{{#items}}[{{name}}{{ x }}]{{/items}}") == "[one][&lt;b&gt;two]");
  CHECK(fill("{{#empty}}no{{/empty}}{{^empty}}yes{{/empty}}{{#name}}!{{/name}}{{^items}}no{{/items}}") == "yes!");
  CHECK(fill("{{#name}}{{#items}}.{{/items}}{{/name}}") == "..");
}

TEST_CASE("a page whose sections do not close in order is noticed", "[proxy]") {
  for (auto const* bad : {"{{#a}}", "{{/a}}", "{{#a}}{{/b}}", "{{#a}}{{#b}}{{/a}}{{/b}}"}) {
    CHECK_FALSE(page_template::parse(bad));
    CHECK(page_template{bad}.fill({}) == bad);
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{{#a}}";
  CHECK_FALSE(page_template::parse(deep));
}
