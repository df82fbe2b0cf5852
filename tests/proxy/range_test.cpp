#include "tests/proxy/whole_proxy.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using Catch::Matchers::Contains;

namespace {

std::string const digits = "0123456789";

/// Answers every "bytes=a-b", "bytes=a-" and "bytes=-n" of `body`, and nothing else.
fake_origin::script ranges_of(std::string body, std::string fields) {
  return [=](fake_exchange& x) {
    auto const asked = x.request.field("Range");
    if (asked.empty()) return x.answer(200, fields, body);
    auto const dash = asked.find('-');
    auto const left = asked.substr(6, dash - 6);
    auto const right = asked.substr(dash + 1);
    auto const first = left.empty() ? body.size() - std::stoul(right) : std::stoul(left);
    auto const last = left.empty() || right.empty() ? body.size() - 1 : std::min(std::stoul(right), body.size() - 1);
    auto const range = std::to_string(first) + "-" + std::to_string(last) + "/" + std::to_string(body.size());
    x.answer(206, fields + "Content-Range: bytes " + range + "\r\n", body.substr(first, last - first + 1));
  };
}

std::string const kept = "Cache-Control: max-age=60\r\nETag: \"v1\"\r\n";

}  // namespace

TEST_CASE("a range of something that is not stored fetches it once, whole", "[proxy]") {
  whole_proxy proxy;
  auto const body = noise(3, 3 << 20);
  fake_origin origin{ranges_of(body, kept)};
  auto const first = GENERATE(0, 5, 2 << 20);
  auto const range = "bytes=" + std::to_string(first) + "-" + std::to_string(first + 99);
  auto const part = proxy.get(origin.url(), {{"Range", range}});
  CHECK(part.status == 206);
  CHECK(part.body == body.substr(static_cast<std::size_t>(first), 100));
  auto const whole = proxy.get(origin.url()).body;
  CHECK(whole.size() == body.size());
  CHECK((whole == body));
  CHECK(origin.requests().size() == 1);
  CHECK(origin.requests().front().field("Range").empty());
}

