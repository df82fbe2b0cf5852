#include "stitch/template/content.hpp"
#include "tests/stitch/template/test_site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::tests::site;

namespace {

using item_change = std::function<void(feed::item&, int)>;

std::vector<feed::feed> feeds_with(int newest, item_change const& change) {
  auto out = feed_of(newest, 10);
  for (int k = 0; k < 10; ++k) change(out[0].items[static_cast<std::size_t>(k)], newest - k);
  return out;
}

void is_foretold(record_text const& record, item_change const& change, int newest = 23) {
  auto const page = [&](int n) { return page_of(n, 8, record); };
  auto const o =
      templates::stitch(base, {saved(page(20), feeds_with(20, change)), saved(page(21), feeds_with(21, change))},
                        feeds_with(newest, change));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(newest)));
}

std::string words(std::string const& stem, int n, int count) {
  std::string out;
  for (int w = 0; w < count; ++w) out += (w == 0 ? "" : " ") + stem + std::to_string(n) + "x" + std::to_string(w);
  return out;
}

std::string post(int n, std::string const& inside) {
  return "<div class=post><h2>" + link_to(n) + "</h2>" + inside + "</div>";
}

}  // namespace

TEST_CASE("a text with a mark is shown up to it, one without by so many words", "[stitch]") {
  auto const marked = [](int n) { return n % 2 == 0; };
  auto const teaser = [](int n) {
    std::string out;
    for (int k = 0; k < n % 5 + 1; ++k) out += "<p>" + words("teaser" + std::to_string(k) + "y", n, 5 + n % 3) + "</p>";
    return out;
  };
  is_foretold(
      [&](int n) {
        return post(n, "<div>" + (marked(n) ? teaser(n) : "<p>" + words("word", n, 12) + "</p>") + "</div>");
      },
      [&](feed::item& i, int n) {
        i.content = marked(n) ? teaser(n) + "<!--more--><p>" + words("word", n, 60) + "</p>"
                              : "<p>" + words("word", n, 60 + n) + "</p>";
      });
}

TEST_CASE("a summary of its own is shown where there is one, else the beginning", "[stitch]") {
  auto const own = [](int n) { return n % 2 == 0; };
  is_foretold(
      [&](int n) {
        return post(n, "<p>" + (own(n) ? words("summary", n, 12 + n % 7) : words("word", n, 30)) + "</p>");
      },
      [&](feed::item& i, int n) {
        i.content = "<p>" + words("word", n, 60 + n) + "</p>";
        i.summary = own(n) ? words("summary", n, 12 + n % 7) : words("word", n, 20);
      });
}

TEST_CASE("a link to the rest stands only where a text is cut", "[stitch]") {
  auto const cut = [](int n) { return n % 3 != 2; };
  auto const record = [&](int n) {
    auto const more = "<p class=more><a href=\"/story-" + std::to_string(n) + ".html\">Go on reading</a></p>";
    return post(n, "<div>" + words("word", n, cut(n) ? 30 : 9) + "</div>" + (cut(n) ? more : ""));
  };
  auto const change = [&](feed::item& i, int n) { i.content = words("word", n, cut(n) ? 80 + n : 9); };
  is_foretold(record, change, 22);
  is_foretold(record, change, 23);
}

TEST_CASE("what is put below a text for the feed alone is not shown", "[stitch]") {
  auto const text = [](int n) {
    std::string out;
    for (int k = 0; k < n % 4 + 1; ++k) out += "<p>" + words("block" + std::to_string(k) + "y", n, 6) + "</p>";
    return out;
  };
  is_foretold(
      [&](int n) { return post(n, "<div>" + text(n) + "</div>"); },
      [&](feed::item& i, int n) { i.content = text(n) + "<p>This post appeared first on a site called Blog.</p>"; });
}

TEST_CASE("the first post's text is cut as those of the others are", "[stitch]") {
  // The two first ones that were seen had a paragraph of that length, by chance.
  auto const blocks = [](int n) {
    auto const first = n == 20 || n == 21 ? 30 : 12;
    return "<p>" + words("word", n, first) + "</p><p>" + words("more", n, 60) + "</p>";
  };
  auto const shown = [](int n) {
    return n == 20 || n == 21 ? words("word", n, 30) : words("word", n, 12) + " " + words("more", n, 18);
  };
  auto const page = [&](int newest) {
    std::string out = "<body><div id=posts>";
    for (int n = newest; n > newest - 8; --n)
      out += "<article class=\"" + std::string{n == newest ? "post first" : "post"} + "\"><h2>" + link_to(n) +
             "</h2><p>" + shown(n) + "</p></article>\n";
    return out + "</div></body>";
  };
  auto const change = [&](feed::item& i, int n) { i.content = blocks(n); };
  auto const o = templates::stitch(
      base, {saved(page(20), feeds_with(20, change)), saved(page(21), feeds_with(21, change))}, feeds_with(22, change));
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find(words("more", 22, 18) + "</p>") != std::string::npos);
}

TEST_CASE("punctuation in elements of its own keeps words apart", "[stitch]") {
  templates::content const c{"<pre><b>signed</b><i>-</i><b>by</b><i>=</i><b>key</b></pre><p>Next</p>"};
  CHECK(c.text(4) == "signed-by=key Next");
}

