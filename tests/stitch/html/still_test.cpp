#include "stitch/html/still.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using Catch::Matchers::Contains;

namespace {

/// A shelf with one picture, one style sheet, and a page that no picture is.
std::optional<stitch::html::still_part> shelf(std::string const& url) {
  using stitch::html::still_part;
  if (url == "http://paper.test/drop.png") return still_part{"image/png", "drop"};
  if (url == "http://paper.test/css/look.css")
    return still_part{"text/css", "h1 { background: url(../drop.png) } /* </style> */"};
  if (url == "http://paper.test/page") return still_part{"text/html", "<script>alert(1)</script>"};
  return std::nullopt;
}

std::string still(std::string_view page, stitch::html::still_options options = {}) {
  options.page_url = "http://paper.test/news/";
  return stitch::html::still(page, options, shelf).value();
}

}  // namespace

TEST_CASE("a page made still runs nothing, loads nothing and leads nowhere", "[stitch]") {
  auto const page = still(
      "<!doctype html><html><head><base href='http://evil.test/'><meta http-equiv=refresh content='0;url=/away'>"
      "<link rel=preconnect href='//evil.test'><link rel=stylesheet href='http://evil.test/x.css'>"
      "<script src='/a.js'></script><style>@import 'b.css'; p { background: url(c.png) }</style></head>"
      "<body onload='go()' background='d.png'><noscript><img src='e.png'></noscript>"
      "<iframe src='http://f.test/' srcdoc='<p>g'></iframe><object data='h.swf'></object><embed src='i.swf'>"
      "<form action='/send'><button formaction='/j' autofocus>ok</button></form>"
      "<a href='http://k.test/' ping='http://l.test/' target=_top>story</a>"
      "<img src='m.png' srcset='n.png 2x' onerror='go()' data-src='o.png' alt='a drop'>"
      "<video src='p.mp4' poster='q.png' autoplay><source src='r.mp4'></video>"
      "<svg><a href='http://s.test/'><text>t</text></a><image href='http://u.test/v.png'/><script>w()</script></svg>"
      "<p style='background: url(x.png)'>end</p></body></html>");
  for (auto const* const bad :
       {"evil.test", "a.js",   "b.css",  "c.png",  "d.png", "e.png", "f.test",    "<p>g",  "h.swf", "i.swf",
        "/send",     "/j",     "k.test", "l.test", "m.png", "n.png", "o.png",     "p.mp4", "q.png", "r.mp4",
        "s.test",    "u.test", "w()",    "x.png",  "go()",  "_top",  "autofocus", "/away"}) {
    INFO(bad);
    CHECK(page.find(bad) == std::string::npos);
  }
  CHECK_THAT(page, Contains("story") && Contains("a drop") && Contains("end") && Contains("href=\"#\""));
}

TEST_CASE("a page made still carries a policy of its own before anything else, and its doctype", "[stitch]") {
  auto const page = still("<!doctype html><html lang=en><head><title>Paper</title></head><body><p>News</body></html>");
  CHECK(page.starts_with("<!doctype html><meta charset"));
  CHECK(page.find("default-src 'none'") < page.find("<title>"));
  CHECK_THAT(still("<p>News"), Contains("default-src 'none'"));
}

TEST_CASE("pictures and style sheets that are at hand are put into the page", "[stitch]") {
  auto const page = still(
      "<html><head><link rel=stylesheet href='/css/look.css' media=screen></head><body><img src='/drop.png'>"
      "<img src='/page'><img data-src='/drop.png'><p style='background:url(/drop.png)'>x</p></body></html>");
  std::string const drop = "data:image/png;base64,ZHJvcA==";
  std::size_t count = 0;
  for (auto at = page.find(drop); at != page.npos; at = page.find(drop, at + 1)) ++count;
  CHECK(count == 4);  // two images, one in the sheet, one in the attribute
  CHECK_THAT(page, Contains("<style media=\"screen\">") && Contains("<\\/style> */") && !Contains("alert"));
}

TEST_CASE("what is put into a page is bounded", "[stitch]") {
  CHECK_THAT(still("<img src='/drop.png'>", {.most_parts = 3}), !Contains("base64"));
  CHECK_THAT(still("<img src='/drop.png'><img src='/drop.png'>", {.most_parts = 4}),
             Contains("base64") && Contains("<img >"));
  CHECK_THAT(still("<img src='/drop.png'>", {.largest_part = 3}), !Contains("base64"));
}