TEST_CASE("a range past the end of what is not stored is refused, and the whole is kept", "[proxy]") {
  // RFC 9110 §14.2, §15.5.17: the length is known with the head.
  whole_proxy proxy;
  fake_origin origin{always(kept, digits)};
  auto const range = GENERATE(as<std::string>{}, "bytes=10-19", "bytes=50-60", "bytes=10-10,99-100");
  INFO(range);
  auto const refused = proxy.get(origin.url(), {{"Range", range}});
  CHECK(refused.status == 416);
  CHECK(header(refused, "Content-Range") == "bytes */10");
  CHECK(refused.body.empty());
  CHECK(proxy.get(origin.url()).body == digits);
  CHECK(proxy.get(origin.url(), {{"Range", range}}).status == 416);
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("a range from the end is asked for alone, kept, and answers every range inside it", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{ranges_of(digits, kept)};
  auto const first = proxy.get(origin.url(), {{"Range", "bytes=-5"}});
  CHECK(first.status == 206);
  CHECK(first.body == "56789");
  CHECK(origin.requests().front().field("Range") == "bytes=-5");
  auto const [range, body, content_range] = GENERATE(table<std::string, std::string, std::string>({
      {"bytes=-5", "56789", "bytes 5-9/10"},
      {"bytes=-1", "9", "bytes 9-9/10"},
      {"bytes=6-8", "678", "bytes 6-8/10"},
      {"bytes=7-", "789", "bytes 7-9/10"},
      {"bytes=5-100", "56789", "bytes 5-9/10"},
  }));
  auto const again = proxy.get(origin.url(), {{"Range", range}});
  INFO(range);
  CHECK(again.status == 206);
  CHECK(again.body == body);
  CHECK(header(again, "Content-Range") == content_range);
  CHECK(header(again, "ETag") == "\"v1\"");
  CHECK_THAT(header(again, "Cache-Status"), Contains("hit"));
  CHECK(origin.requests().size() == 1);
}

TEST_CASE("a stored range answers nothing that it is not", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{ranges_of(digits, kept)};
  proxy.get(origin.url(), {{"Range", "bytes=-5"}});
  SECTION("a request for the whole") {
    auto const whole = proxy.get(origin.url());
    CHECK(whole.status == 200);
    CHECK(whole.body == digits);
    CHECK(proxy.get(origin.url(), {{"Range", "bytes=-5"}}).body == "56789");
    CHECK(origin.requests().size() == 2);
    CHECK(proxy.store->versions(origin.url()).value().size() == 1);  // the whole took the range's place
  }
  SECTION("a longer range") {
    CHECK(proxy.get(origin.url(), {{"Range", "bytes=-6"}}).body == "456789");
    CHECK(origin.requests().size() == 2);
  }
  SECTION("a stale one") {
    proxy.clock.advance(61s);
    CHECK(proxy.get(origin.url(), {{"Range", "bytes=-5"}}).body == "56789");
    CHECK(origin.requests().size() == 2);
  }
  SECTION("a range of another version") {
    proxy.get(origin.url(), {{"Range", "bytes=-5"}, {"If-Range", "\"v2\""}});
    CHECK(origin.requests().size() == 2);
    CHECK(origin.requests().back().field("If-Range") == "\"v2\"");
  }
  SECTION("anything after a write") {
    proxy.get(origin.url(), {}, "DELETE");
    proxy.get(origin.url(), {{"Range", "bytes=-5"}});
    CHECK(origin.requests().size() == 3);
  }
  SECTION("but anything inside it when the link is down") {
    proxy.clock.advance(3600s);
    proxy.link.force(sync::link_mode::offline);
    CHECK(proxy.get(origin.url(), {{"Range", "bytes=6-7"}}).body == "67");
    CHECK(proxy.get(origin.url(), {{"Range", "bytes=0-7"}}).status == 504);
  }
}

TEST_CASE("ranges that touch grow together when a strong validator says they are of one version", "[proxy]") {
  auto const [fields, joined] = GENERATE(table<std::string, bool>({
      {"Cache-Control: max-age=60\r\nETag: \"v1\"\r\n", true},
      {"Cache-Control: max-age=60\r\nLast-Modified: Fri, 01 Jan 2010 01:01:01 GMT\r\n"
       "Date: Sun, 17 Mar 2030 17:46:40 GMT\r\n",
       true},
      {"Cache-Control: max-age=60\r\nETag: W/\"v1\"\r\n", false},
      {"Cache-Control: max-age=60\r\n", false},
  }));
  INFO(fields);
  whole_proxy proxy;
  auto const body = noise(7, 9 << 20);
  fake_origin origin{ranges_of(body, fields)};
  auto const range = [](std::size_t first, std::size_t last) {
    return std::map<std::string, std::string>{{"Range", "bytes=" + std::to_string(first) + "-" + std::to_string(last)}};
  };
  std::size_t const start = store::near_the_start;
  CHECK(proxy.get(origin.url(), range(start, start + 99)).body == body.substr(start, 100));
  CHECK(proxy.get(origin.url(), range(start + 90, start + 199)).body == body.substr(start + 90, 110));
  auto const both = proxy.get(origin.url(), range(start + 50, start + 149));
  CHECK(both.body == body.substr(start + 50, 100));
  CHECK(origin.requests().size() == (joined ? 2 : 3));
}

TEST_CASE("a part that is shorter than it claims answers for the bytes that came, and the origin for the rest",
          "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.field("Range").empty()) return x.answer(200, kept, digits);
    x.answer(206, "Cache-Control: max-age=60\r\nContent-Range: bytes 4-9/10\r\n", "45678");
  }};
  proxy.get(origin.url(), {{"Range", "bytes=-5"}});
  CHECK(proxy.get(origin.url(), {{"Range", "bytes=6-8"}}).body == "678");
  CHECK(origin.requests().size() == 1);
  auto const beyond = GENERATE(as<std::string>{}, "bytes=-5", "bytes=-1", "bytes=6-", "bytes=8-9");
  INFO(beyond);
  proxy.get(origin.url(), {{"Range", beyond}});
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("an origin without ranges is asked once more, for the whole, which is kept", "[proxy]") {
  whole_proxy proxy;
  fake_origin origin{always(kept, digits)};
  auto const part = proxy.get(origin.url(), {{"Range", "bytes=-5"}});
  CHECK(part.status == 206);
  CHECK(part.body == "56789");
  CHECK(proxy.get(origin.url()).body == digits);
  CHECK(origin.requests().size() == 2);
}

TEST_CASE("what is not to be kept is not kept in parts either", "[proxy]") {
  whole_proxy proxy;
  auto const control = GENERATE(as<std::string>{}, "no-store", "private, max-age=60", "max-age=0");
  fake_origin origin{ranges_of(digits, "Cache-Control: " + control + "\r\n")};
  for (int i = 0; i < 2; ++i) CHECK(proxy.get(origin.url(), {{"Range", "bytes=-2"}}).body == "89");
  CHECK(origin.requests().size() == 2);
}
