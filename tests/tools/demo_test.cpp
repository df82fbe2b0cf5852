// The demo's newspaper: what it publishes must be what Cistern is good at.

#include "stitch/feed/reader.hpp"
#include "stitch/template/self_check.hpp"
#include "stitch/template/stitch.hpp"
#include "tests/support/http_get.hpp"
#include "tools/demo/pictures.hpp"
#include "tools/demo/publisher.hpp"
#include "tools/demo/recording.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace cistern;
using Catch::Matchers::Contains;

namespace {

constexpr std::chrono::sys_seconds noon{std::chrono::seconds{1'800'000'000}};
std::string const origin = "http://brook-courier.example";

stitch::html::document homepage(demo::newspaper const& paper) {
  return stitch::html::document::parse(paper.at("/", origin)->body).value();
}

stitch::feed::feed feed(demo::newspaper const& paper) {
  stitch::feed::reader_options options;
  options.base = origin + "/";
  return stitch::feed::parse(paper.at("/feed.xml", origin)->body, std::move(options)).value();
}

}  // namespace

TEST_CASE("the demo's newspaper has a feed, articles and pictures", "[demo]") {
  demo::newspaper paper{"The Brook Courier", noon, 5};
  auto const items = feed(paper).items;
  REQUIRE(items.size() == 5);
  CHECK(items.front().published == noon);
  auto const path = items.front().link.substr(origin.size());
  auto const article = paper.at(path, origin);
  REQUIRE(article);
  CHECK_THAT(article->body, Contains(items.front().title) && Contains("/picture/"));
  CHECK(paper.at("/picture/5.png", origin)->body.starts_with("\x89PNG"));
  CHECK_FALSE(paper.at("/recording.wav", origin));
  paper.add_recording();
  CHECK(feed(paper).items.front().enclosures.size() == 1);
  CHECK(paper.at("/recording.wav", origin)->body.size() > 2'000'000);
  CHECK_FALSE(paper.at("/story/99", origin));
  CHECK_FALSE(paper.at("/picture/x.png", origin));
}

TEST_CASE("no two stories of a newspaper have the same title for a long while", "[demo]") {
  std::set<std::string> titles;
  for (std::uint32_t i = 1; i <= 120; ++i) titles.insert(demo::write_story(i).title);
  CHECK(titles.size() == 120);
}

TEST_CASE("what the newspaper posts is stitched into its homepage exactly", "[demo]") {
  demo::newspaper paper{"The Brook Courier", noon, 9};
  std::vector<stitch::templates::snapshot> before;
  before.push_back({homepage(paper), {feed(paper)}});
  paper.post(noon + std::chrono::minutes{7});
  paper.post(noon + std::chrono::minutes{90});
  std::vector const now{feed(paper)};
  auto const made = stitch::templates::stitch(origin + "/", before, now);
  REQUIRE_FALSE(made.declined);
  auto const page = stitch::html::document::parse(made.page).value();
  auto const check = stitch::templates::self_check(page, homepage(paper), origin + "/", now);
  CHECK(check.right());
  CHECK(made.regions.size() >= 2);  // the main list and the sidebar
}

TEST_CASE("the publisher resumes, says when nothing changed, and can be out of reach", "[demo]") {
  demo::publisher press;
  demo::newspaper paper{"The Brook Courier", noon, 3};
  paper.add_recording();
  press.add("", paper);
  using tests::http_send;
  auto const whole = http_send({.port = press.port(), .target = "/recording.wav"});
  CHECK(whole.body == demo::recording());
  auto const rest =
      http_send({.port = press.port(), .target = "/recording.wav", .headers = {{"Range", "bytes=1000-"}}});
  CHECK(rest.status == 206);
  CHECK(rest.body == demo::recording().substr(1000));
  auto const other = http_send({.port = press.port(),
                                .target = "/recording.wav",
                                .headers = {{"Range", "bytes=1000-"}, {"If-Range", "\"another\""}}});
  CHECK(other.status == 200);
  auto const page = http_send({.port = press.port(), .target = "/feed.xml"});
  auto const tag = page.headers.find("ETag")->second;
  CHECK(http_send({.port = press.port(), .target = "/feed.xml", .headers = {{"If-None-Match", tag}}}).status == 304);
  press.change("", [](demo::newspaper& p) { p.post(noon); });
  CHECK(http_send({.port = press.port(), .target = "/feed.xml", .headers = {{"If-None-Match", tag}}}).status == 200);
  press.set_reachable(false);
  CHECK_THROWS(http_send({.port = press.port(), .target = "/"}));
  press.set_reachable(true);
  CHECK(http_send({.port = press.port(), .target = "/"}).status == 200);
}
