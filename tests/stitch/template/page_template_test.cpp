#include "stitch/template/page_template.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;
using namespace cistern::stitch::templates;

namespace {

feed::item item(int n) {
  feed::item i;
  i.title = "Story number " + std::to_string(n);
  i.link = "https://blog.test/story-" + std::to_string(n) + ".html";
  i.content = "<p>Text of story " + std::to_string(n) + "</p>";
  i.categories = {"all"};
  i.published = std::chrono::sys_seconds{std::chrono::hours{24 * (18000 + n)}};
  i.zone = std::chrono::minutes{-210};
  return i;
}

snapshot at(int newest) {
  std::string page = "<body><ul>";
  feed::feed f;
  for (int n = newest; n > newest - 6; --n) {
    if (n > newest - 4)
      page += "<li><a href=\"/story-" + std::to_string(n) + ".html\">Story number " + std::to_string(n) + "</a></li>";
    f.items.push_back(item(n));
  }
  return {html::document::parse(page + "</ul></body>").value(), {f}};
}

}  // namespace

TEST_CASE("a template that was stored stitches as the one that was learned", "[stitch]") {
  auto const learned = learn("https://blog.test/", {at(20), at(21)});
  auto const stored = deserialise(serialise(learned));
  REQUIRE(stored.has_value());
  auto const one = stitch(learned, at(22).feeds), two = stitch(*stored, at(22).feeds);
  REQUIRE_FALSE(one.declined);
  CHECK(one.page == two.page);
  CHECK(stored->pristine() == at(21).page.source());
  CHECK(stored->snapshots[0].feeds[0].items[0].zone == std::chrono::minutes{-210});
}

TEST_CASE("only the last snapshots are kept, and no texts of items that no page shows", "[stitch]") {
  auto const t = learn("https://blog.test/", {at(18), at(19), at(20), at(21)}, 2);
  CHECK(t.snapshots.size() == 2);
  CHECK_FALSE(t.snapshots[1].feeds[0].items[0].content.empty());
  CHECK(t.snapshots[1].feeds[0].items.back().content.size() ==
        item(16).content.size() * (t.snapshots[0].page.source().find("story-16") != std::string_view::npos ? 1u : 0u));
}

TEST_CASE("damaged templates are refused, wherever they are cut or changed", "[stitch]") {
  auto const whole = serialise(learn("https://blog.test/", {at(20), at(21)}));
  for (std::size_t n = 0; n < whole.size(); n += 37) CHECK_FALSE(deserialise(whole.substr(0, n)).has_value());
  for (std::size_t n = 0; n < whole.size(); n += 101) {
    auto bytes = whole;
    bytes[n] = static_cast<char>(bytes[n] ^ 0x80);
    (void)deserialise(bytes);
  }
  CHECK_FALSE(deserialise(whole + "x").has_value());
}
