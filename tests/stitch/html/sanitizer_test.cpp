#include "stitch/html/sanitizer.hpp"

#include <catch2/catch.hpp>

using cistern::stitch::html::escaped;
using cistern::stitch::html::sanitized;

TEST_CASE("nothing that runs, frames, posts or restyles survives the sanitiser", "[stitch]") {
  auto const [dirty, clean] = GENERATE(table<std::string, std::string>({
      {"a<script>evil()</script>b", "ab"},
      {"<p onclick='x()' style='position:fixed' class=c id=i>t</p>", "<p>t</p>"},
      {"<a href='javascript:x()'>t</a>", "<a>t</a>"},
      {"<a href=' java\nscript:x()'>t</a>", "<a>t</a>"},
      {"<a href='JaVaScRiPt&#58;x()'>t</a>", "<a>t</a>"},
      {"<img src='data:image/svg+xml,x' alt=a>", "<img alt=\"a\">"},
      {"<img srcset='javascript:x 1x, a.png 2x'>", "<img>"},
      {"<form action=x><input name=y>t</form>", "t"},
      {"<iframe src=x>f</iframe><object data=x>o</object><embed src=x>", ""},
      {"<base href=x><meta http-equiv=refresh content=0><link rel=stylesheet href=x>t", "t"},
      {"<style>p{}</style><svg><script>x</script></svg><math><mi>x</mi></math>t", "t"},
      {"<blink>t</blink><custom-element>u</custom-element>", "tu"},
      {"<b>open", "<b>open</b>"},
      {"1 < 2 & 3", "1 &lt; 2 &amp; 3"},
      {"<!-- c --><![CDATA[x]]>t", "t"},
      {"<a href=\"http://a.test/?a=1&amp;b=2\" title='\"'>t</a>",
       "<a href=\"http://a.test/?a=1&amp;b=2\" title=\"&quot;\">t</a>"},
      {"<table><tr><td colspan=2>c</td></tr></table>",
       "<table><tbody><tr><td colspan=\"2\">c</td></tr></tbody></table>"},
  }));
  INFO(dirty);
  CHECK(sanitized(dirty) == clean);
  CHECK(sanitized(sanitized(dirty)) == sanitized(dirty));
}

TEST_CASE("plain text is shown as it is", "[stitch]") { CHECK(escaped("a <b> & c") == "a &lt;b&gt; &amp; c"); }

TEST_CASE("what is nested without end is still sanitised", "[stitch]") {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<div><b>";
  CHECK(sanitized(deep + "text").size() < deep.size() + 10'000'000);
}
