#include "stitch/css/tokenizer.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace cistern::stitch;
using css::token_kind;

namespace {

struct seen {
  token_kind kind;
  std::string value;
};

std::vector<seen> tokens_of(std::string_view sheet) {
  css::tokenizer reader{sheet};
  std::vector<seen> out;
  for (auto t = reader.next(); t.kind != token_kind::end; t = reader.next())
    if (t.kind != token_kind::whitespace) out.push_back({t.kind, reader.value(t)});
  return out;
}

seen only(std::string_view sheet) {
  auto const all = tokens_of(sheet);
  REQUIRE(all.size() == 1);
  return all[0];
}

}  // namespace

TEST_CASE("an address in a style sheet is read as a browser reads it", "[stitch]") {
  auto const [sheet, value] = GENERATE(table<std::string, std::string>({
      {"url(a.png)", "a.png"},
      {"url(  a.png\n )", "a.png"},
      {"URL(a.png)", "a.png"},
      {"u\\72 l(a.png)", "a.png"},
      {"\\75\r\nrl(a.png)", "a.png"},
      {"url(a\\)b.png)", "a)b.png"},
      {"url(a\\29 b.png)", "a)b.png"},
      {"url(a\\20\nb.png)", "a b.png"},
      {"url(\\0 x)", "\uFFFDx"},
      {"url(\\d800 x)", "\uFFFDx"},
      {"url(\\110000 x)", "\uFFFDx"},
      {"url(a/*b*/c)", "a/*b*/c"},
      {"url(a.png", "a.png"},
      {"url(", ""},
      {"url()", ""},
  }));
  auto const got = only(sheet);
  CHECK(got.kind == token_kind::url);
  CHECK(got.value == value);
}

TEST_CASE("an address that a browser drops is dropped whole", "[stitch]") {
  auto const sheet = GENERATE(as<std::string>{}, "url(a b)", "url(a\"b)", "url(a(b)", "url(a\\\nb)", "url(a\x01)",
                              "url(a b\\) c)", "url(a b");
  CHECK(only(sheet).kind == token_kind::bad_url);
}

TEST_CASE("a quoted address is a function and a string", "[stitch]") {
  auto const got = tokens_of("url( \"a b.png\" )");
  REQUIRE(got.size() == 3);
  CHECK(got[0].kind == token_kind::function);
  CHECK(got[1].kind == token_kind::string);
  CHECK(got[1].value == "a b.png");
}

TEST_CASE("strings end at their quote, go on over an escaped line break and break at a bare one", "[stitch]") {
  CHECK(only("'a\"b'").value == "a\"b");
  CHECK(only("\"a\\\nb\"").value == "ab");
  CHECK(only("\"a\\\r\nb\"").value == "ab");
  CHECK(only("\"a\\22 b\"").value == "a\"b");
  CHECK(only("\"unfinished").value == "unfinished");
  CHECK(tokens_of("\"a\nb\"")[0].kind == token_kind::bad_string);
}

TEST_CASE("comments separate and say nothing", "[stitch]") {
  auto const got = tokens_of("a/* url(x) \"*/b/**//* open");
  REQUIRE(got.size() == 2);
  CHECK(got[0].value == "a");
  CHECK(got[1].value == "b");
}

TEST_CASE("numbers, names and signs are told apart", "[stitch]") {
  auto const got = tokens_of("-1.5e3px +.5 --x -moz-y @media #id <!-- --> 50%");
  REQUIRE(got.size() == 9);
  CHECK(got[0].kind == token_kind::number);
  CHECK(got[0].value == "-1.5e3");
  CHECK(got[1].value == "+.5");
  CHECK(got[2].kind == token_kind::ident);
  CHECK(got[3].value == "-moz-y");
  CHECK(got[4].kind == token_kind::at_keyword);
  CHECK(got[5].kind == token_kind::hash);
  CHECK(got[6].kind == token_kind::markup_comment);
  CHECK(got[7].kind == token_kind::markup_comment);
  CHECK(got[8].value == "50");
}

TEST_CASE("tokens and comments cover a sheet without gap or overlap, whatever it is", "[stitch]") {
  std::mt19937 random{20261116};
  static constexpr std::string_view pieces[] = {"url(", ")", "\"",  "'",        "\\",   "\n",  "\r\n", "/*", "*/",
                                                "a",    "-", "1",   ".",        "@",    "#",   "{",    "}",  ";",
                                                ":",    ",", "\0x", "\xC3\xA9", "<!--", "-->", "e",    "+",  "0 "};
  for (int round = 0; round < 3000; ++round) {
    std::string sheet;
    for (auto n = random() % 40; n > 0; --n) sheet += pieces[random() % std::size(pieces)];
    css::tokenizer reader{sheet};
    std::uint32_t reached = 0;
    for (auto t = reader.next();; t = reader.next()) {
      INFO(sheet);
      REQUIRE(t.begin >= reached);
      if (t.begin > reached) REQUIRE(sheet.compare(reached, 2, "/*") == 0);
      if (t.kind == token_kind::end) break;
      REQUIRE(t.end > t.begin);
      REQUIRE(t.value_end <= t.end);
      REQUIRE(t.value_begin <= t.value_end);
      reached = t.end;
    }
  }
}

TEST_CASE("any text comes back from a quoted string, and no tag can end inside one", "[stitch]") {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  std::string quoted;
  css::append_quoted(quoted, all + "</style><script>");
  CHECK(quoted.find('<') == std::string::npos);
  CHECK(only(quoted).value == all + "</style><script>");
}
