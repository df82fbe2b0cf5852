#include "stitch/html/references.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;
using html::reference_kind;

namespace {

html::document parsed(std::string_view page) {
  auto d = html::document::parse(page);
  REQUIRE(d.has_value());
  return *d;
}

std::string first_of_kind(std::string_view page, reference_kind kind) {
  auto const d = parsed(page);
  for (auto const& r : html::references(d, "https://a.test/x/page").found)
    if (r.kind == kind) return r.url;
  return {};
}

std::string all_of(std::string_view page) {
  auto const d = parsed(page);
  std::string out;
  for (auto const& r : html::references(d, "https://a.test/x/page").found) out += r.url + "\n";
  return out;
}

}  // namespace

TEST_CASE("every place that holds an address is known, with what it is for", "[stitch]") {
  auto const [page, kind] = GENERATE(table<std::string, reference_kind>({
      {"<a href=y>", reference_kind::link},
      {"<map><area href=y></map>", reference_kind::link},
      {"<a href='#f' ping='y z'>", reference_kind::ping},
      {"<form action=y>", reference_kind::form},
      {"<button formaction=y>", reference_kind::form},
      {"<img src=y>", reference_kind::image},
      {"<img srcset='y 2x'>", reference_kind::image},
      {"<img data-src=y.jpg>", reference_kind::image},
      {"<img data-srcset='y 640w'>", reference_kind::image},
      {"<img data-lazy-src=/x/y>", reference_kind::image},
      {"<img data-original=/x/y>", reference_kind::image},
      {"<div data-bg=/x/y></div>", reference_kind::image},
      {"<picture><source srcset=y></picture>", reference_kind::image},
      {"<video poster=y></video>", reference_kind::poster},
      {"<video src=y></video>", reference_kind::media},
      {"<audio><source src=y></audio>", reference_kind::media},
      {"<video><track src=y></video>", reference_kind::track},
      {"<link rel=StyleSheet href=y>", reference_kind::style},
      {"<link rel='alternate stylesheet' href=y>", reference_kind::style},
      {"<link rel='shortcut icon' href=y>", reference_kind::icon},
      {"<link rel=apple-touch-icon href=y>", reference_kind::icon},
      {"<link rel=preload as=font href=y>", reference_kind::font},
      {"<link rel=preload as=style href=y>", reference_kind::style},
      {"<link rel=preload as=image imagesrcset='y 2x'>", reference_kind::image},
      {"<link rel=modulepreload href=y>", reference_kind::script},
      {"<link rel=manifest href=y>", reference_kind::manifest},
      {"<link rel=next href=y>", reference_kind::next_page},
      {"<link rel=dns-prefetch href=y>", reference_kind::hint},
      {"<link rel=canonical href=y>", reference_kind::relation},
      {"<script src=y></script>", reference_kind::script},
      {"<script type=importmap>{\"imports\":{\"m\":\"./y\"}}</script>", reference_kind::script},
      {"<iframe src=y></iframe>", reference_kind::frame},
      {"<frameset><frame src=y></frameset>", reference_kind::frame},
      {"<object data=y></object>", reference_kind::object},
      {"<embed src=y>", reference_kind::object},
      {"<meta http-equiv=Refresh content='3; URL=\"y\"'>", reference_kind::refresh},
      {"<base href=y>", reference_kind::base},
      {"<p style='background:url(y)'>", reference_kind::image},
      {"<style>p{background:url(y)}</style>", reference_kind::image},
      {"<style>@import 'y';</style>", reference_kind::style},
      {"<style>@font-face{src:url(y)}</style>", reference_kind::font},
      {"<svg><image href=y /></svg>", reference_kind::image},
      {"<svg><image xlink:href=y /></svg>", reference_kind::image},
      {"<svg><use xlink:href='y#i'/></svg>", reference_kind::image},
      {"<svg><a href=y></a></svg>", reference_kind::link},
      {"<svg><script href=y></script></svg>", reference_kind::script},
      {"<svg><rect fill='url(y#g)'/></svg>", reference_kind::image},
      {"<svg><style>p{fill:url(y)}</style></svg>", reference_kind::image},
      {"<body background=y>", reference_kind::image},
      {"<input type=image src=y>", reference_kind::image},
  }));
  INFO(page);
  auto const url = first_of_kind(page, kind);
  CHECK(url.substr(0, 18) == "https://a.test/x/y");
}

