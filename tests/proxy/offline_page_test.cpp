#include "proxy/offline_page.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace cistern::proxy;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr std::chrono::sys_seconds now = std::chrono::sys_days{std::chrono::year{2030} / 1 / 2};

std::string file(std::string const& path) {
  std::ifstream in{CISTERN_SOURCE "/webroot/" + path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

page_template const& page() {
  static auto const parsed = page_template::parse(file("offline.html"));
  return parsed.value();
}

page_texts const& texts() {
  static auto const parsed = page_texts::parse(file("texts/en.json"));
  return parsed.value();
}

page_addresses where() {
  return {.queue_url = "/.well-known/cistern/queue",
          .status_url = "/.well-known/cistern/status?u=1&v=2",
          .dashboard_url = "http://localhost:8910/",
          .token = "t0ken",
          .nonce = "n0nce"};
}

offline_facts missing() {
  return {.url = "http://a.test/story?x=1&y=2",
          .nearby = {{.url = "http://a.test/other", .title = "Other story", .stored = now - 2h}},
          .now = now};
}

/// Every text in its place, no tag left, no key shown.
void check_complete(std::string const& html) {
  CHECK_THAT(html, !Contains("{{"));
  CHECK_THAT(html, !Contains("}}"));
  for (auto const& [key, sentence] : texts().all())
    if (key.find('.') != std::string::npos && key != "footer.dashboard") CHECK_THAT(html, !Contains(">" + key + "<"));
}

}  // namespace

TEST_CASE("the offline page says what happened, offers to queue and shows what is stored", "[proxy]") {
  auto const html = offline_page(page(), texts(), where(), missing());
  check_complete(html);
  CHECK_THAT(html, Contains("<html lang=\"en\" dir=\"ltr\">"));
  CHECK_THAT(html, Contains("<b>a.test</b>/story?x=1&amp;y=2"));
  CHECK_THAT(html, Contains("method=\"post\" action=\"/.well-known/cistern/queue\""));
  CHECK_THAT(html, Contains("name=\"url\" value=\"http://a.test/story?x=1&amp;y=2\""));
  CHECK_THAT(html, Contains("name=\"token\" value=\"t0ken\""));
  CHECK_THAT(html, Contains("data-status=\"/.well-known/cistern/status?u=1&amp;v=2\""));
  CHECK_THAT(html, Contains("<noscript><meta http-equiv=\"refresh\""));
  CHECK_THAT(html, Contains("<script nonce=\"n0nce\""));
  CHECK_THAT(html, Contains("href=\"http://a.test/other\""));
  CHECK_THAT(html, Contains("Other story"));
  CHECK_THAT(html, Contains("datetime=\"2030-01-01T22:00:00Z\">2 hours ago<"));
  CHECK_THAT(html, Contains("1 page from this site"));
}

TEST_CASE("a page that is queued already says when it will be tried and has no button", "[proxy]") {
  auto facts = missing();
  facts.queue = queue_state::queued;
  auto html = offline_page(page(), texts(), where(), facts);
  check_complete(html);
  CHECK_THAT(html, !Contains("<form"));
  CHECK_THAT(html, Contains("as soon as the connection is back"));
  facts.next_try = now + 10min;
  html = offline_page(page(), texts(), where(), facts);
  CHECK_THAT(html, Contains("The next try is in 10 minutes."));
}

TEST_CASE("a page that is not stored can be queued too when only its site fails", "[proxy]") {
  auto facts = missing();
  facts.why = link_trouble::site;
  facts.origin = origin_trouble::no_such_host;
  auto html = offline_page(page(), texts(), where(), facts);
  check_complete(html);
  CHECK_THAT(html, Contains("No server was found under the name a.test. Your own connection works"));
  CHECK_THAT(html, Contains("<form"));
  facts.queue = queue_state::queued;
  html = offline_page(page(), texts(), where(), facts);
  CHECK_THAT(html, Contains("as soon as the site answers"));
}

TEST_CASE("nothing that comes from outside becomes markup", "[proxy]") {
  auto facts = missing();
  facts.url = "http://a.test/\"><script>alert(1)</script>&'";
  facts.nearby = {{.url = "http://a.test/\"onclick=x", .title = "<img src=x onerror=alert(1)>{{url}}", .stored = now},
                  {.url = "javascript:alert(1)", .title = "bad", .stored = now}};
  auto addresses = where();
  addresses.dashboard_url = "javascript:alert(2)";
  auto const html = offline_page(page(), texts(), addresses, facts);
  CHECK_THAT(html, !Contains("<script>alert"));
  CHECK_THAT(html, !Contains("<img"));
  CHECK_THAT(html, !Contains("\"onclick"));
  CHECK_THAT(html, !Contains("javascript:"));
  CHECK_THAT(html, Contains("&lt;img src=x onerror=alert(1)&gt;{{url}}"));
}

TEST_CASE("a long list of neighbours is cut", "[proxy]") {
  auto facts = missing();
  facts.stored_here = 400;
  facts.nearby.assign(400, {.url = "http://a.test/n", .title = "n", .stored = now});
  auto const html = offline_page(page(), texts(), where(), facts);
  CHECK_THAT(html, Contains("400 pages from this site"));
  std::size_t shown = 0;
  for (auto at = html.find("<li>"); at != std::string::npos; at = html.find("<li>", at + 1)) ++shown;
  CHECK(shown == 12);
}

TEST_CASE("when only the origin fails the page offers the stored copy by one click", "[proxy]") {
  trouble_facts facts{.url = "http://a.test/x",
                      .what = origin_trouble::status,
                      .status = 503,
                      .copy_of = now - 72h,
                      .copy_url = "/.well-known/cistern/copy?url=http%3A%2F%2Fa.test%2Fx",
                      .now = now};
  auto html = trouble_page(page(), texts(), where(), facts);
  check_complete(html);
  CHECK_THAT(html, Contains("a.test answered with error 503."));
  CHECK_THAT(html, Contains("stored 3 days ago"));
  CHECK_THAT(html, Contains("class=\"button\" href=\"/.well-known/cistern/copy?url=http%3A%2F%2Fa.test%2Fx\""));
  CHECK_THAT(html, !Contains("http-equiv=\"refresh\""));
  facts.copy_of.reset();
  html = trouble_page(page(), texts(), where(), facts);
  CHECK_THAT(html, Contains("no copy of this page"));
  CHECK_THAT(html, !Contains("/copy?"));
}

TEST_CASE("every kind of trouble has a sentence of its own", "[proxy]") {
  using enum origin_trouble;
  for (auto const what : {refused, timed_out, no_such_host, bad_certificate, broke_off, bad_answer, status})
    check_complete(
        trouble_page(page(), texts(), where(), {.url = "http://a.test/", .what = what, .status = 500, .now = now}));
  for (auto const why : {link_trouble::down, link_trouble::forced, link_trouble::portal, link_trouble::site})
    for (auto const queue : {queue_state::none, queue_state::queued, queue_state::fetching, queue_state::failed}) {
      auto facts = missing();
      facts.why = why;
      facts.queue = queue;
      facts.down_since = now - 5min;
      facts.last_seen = now - 24h * 400;
      check_complete(offline_page(page(), texts(), where(), facts));
    }
}

TEST_CASE("times are said as people say them", "[proxy]") {
  auto const say = [](std::chrono::seconds ahead) { return relative_time(texts(), now + ahead, now); };
  CHECK(say(0s) == "just now");
  CHECK(say(-44s) == "just now");
  CHECK(say(-60s) == "a minute ago");
  CHECK(say(-59min) == "an hour ago");
  CHECK(say(-2h) == "2 hours ago");
  CHECK(say(-24h) == "yesterday");
  CHECK(say(-72h) == "3 days ago");
  CHECK(say(-24h * 800) == "2 years ago");
  CHECK(say(10s) == "in a moment");
  CHECK(say(10min) == "in 10 minutes");
}

TEST_CASE("the pages may load nothing but themselves", "[proxy]") {
  CHECK(own_page_policy("abc") ==
        "default-src 'none'; style-src 'nonce-abc'; script-src 'nonce-abc'; connect-src 'self'; img-src data:; "
        "form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'self'");
}

TEST_CASE("only where the budget is in the way the page offers to go over it, without a script", "[proxy]") {
  auto facts = missing();
  CHECK_THAT(offline_page(page(), texts(), where(), facts), !Contains("over the budget"));
  facts.why = link_trouble::budget;
  auto addresses = where();
  addresses.insist_url = "/.well-known/cistern/insist";
  auto const html = offline_page(page(), texts(), addresses, facts);
  check_complete(html);
  CHECK_THAT(html, Contains("<form method=\"post\" action=\"/.well-known/cistern/insist\">") && Contains("t0ken"));
  CHECK_THAT(html, Contains("Your data budget is used up"));
}