TEST_CASE("a text that begins with the title leaves the title above it alone", "[stitch]") {
  // The picture's link comes first and has no words; some posts repeat their title at the top of the text.
  auto const text = [](int n) {
    return (n % 2 ? "Story number " + std::to_string(n) + " " : "") + words("word", n, 30);
  };
  is_foretold(
      [&](int n) {
        auto const link = "<a href=\"/story-" + std::to_string(n) + ".html\" title=\"Story number " + std::to_string(n);
        return "<article class=post>" + link + "\"><i class=picture></i></a><div><h3>" + link_to(n) + "</h3><p>" +
               text(n) + "</p></div></article>";
      },
      [&](feed::item& i, int n) { i.content = "<p>" + text(n) + "</p><p>" + words("rest", n, 30) + "</p>"; });
}

TEST_CASE("a link around a whole record that shows no title shows the text", "[stitch]") {
  is_foretold(
      [](int n) {
        return "<article><a href=\"/story-" + std::to_string(n) + ".html\"><span>" + std::to_string(n + 1) +
               ".1.2021</span> <div><p>" + words("word", n, 30) + "</p></div></a></article>";
      },
      [](feed::item& i, int n) {
        i.title = words("unseen", n, 6);
        i.content = "<p>" + words("word", n, 30) + "</p><p>" + words("rest", n, 30) + "</p>";
      });
}

TEST_CASE("where every text ends at its mark, one without a mark is shown whole", "[stitch]") {
  auto const mark = [](int n) { return n == 23 ? "" : "<!--more-->"; };
  auto const text = [](int n) { return "<p>" + words("teaser", n, 12) + "</p>"; };
  auto const rest = [](int n) { return "<p>" + words("word", n, 40) + "</p>"; };
  is_foretold([&](int n) { return post(n, "<div>" + text(n) + (n == 23 ? rest(n) : "") + "</div>"); },
              [&](feed::item& i, int n) { i.content = text(n) + mark(n) + rest(n); });
}

TEST_CASE("a picture above the text is its first block", "[stitch]") {
  auto const first = [](int n) {
    return n == 22 ? std::string{"<p><img src=\"https://blog.test/p.png\"></p>"}
                   : "<p>" + words("word", n, 12) + "</p>";
  };
  is_foretold([&](int n) { return post(n, "<div class=text>" + first(n) + "</div>"); },
              [&](feed::item& i, int n) { i.content = first(n) + "<p>" + words("rest", n, 40 + n) + "</p>"; });
}

TEST_CASE("a longer summary shown whole among texts that are cut is no mistake", "[stitch]") {
  auto const own = [](int n) { return n % 4 == 0; };
  auto const summary = [](int n) { return words("summary", n, n == 16 || n == 23 ? 19 : 9); };
  auto const has_own = [&](int n) { return own(n) || n == 23; };
  is_foretold([&](int n) { return post(n, "<p>" + (has_own(n) ? summary(n) : words("word", n, 15)) + "</p>"); },
              [&](feed::item& i, int n) {
                i.content = "<p>" + words("word", n, 60 + n) + "</p>";
                i.summary = has_own(n) ? summary(n) : words("word", n, 40);
              });
}

TEST_CASE("a label that one record and the first one have is kept when the first one moves down", "[stitch]") {
  auto const cut = [](int n) { return n % 3 == 0; };
  auto const text = [](int n) { return "<p>" + words("word", n, 20) + "</p>"; };
  auto const change = [&](feed::item& i, int n) {
    i.content = text(n) + (cut(n) ? "<!--more--><p>" + words("rest", n, 30) + "</p>" : "");
  };
  auto const page = [&](int newest) {
    return page_of(newest, 5, [&](int n) {
      auto const href = " href=\"/story-" + std::to_string(n) + ".html\"";
      return std::string{"<div class=\""} + (n == newest ? "top" : "rest") + " post\"><h2>" + link_to(n) +
             "</h2><div class=text>" + text(n) + (cut(n) ? "<p><a class=on" + href + ">Go on here</a></p>" : "") +
             "</div></div>";
    });
  };
  auto const o = templates::stitch(
      base, {saved(page(20), feeds_with(20, change)), saved(page(21), feeds_with(21, change))}, feeds_with(22, change));
  REQUIRE_FALSE(o.declined);
  CHECK(squeezed(without_labels(o.page)) == squeezed(page(22)));
}

TEST_CASE("a text that is cut keeps the mark after its last word", "[stitch]") {
  templates::content const told{"<p>一つ。二つ</p>"};
  CHECK(told.html(2, false) == "<p>一つ。</p>");
  CHECK(told.text(2) == "一つ。");
}

TEST_CASE("a text cut in the middle of a word is a text", "[stitch]") {
  auto const shown = [](int n, std::size_t length) {
    return post(n, "<p>" + words("longword", n, 60).substr(0, length) + "...</p>");
  };
  auto const change = [](feed::item& i, int n) { i.content = "<p>" + words("longword", n, 60) + "</p>"; };
  auto const page = [&](int newest) { return page_of(newest, 8, [&](int n) { return shown(n, 157); }); };
  auto const o = templates::stitch(
      base, {saved(page(20), feeds_with(20, change)), saved(page(21), feeds_with(21, change))}, feeds_with(22, change));
  REQUIRE_FALSE(o.declined);
  CHECK(o.page.find(words("longword", 22, 11)) != std::string::npos);  // 11 of 13 words and a bit stand in 157 letters
  CHECK(o.page.find("longword22x14") == std::string::npos);
}

TEST_CASE("the first text with a mark is cut there", "[stitch]") {
  is_foretold(
      [](int n) {
        return post(n, "<p>" + words("a", n, 30) + "</p>" + (n < 23 ? "<p>" + words("b", n, 30) + "</p>" : ""));
      },
      [](feed::item& i, int n) {
        i.content =
            "<p>" + words("a", n, 30) + "</p>" + (n < 23 ? "" : "<!--more-->") + "<p>" + words("b", n, 30) + "</p>";
      });
}
