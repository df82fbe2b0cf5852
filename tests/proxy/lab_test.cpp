// The stitch lab: what a reader is shown of a carried homepage, and of pages that somebody sends.

#include "sync/engine/homepages.hpp"
#include "tests/proxy/whole_dashboard.hpp"
#include "tests/support/paper.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;

namespace {

/// Two versions are known, and headline 10 came since.
std::uint64_t carry(whole_dashboard& d, paper& site) {
  sync::add_request request{.url = site.home()};
  request.carry.pages = false;
  auto const id = d.run(d.engine->add(std::move(request))).feed->id;
  site.publish(9);
  d.pass_after(2h);
  site.publish(10);
  d.pass_after(2h);
  return id;
}

std::string page(int newest) {
  std::string out = "<!doctype html><html><head><title>Paper</title></head><body><h1>Paper</h1><ul>";
  for (int i = newest; i > newest - 6; --i) {
    auto const n = std::to_string(i);
    out += "<li class=post><a href='http://paper.test/" + n + "'>Headline number " + n + "</a></li>";
  }
  return out + "</ul><script>alert(1)</script><p>Since 1900</p></body></html>";
}

std::string feed(int newest) {
  std::vector<story> stories;
  for (int i = newest; i > newest - 6; --i) {
    auto const n = std::to_string(i);
    stories.push_back({"id" + n, "Headline number " + n, 1000 - i, "http://paper.test/" + n});
  }
  return rss(stories);
}

std::string form(std::vector<std::pair<std::string, std::string>> const& fields) {
  std::string out;
  for (auto const& [name, value] : fields)
    out += "--edge\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + name + "\"\r\n\r\n" +
           value + "\r\n";
  return out + "--edge--\r\n";
}

std::map<std::string, std::string> const form_fields{{"Content-Type", "multipart/form-data; boundary=edge"},
                                                     {"X-Cistern", "1"}};

}  // namespace

TEST_CASE("the lab shows a carried homepage before and after, and what was learned", "[lab]") {
  whole_dashboard d;
  paper site{8};
  auto const id = carry(d, site);
  auto const target = "/api/v1/lab/" + std::to_string(id);
  auto const seen = d.read(target + "?pages=1");
  CHECK_FALSE(seen.at("declined").as_bool());
  CHECK(seen.at("regions").as_array().size() == 1);
  CHECK(seen.at("pages").at("stale").as_string().find("Headline number 10") == std::string::npos);
  CHECK(seen.at("pages").at("stitched").as_string().find("Headline number 10") != std::string::npos);
  CHECK(seen.at("pages").at("heat").as_string().find("data-cistern-region") != std::string::npos);
  CHECK_FALSE(d.read(target).contains("pages"));
  CHECK(d.get("/api/v1/lab/77").status == 404);

  auto const shown = d.get("/lab?subscription=" + std::to_string(id));
  CHECK(shown.status == 200);
  CHECK_THAT(shown.body, Contains("sandbox=\"\"") && Contains("srcdoc=\"") && Contains("data-cistern-region"));
  CHECK_THAT(shown.body, !Contains("{{") && !Contains("onclick"));
  CHECK_THAT(header(shown, "Content-Security-Policy"),
             Contains("default-src 'none'") && Contains("script-src 'self';") && Contains("frame-ancestors 'none'") &&
                 !Contains("frame-src"));
  CHECK_THAT(header(d.get("/sites"), "Content-Security-Policy"), !Contains("unsafe"));
}

TEST_CASE("a site that was not visited yet has nothing to show in the lab", "[lab]") {
  whole_dashboard d;
  d.store.write([](store::write_batch& b) {
    store::subscription site{.id = 5, .feed_url = "http://paper.test/feed", .homepage_url = "http://paper.test/"};
    return b.put(site), true;
  });
  auto const seen = d.read("/api/v1/lab/5?pages=1");
  CHECK(seen.at("snapshots").as_int64() == 0);
  CHECK_FALSE(seen.contains("pages"));
  CHECK_THAT(d.get("/lab?subscription=5").body, Contains("not downloaded yet") && !Contains("<iframe"));
  CHECK(d.get("/lab?subscription=6").status == 404);
}

