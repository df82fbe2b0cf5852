#include "stitch/css/references.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;
using css::reference_kind;

namespace {

std::string listed(std::string_view sheet) {
  std::string out;
  for (auto const& r : css::references(sheet)) {
    if (!out.empty()) out += ' ';
    out += r.kind == reference_kind::import   ? "import:"
           : r.kind == reference_kind::font   ? "font:"
           : r.kind == reference_kind::cursor ? "cursor:"
                                              : "image:";
    out += r.written;
  }
  return out;
}

}  // namespace

TEST_CASE("a style sheet's references are found with what they are for", "[stitch]") {
  auto const [sheet, expected] = GENERATE(table<std::string, std::string>({
      {"@import 'a.css';", "import:a.css"},
      {"@import url(a.css) screen;@import url(\"b.css\");", "import:a.css import:b.css"},
      {"@IMPORT\"a.css\"", "import:a.css"},
      {"@import url(a.css) supports(background: url(b.png));p{}", "import:a.css"},
      {"@charset \"utf-8\"; @namespace svg url(http://www.w3.org/2000/svg);", ""},
      {"p{background:url(a.png) no-repeat, url('b.png')}", "image:a.png image:b.png"},
      {"p:hover,a::before{content:\"x\" url(c.gif)}", "image:c.gif"},
      {"p{cursor:url(d.cur),auto}", "cursor:d.cur"},
      {"@font-face{font-family:\"F\";src:local(\"F\"),url(f.woff2) format(\"woff2\"),url(f.woff)format('woff')}",
       "font:f.woff2 font:f.woff"},
      {"@media print{@font-face{src:url(g)}p{background:url(h)}}", "font:g image:h"},
      {"p{background-image:image-set(\"a.png\" 1x,url(b.png) 2x, \"c.avif\" type(\"image/avif\") 3x)}",
       "image:a.png image:b.png image:c.avif"},
      {"p{background:-webkit-image-set('a' 1x)}", "image:a"},
      {"p{--x:url(v.png);mask:src(\"m.svg\")}", "image:v.png image:m.svg"},
      {"p{background:url(\"a.png\" crossorigin(\"b\"))}", "image:a.png"},
      {"background:url(x.png)", "image:x.png"},
      {"/* url(no) */ p{background:url(yes)} /* @import 'no'", "image:yes"},
      {"p{content:'url(no)';quotes:\"a\" \"b\"}", ""},
      {"p{background:url(a b) , url(ok)}", "image:ok"},
      {"p{color:red;;}} ] ) q{background:url(ok)}", "image:ok"},
      {"p{@import 'no.css';background:url(ok)}", "image:ok"},
      {"", ""},
  }));
  INFO(sheet);
  CHECK(listed(sheet) == expected);
}

TEST_CASE("a reference knows the bytes that would have to be replaced", "[stitch]") {
  std::string const sheet = "@import  url( 'a.css' ) print;p{b:url(b.png)}";
  auto const all = css::references(sheet);
  REQUIRE(all.size() == 2);
  CHECK(sheet.substr(all[0].begin, all[0].end - all[0].begin) == "'a.css'");
  CHECK_FALSE(all[0].bare_url);
  CHECK(sheet.substr(all[1].begin, all[1].end - all[1].begin) == "url(b.png)");
  CHECK(all[1].bare_url);
}

TEST_CASE("an import carries its condition, a font its format, group and script", "[stitch]") {
  auto const all = css::references(
      "@import 'a.css' layer(base) print;"
      "@font-face{src:url(a.eot);src:url(a.woff2)format(woff2),url(a.ttf) "
      "format(\"TrueType\");unicode-range:U+0400-045F, u+4??}"
      "@font-face{src:url(b.woff2);unicode-range:U+0-FF}"
      "@font-face{src:url(c.woff2)}");
  REQUIRE(all.size() == 6);
  CHECK(all[0].condition == " layer(base) print");
  CHECK(all[1].group != all[2].group);
  CHECK(all[2].group == all[3].group);
  CHECK(all[2].format == "woff2");
  CHECK(all[3].format == "truetype");
  CHECK_FALSE(all[1].latin);
  CHECK_FALSE(all[3].latin);
  CHECK(all[4].latin);
  CHECK(all[5].latin);
}

TEST_CASE("hostile style sheets cost no more than their length", "[stitch]") {
  auto const piece =
      GENERATE(as<std::string>{}, "(", "[)", "{", "}", "url(", "\"", "\\", "/*", "@import ", "a:", "f(]");
  std::string sheet;
  while (sheet.size() < (2u << 20)) sheet += piece;
  CHECK(css::references(sheet).size() <= 20'000);
}

TEST_CASE("a sheet with more references than anyone needs is cut", "[stitch]") {
  std::string sheet;
  for (int i = 0; i < 300; ++i) sheet += "p{background:url(a)}";
  CHECK(css::references(sheet, {.size = 1u << 20, .references = 100}).size() == 100);
  CHECK(css::references(sheet, {.size = 40, .references = 100}).size() == 2);
}
