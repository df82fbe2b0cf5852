#include "stitch/html/requisites.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

using namespace cistern::stitch;
using html::requisite_kind;

namespace {

constexpr std::string_view page_url = "https://a.test/2026/article";

html::document parsed(std::string_view page) {
  auto d = html::document::parse(page);
  REQUIRE(d.has_value());
  return *d;
}

std::string contents(char const* path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string listed(std::vector<html::requisite> const& all) {
  static constexpr std::string_view names[] = {"style", "image", "poster", "next", "script", "font", "frame", "icon"};
  std::string out;
  for (auto const& r : all)
    out += std::string{r.required ? "required " : "optional "} + std::string{names[int(r.kind)]} + ' ' + r.url + '\n';
  return out;
}

std::string first_image(std::string_view page, html::requisite_options const& options = {}) {
  auto const all = html::requisites(parsed(page), page_url, options);
  return all.empty() ? "" : all[0].url;
}

}  // namespace

TEST_CASE("an article's requisites are what the golden file says, in that order", "[stitch]") {
  static constexpr auto page = CISTERN_TEST_DATA "/requisites/article.in.html";
  static constexpr auto golden = CISTERN_TEST_DATA "/requisites/article.out.txt";
  auto const got = listed(html::requisites(parsed(contents(page)), page_url));
  if (std::getenv("UPDATE_GOLDEN")) std::ofstream{golden, std::ios::binary} << got;
  CHECK(got == contents(golden));
}

TEST_CASE("the smallest image that is wide enough is chosen", "[stitch]") {
  auto const [width, density, chosen] = GENERATE(table<double, double, std::string>({
      {300, 1, "https://a.test/2026/s"},
      {500, 1, "https://a.test/2026/m"},
      {500, 2, "https://a.test/2026/l"},
      {9000, 1, "https://a.test/2026/l"},
  }));
  html::requisite_options options;
  options.screen = {.width = width, .height = 800, .density = density};
  options.image_width = 10'000;
  CHECK(first_image("<img src=x srcset='l 1200w, s 320w, m 640w'>", options) == chosen);
  options.image_width = 200;  // enough for anything
  options.screen.density = 1;
  CHECK(first_image("<img src=x srcset='l 1200w, s 320w, m 640w'>", options) == "https://a.test/2026/s");
}

TEST_CASE("an image of one pixel is never wanted, one of unknown size always", "[stitch]") {
  auto const [page, wanted] = GENERATE(table<std::string, bool>({
      {"<img src=i width=1 height=1>", false},
      {"<img src=i width=0>", false},
      {"<img src=i height='1px'>", false},
      {"<img src=i style='height:1px;width:1px'>", false},
      {"<img src=i style='width:100%;height:0;padding-bottom:50%'>", true},
      {"<img src=i width=1 height=20>", true},
      {"<img src=i width='100%'>", true},
      {"<img src=i width=wide>", true},
      {"<img src=i>", true},
  }));
  INFO(page);
  CHECK(first_image(page).empty() != wanted);
}

TEST_CASE("each address comes once, at its most important", "[stitch]") {
  auto const all = html::requisites(
      parsed("<noscript><img src=i></noscript><p style='background:url(i)'><img src='i#a'>"), page_url);
  REQUIRE(all.size() == 1);
  CHECK(all[0].required);
}

TEST_CASE("a page is not its own requisite", "[stitch]") {
  CHECK(html::requisites(parsed("<img src=''><img src='/2026/article#x'><iframe src='article'></iframe>"), page_url)
            .empty());
}

TEST_CASE("when there is too much, the least important goes", "[stitch]") {
  std::string page;
  for (int i = 0; i < 500; ++i) page += "<p style='background:url(b" + std::to_string(i) + ")'>";
  page += "<img src=i><link rel=stylesheet href=s>";
  html::requisite_options options;
  options.most = 100;
  auto const all = html::requisites(parsed(page), page_url, options);
  REQUIRE(all.size() == 100);
  CHECK(all[0].kind == requisite_kind::style);
  CHECK(all[1].required);
}

TEST_CASE("a style sheet's requisites: its imports, one file of each font, its images", "[stitch]") {
  std::string const sheet =
      "@charset \"utf-8\";@import 'a.css';@import 'b.css' print;@import url(c.css) layer(x) supports(display:grid) "
      "screen;"
      "@font-face{src:url(f.woff2)format('woff2'),url(f.woff)}@font-face{src:url(g.ttf)}"
      "p{background:url(/i.png)}q{background:url(https://x.doubleclick.net/i.png)}";
  CHECK(listed(html::requisites_of_style(sheet, "text/css", "https://cdn.test/css/s.css", page_url)) ==
        "required style https://cdn.test/css/a.css\n"
        "required style https://cdn.test/css/c.css\n"
        "optional font https://cdn.test/css/f.woff2\n"
        "optional font https://cdn.test/css/g.ttf\n"
        "optional image https://cdn.test/i.png\n");
}

TEST_CASE("a style sheet is read in its charset", "[stitch]") {
  auto const all = html::requisites_of_style("p{background:url(\xE9.png)}", "text/css; charset=iso-8859-1",
                                             "http://a.test/s", page_url);
  REQUIRE(all.size() == 1);
  CHECK(all[0].url == "http://a.test/\u00e9.png");
  auto const declared = html::requisites_of_style("@charset \"windows-1251\";p{background:url(\xE9.png)}", "text/css",
                                                  "http://a.test/s", page_url);
  REQUIRE(declared.size() == 1);
  CHECK(declared[0].url == "http://a.test/\u0439.png");
}

TEST_CASE("frames in frames in frames end", "[stitch]") {
  std::string page = "<img src=deep>";
  for (int i = 0; i < 8; ++i) {
    std::string next = "<img src=d" + std::to_string(i) + "><iframe srcdoc=\"";
    for (char const c : page) next += c == '"' ? "&quot;" : c == '&' ? "&amp;" : std::string(1, c);
    page = next + "\"></iframe>";
  }
  auto const all = html::requisites(parsed(page), page_url);
  CHECK(all.size() == 3);
}
