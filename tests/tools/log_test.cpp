#include "tools/cistern/log.hpp"

#include "sync/log_url.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tools;
using cistern::sync::log_queries;
using cistern::sync::log_url;
using cistern::sync::log_value;

TEST_CASE("a logged URL shows neither passwords nor what was asked for", "[tools]") {
  auto const [url, logged] = GENERATE(table<std::string, std::string>({
      {"https://a.test/b/c", "https://a.test/b/c"},
      {"https://a.test/search?q=secret&t=1", "https://a.test/search?…"},
      {"https://ada:secret@a.test/b", "https://a.test/b"},
      {"https://ada:sec@ret@a.test:8443/b?x", "https://a.test:8443/b?…"},
      {"https://a.test/b#secret", "https://a.test/b"},
      {"https://a.test/user@host/b", "https://a.test/user@host/b"},
      {"/path?token=secret", "/path?…"},
      {"a.test:443", "a.test:443"},
      {"//ada:secret@a.test/", "//a.test/"},
      {"https://a.test/b c", "\"https://a.test/b c\""},
  }));
  CHECK(log_url(url) == logged);
}

TEST_CASE("query strings are logged when that was asked for, passwords never", "[tools]") {
  log_queries(true);
  auto const logged = log_url("https://ada:secret@a.test/s?q=1");
  log_queries(false);
  CHECK(logged == "https://a.test/s?q=1");
}

TEST_CASE("nothing from outside can forge a line or a field of the log", "[tools]") {
  CHECK(log_value("plain-word/1.0") == "plain-word/1.0");
  CHECK(log_value("") == "\"\"");
  CHECK(log_value("two words") == "\"two words\"");
  CHECK(log_value("x level=error") == "\"x level=error\"");
  CHECK(log_value("a\r\nb\"c\\") == "\"a\\x0d\\x0ab\\\"c\\\\\"");
  CHECK(log_value("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(log_value("caf\xe9") == "\"caf\\xe9\"");
  CHECK(log_value(std::string(5000, 'x')).size() < 2100);
}

TEST_CASE("an event with fields becomes a JSON object with the same fields", "[tools]") {
  CHECK(json_fields("fetch url=https://a.test/?… status=304 ok=true ratio=0.5 id=007 why=\"a \\\"b\\\"\"") ==
        R"("event":"fetch","url":"https://a.test/?…","status":304,"ok":true,"ratio":0.5,"id":"007","why":"a \"b\"")");
  CHECK(json_fields("stop") == R"("event":"stop")");
  CHECK(json_fields("fetch url=https://a.test/?q=1") == R"("event":"fetch","url":"https://a.test/?q=1")");
}

TEST_CASE("a line that is prose becomes a JSON message", "[tools]") {
  CHECK(json_fields("Something \"odd\" happened") == R"("message":"Something \"odd\" happened")");
  CHECK(json_fields("two words x=1") == R"("message":"two words x=1")");
  CHECK(json_fields("e a=\"open") == R"("message":"e a=\"open")");
  CHECK(json_fields("") == R"("message":"")");
}
