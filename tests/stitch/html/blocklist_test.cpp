#include "stitch/html/blocklist.hpp"

#include "stitch/html/blocklist_rules.hpp"
#include "stitch/site.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace cistern::stitch;
using html::blocklist;

TEST_CASE("every rule that comes with Cistern is a rule", "[stitch]") {
  CHECK(blocklist::standard().size() == html::blocklist_rules().size());
}

TEST_CASE("third parties that count and advertise are blocked, what a page shows is not", "[stitch]") {
  auto const [url, blocked] = GENERATE(table<std::string, bool>({
      {"https://www.google-analytics.com/analytics.js", true},
      {"https://WWW.Google-Analytics.com/x", true},
      {"https://stats.g.doubleclick.net/dc.js", true},
      {"https://www.facebook.com/tr?id=1", true},
      {"https://metrics.unknown.test/matomo.js?v=3", true},
      {"https://www.facebook.com/travel/photo.jpg", false},
      {"https://cdn.jsdelivr.net/npm/x.js", false},
      {"https://fonts.gstatic.com/s/x.woff2", false},
      {"https://notgoogle-analytics.com/x.png", false},
      {"https://blog.example.org/matomo.js", false},
      {"https://i0.wp.com/photo.jpg", false},
      {"not an address", false},
  }));
  INFO(url);
  CHECK(blocklist::standard().blocks(url, "https://www.example.org/article") == blocked);
}

TEST_CASE("a tracker's own site is not broken", "[stitch]") {
  CHECK_FALSE(blocklist::standard().blocks("https://cdn.hotjar.com/logo.png", "https://www.hotjar.com/"));
}

TEST_CASE("rules can be added and excepted", "[stitch]") {
  blocklist list;
  CHECK(list.add("ads.test"));
  CHECK(list.add("||cdn.test^"));
  CHECK(list.add("@@||cdn.test/lib/*"));
  CHECK(list.add("/count/*.gif"));
  CHECK(list.add("||img.test/banner*"));
  CHECK(list.add("own.test/stats*$all"));
  auto const blocks = [&](std::string_view url) { return list.blocks(url, "http://own.test/"); };
  CHECK(blocks("http://ads.test/"));
  CHECK(blocks("http://a.b.ads.test:81/x"));
  CHECK_FALSE(blocks("http://goodads.test/"));
  CHECK(blocks("http://cdn.test/x"));
  CHECK_FALSE(blocks("http://cdn.test/lib/a.js"));
  CHECK(blocks("http://any.test/count/a/b.gif"));
  CHECK_FALSE(blocks("http://any.test/count/a.gif?x"));
  CHECK(blocks("http://img.test/banner/1"));
  CHECK_FALSE(blocks("http://img.test/photo"));
  CHECK(blocks("http://own.test/stats?a"));
  CHECK_FALSE(blocks("http://own.test/count/a.gif"));
}

TEST_CASE("what is no rule is refused", "[stitch]") {
  blocklist list;
  auto const rule = GENERATE(as<std::string>{}, "", "  ", "# comment", "! comment", "*", "/*", "**", "a b.test", "||",
                             ".test", "@@", "$all", "http://x.test/");
  INFO(rule);
  CHECK_FALSE(list.add(rule));
  CHECK(list.size() == 0);
}

TEST_CASE("a pattern with many wildcards costs little", "[stitch]") {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  CHECK_FALSE(html::fits(pattern + "b", std::string(2000, 'a')));
  CHECK(html::fits(pattern, std::string(2000, 'a')));
  CHECK(html::fits("/A*Z", "/a-z"));
  CHECK_FALSE(html::fits("/a", "/ab"));
}

TEST_CASE("a site is what one owner registered", "[stitch]") {
  auto const [host, site] = GENERATE(table<std::string, std::string>({
      {"www.example.org", "example.org"},
      {"a.b.example.co.uk", "example.co.uk"},
      {"co.uk", "co.uk"},
      {"me.github.io", "me.github.io"},
      {"x.me.github.io", "me.github.io"},
      {"localhost", "localhost"},
      {"127.0.0.1", "127.0.0.1"},
      {"www.example.org.", "example.org"},
  }));
  CHECK(site_of(host) == site);
}

TEST_CASE("a host is found behind users, ports and brackets", "[stitch]") {
  CHECK(host_of("http://u:p@a.test:81/x@y") == "a.test");
  CHECK(host_of("https://[::1]:8443/") == "[::1]");
  CHECK(host_of("//a.test?q") == "a.test");
  CHECK(host_of("a.test").empty());
  CHECK(same_site("http://www.a.test/", "https://img.A.test/x"));
  CHECK_FALSE(same_site("http://a.test/", "http://b.test/"));
  CHECK_FALSE(same_site("", ""));
}