TEST_CASE("how a site is stitched is kept and obeyed at once", "[lab]") {
  whole_dashboard d;
  paper site{8};
  auto const target = "/api/v1/subscriptions/" + std::to_string(carry(d, site));
  auto const name = sync::stitched_name(site.home());
  REQUIRE(d.store.body_of(name) != "(absent)");
  CHECK(d.change("PATCH", target, R"({"stitching": "never"})").status == 200);
  CHECK(d.store.body_of(name) == "(absent)");
  CHECK(d.change("PATCH", target, R"({"stitching": "always"})").status == 200);
  CHECK(d.store.body_of(name) != "(absent)");
  CHECK(d.send("PATCH", target, {}, R"({"stitching": "never"})").status == 403);  // without the token
  CHECK(d.store.body_of(name) != "(absent)");
  CHECK(d.change("PATCH", target, R"({"relearn": true})").status == 200);
  CHECK(d.jobs().size() == 1);
}

TEST_CASE("of two saved pages the newer is foretold from the older, and measured", "[lab]") {
  whole_dashboard d;
  auto const body = form(
      {{"base", "http://paper.test/"}, {"page", page(7)}, {"feed", feed(7)}, {"page", page(9)}, {"feed", feed(9)}});
  auto const answer = d.send("POST", "/api/v1/lab?pages=1", form_fields, body);
  REQUIRE(answer.status == 200);
  auto const seen = boost::json::parse(answer.body).as_object();
  CHECK(seen.at("measured").at("right").as_bool());
  CHECK(seen.at("pages").at("stitched").as_string().find("Headline number 9") != std::string::npos);
  CHECK(seen.at("pages").at("stitched").as_string().find("alert") == std::string::npos);
  auto const shown = d.send("POST", "/lab", form_fields, body);
  CHECK(shown.status == 200);
  CHECK_THAT(shown.body, Contains("Foretold and measured") && Contains("Headline number 9") && !Contains("alert(1)"));
  CHECK(d.store->measure().value().objects == 0);  // nothing was stored
}

TEST_CASE("with a feed of now both pages are learned from", "[lab]") {
  whole_dashboard d;
  auto const body = form({{"base", "http://paper.test/"},
                          {"page", page(7)},
                          {"feed", feed(7)},
                          {"page", page(9)},
                          {"feed", feed(9)},
                          {"now", feed(11)}});
  auto const seen = boost::json::parse(d.send("POST", "/api/v1/lab?pages=1", form_fields, body).body).as_object();
  CHECK(seen.at("snapshots").as_int64() == 2);
  CHECK_FALSE(seen.contains("measured"));
  CHECK(seen.at("pages").at("stitched").as_string().find("Headline number 11") != std::string::npos);
}

TEST_CASE("what cannot be used is refused with a sentence", "[lab]") {
  whole_dashboard d;
  auto const send = [&](std::vector<std::pair<std::string, std::string>> const& fields) {
    return d.send("POST", "/api/v1/lab", form_fields, form(fields));
  };
  CHECK_THAT(send({{"page", page(7)}}).body, Contains("the page's address"));
  CHECK_THAT(send({{"base", "http://paper.test/"}, {"page", page(7)}, {"feed", feed(7)}}).body,
             Contains("two saved pages"));
  CHECK_THAT(send({{"base", "http://paper.test/"}, {"page", page(7)}, {"feed", "no feed"}}).body, Contains("feed is"));
  CHECK_THAT(send({{"base", "http://paper.test/"}, {"feed", feed(7)}}).body, Contains("before its feeds"));
  CHECK_THAT(send({{"base", "http://paper.test/"}, {"page", std::string((4 << 20) + 1, 'x')}}).body, Contains("4 MiB"));
  CHECK(d.send("POST", "/api/v1/lab", form_fields, "nothing").status == 400);
  CHECK(d.send("POST", "/lab", {{"Origin", "http://evil.test"}}, form({})).status == 403);
  auto const page_of_sentence = d.send("POST", "/lab", form_fields, form({{"base", "x"}}));
  CHECK(page_of_sentence.status == 400);
  CHECK_THAT(page_of_sentence.body, Contains("the page&#39;s address"));
}
