// A homepage kept up to date by its feed, at sync time.

#include "sync/engine/homepages.hpp"
#include "tests/support/paper.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

sync::add_outcome add(whole_engine& e, std::string url) {
  sync::add_request request{.url = std::move(url)};
  request.carry.pages = false;
  return e.run(e.engine->add(std::move(request)));
}

}  // namespace

TEST_CASE("what a feed announces is stitched into the stored homepage without downloading it again", "[sync]") {
  whole_engine e;
  e.settings.homepages.second_look = 48h;
  e.start();
  paper site{8};
  auto const added = add(e, site.home());
  REQUIRE(added.how == sync::add_outcome::end::added);
  CHECK(added.feed->homepage_url == site.home());
  e.pass();
  CHECK(site.homepages == 1);  // looking for the feed was its first download
  site.publish(9);
  auto const pass = e.pass_after(2h);
  CHECK(pass.pages_stitched == 1);
  auto const page = e.store.body_of(sync::stitched_name(site.home()));
  CHECK_THAT(page, Contains("Headline number 9") && Contains("data-cistern-item") && Contains("Since 1900"));
  CHECK(page.find("Headline number 9") < page.find("Headline number 8"));
  CHECK_THAT(page, Contains("data-cistern-label") && Contains("/.well-known/cistern/copy?url="));
}

TEST_CASE("a stitched page tells the time by the publisher's clock, which may be put back", "[sync]") {
  whole_engine e;
  e.settings.homepages.second_look = 96h;
  e.start();
  std::atomic<bool> put_back{false};
  auto const items = [&](auto const& write) {
    std::string out;
    if (put_back) out += write("17", "17 Mar 2030 10:17:00 +0100", "17.03.2030 10:17");
    for (int day = 16; day > 10; --day) {
      auto const n = std::to_string(day);
      out += write(n, n + " Mar 2030 09:" + n + ":00 +0200", n + ".03.2030 09:" + n);
    }
    return out;
  };
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/feed")
      return x.answer(200, "Content-Type: application/rss+xml\r\n",
                      "<rss version='2.0'><channel><title>t</title>" +
                          items([&](std::string const& n, std::string const& date, auto const&) {
                            return "<item><title>News of " + n + "</title><link>" + origin.url("/s/" + n) +
                                   "</link><pubDate>" + date + "</pubDate></item>";
                          }) +
                          "</channel></rss>");
    x.answer(200, "Content-Type: text/html\r\n",
             "<html><head><link rel='alternate' type='application/rss+xml' href='/feed'></head><body><ul>" +
                 items([&](std::string const& n, auto const&, std::string const& shown) {
                   return "<li><a href='/s/" + n + "'>News of " + n + "</a> <i>" + shown + "</i></li>";
                 }) +
                 "</ul></body></html>");
  }};
  add(e, origin.url("/"));
  e.pass();
  put_back = true;
  CHECK(e.pass_after(24h).pages_stitched == 1);
  CHECK_THAT(e.store.body_of(sync::stitched_name(origin.url("/"))), Contains("17.03.2030 10:17"));
}

TEST_CASE("the origin's own copy is never replaced by a stitched page, nor is that learned from", "[sync]") {
  whole_engine e;
  paper site{8};
  add(e, site.home());
  site.publish(9);
  e.pass_after(2h);
  CHECK(e.store.body_of(site.home()).find("data-cistern") == std::string::npos);
  for (int i = 10; i < 16; ++i) {
    site.publish(i);
    e.pass_after(30h);
  }
  auto const versions = e.store->versions(site.home()).value();
  CHECK(versions.size() > 1);
  for (auto const& version : versions)
    CHECK(e.store->read_body(version).value().find("data-cistern") == std::string::npos);
}

TEST_CASE("each full download measures the stitched page, and a good one is downloaded ever less often", "[sync]") {
  whole_engine e;
  paper site{8};
  auto const id = add(e, site.home()).feed->id;
  for (int i = 9; i < 39; ++i) {
    site.publish(i);
    e.pass_after(24h);
  }
  store::page_template named{};
  named.url_digest = e.store->url_digest(site.home());
  auto const learned = e.store->get<store::page_template>(named.key()).value().value();
  REQUIRE(!learned.accuracy.empty());
  CHECK(learned.accuracy.back() > 0.95);
  CHECK(site.homepages < 8);  // thirty days with news each
  CHECK(e.feed(id).homepage_bytes > 0);
  std::uint64_t saved = 0;
  static_cast<void>(e.store->scan<store::ledger_entry>({}, [&](store::ledger_entry const& line) {
    if (line.purpose == store::job_class::homepage) saved += line.saved;
    return true;
  }));
  CHECK(saved > 20 * e.feed(id).homepage_bytes);
}

TEST_CASE("a homepage that shows nothing of its feed is left as it is", "[sync]") {
  whole_engine e;
  std::atomic<int> version{1};
  fake_origin origin{[&](fake_exchange& x) {
    if (x.request.target == "/feed")
      return x.answer(200, "ETag: \"" + std::to_string(version) + "\"\r\n",
                      rss({{"id" + std::to_string(version), "News " + std::to_string(version), 100 - version},
                           {"id0", "Old news", 100}}));
    x.answer(200, "Content-Type: text/html\r\n",
             "<html><head><link rel='alternate' type='application/rss+xml' href='/feed'></head><body><p>Hello</p>"
             "</body></html>");
  }};
  add(e, origin.url("/"));
  ++version;
  auto const pass = e.pass_after(2h);
  CHECK(pass.new_items == 1);
  CHECK(pass.pages_stitched == 0);
  CHECK(e.store.body_of(sync::stitched_name(origin.url("/"))) == "(absent)");
}

TEST_CASE("learning a homepage anew downloads it and forgets its earlier versions", "[sync]") {
  whole_engine e;
  paper site{8};
  auto const id = add(e, site.home()).feed->id;
  for (int i = 9; i < 13; ++i) {
    site.publish(i);
    e.pass_after(30h);
  }
  CHECK(sync::material_for(*e.store, site.home()).snapshots.size() > 1);
  auto const before = site.homepages.load();
  CHECK(e.run(e.engine->relearn(id)));
  e.pass_after(1h);
  CHECK(site.homepages == before + 1);
  auto const material = sync::material_for(*e.store, site.home());
  CHECK(material.snapshots.size() == 1);
  CHECK(material.learned->accuracy.size() == material.measured.size());
  CHECK_FALSE(e.run(e.engine->relearn(id + 1)));
}

TEST_CASE("a homepage that is never to be stitched is served as it came, from that moment on", "[sync]") {
  whole_engine e;
  paper site{8};
  auto const id = add(e, site.home()).feed->id;
  for (int i = 9; i < 11; ++i) {  // the first is downloaded once more, for learning
    site.publish(i);
    e.pass_after(2h);
  }
  REQUIRE_THAT(e.store.body_of(sync::stitched_name(site.home())), Contains("Headline number 10"));
  auto const set = [&](store::stitching how) {
    e.store.write([&](store::write_batch& b) {
      auto feed = e.feed(id);
      feed.stitch = how;
      return b.put(feed), true;
    });
    e.run(e.engine->restitch(id));
  };
  set(store::stitching::never);
  CHECK(e.store.body_of(sync::stitched_name(site.home())) == "(absent)");
  site.publish(11);
  CHECK(e.pass_after(2h).pages_stitched == 0);
  set(store::stitching::always);
  CHECK_THAT(e.store.body_of(sync::stitched_name(site.home())), Contains("Headline number 11"));
}