TEST_CASE("addresses start from the page's base", "[stitch]") {
  CHECK(all_of("<base href='//b.test/d/'><img src=y><a href='?q'>") ==
        "https://b.test/d/\nhttps://b.test/d/y\nhttps://b.test/d/?q\n");
}

TEST_CASE("what leads nowhere else is no reference", "[stitch]") {
  CHECK(all_of("<a href='#x'><a href='javascript:a()'><img src='data:image/png;base64,AA=='><a href='mailto:a@b'>"
               "<img src=''><div data-src='{\"a\":1}' data-image=hero data-bg='not an address'>")
            .empty());
}

TEST_CASE("JSON-LD and other data of scripts are left alone", "[stitch]") {
  CHECK(all_of("<script type=application/ld+json>{\"url\":\"https://b.test/\"}</script>"
               "<script>fetch('https://b.test/')</script>")
            .empty());
}

TEST_CASE("a drawing's style with elements inside does not lie over their places", "[stitch]") {
  auto const d = parsed("<svg><style>a{b:url(c)}&amp;<u/><image href=d /></svg><img src=e>");
  std::uint32_t reached = 0;
  for (auto const& place : html::references(d, "https://a.test/").places) {
    if (place.end == place.begin) continue;
    CHECK(place.begin >= reached);
    reached = place.end;
  }
  CHECK(all_of("<svg><style>a{b:url(c)}</style></svg>") == "https://a.test/x/c\n");
}

TEST_CASE("an element that the parser cloned counts once", "[stitch]") {
  CHECK(all_of("<p><a href=y><p>one<p>two") == "https://a.test/x/y\n");
}

TEST_CASE("a reference knows its bytes in the source, even where the parser moved the element", "[stitch]") {
  std::string const page = "<table><tr><img src=\"a&amp;b\"><td></table>";
  auto const d = parsed(page);
  auto const refs = html::references(d, "http://a.test/");
  REQUIRE(refs.found.size() == 1);
  CHECK(refs.found[0].url == "http://a.test/a&b");
  CHECK(page.substr(refs.found[0].begin, refs.found[0].end - refs.found[0].begin) == "a&amp;b");
}

TEST_CASE("a srcset is split as browsers split it", "[stitch]") {
  auto const listed = [](std::string_view set) {
    std::string out;
    for (auto const& c : html::candidates_of(set))
      out += std::string{c.written} +
             (c.width ? "@" + std::to_string(c.width) + "w" : "@" + std::to_string(int(c.density * 10))) + " ";
    return out;
  };
  CHECK(listed("a.jpg 320w, b.jpg 640w") == "a.jpg@320w b.jpg@640w ");
  CHECK(listed("a.jpg, b.jpg 1.5x,c.jpg 2x") == "a.jpg@10 b.jpg@15 c.jpg@20 ");
  CHECK(listed(" , a,b.jpg 2x,") == "a,b.jpg@20 ");
  CHECK(listed("a.jpg,") == "a.jpg@10 ");
  CHECK(listed("/w_300,h_200/a.jpg 300w,\n/w_600,h_400/a.jpg 600w") ==
        "/w_300,h_200/a.jpg@300w /w_600,h_400/a.jpg@600w ");
  CHECK(listed("data:image/gif;base64,R0lG 1x") == "data:image/gif;base64,R0lG@10 ");
  CHECK(listed("a 1w 1x, b -2x, c 2q, d 0w, e 3x (,) , f") == "f@10 ");
  CHECK(listed("").empty());
}

TEST_CASE("a refresh says where it leads in every spelling", "[stitch]") {
  auto const target = [](std::string_view content) {
    auto const t = html::refresh_target(content);
    return std::string{content.substr(t.begin, t.end - t.begin)};
  };
  CHECK(target("0;url=a") == "a");
  CHECK(target(" 5 ; URL = 'a b' x") == "a b");
  CHECK(target("5,a") == "a");
  CHECK(target("5 url=a") == "a");
  CHECK(target("5") == "");
  CHECK(target("5;") == "");
  CHECK(target("url=a") == "");
}

TEST_CASE("a page with more references than anyone reads is cut", "[stitch]") {
  std::string page;
  for (int i = 0; i < 3000; ++i) page += "<img srcset='a 1x,b 2x'>";
  auto const d = parsed(page);
  CHECK(html::references(d, "http://a.test/", {.references = 1000, .url = 100}).found.size() == 1000);
  auto const e = parsed("<a href='" + std::string(9000, 'x') + "'>");
  CHECK(html::references(e, "http://a.test/").found.empty());
}
