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
