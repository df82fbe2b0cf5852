#include "tests/sync/fetch_fixture.hpp"

#include "store/http_date.hpp"

#include <catch2/catch.hpp>

using namespace fetch_test;
using sync::fetch_end;
using tests::noise;

namespace {

std::string const tagged = "ETag: \"v1\"\r\n";

void redirect(fake_exchange& x, std::string const& to, int status = 302) {
  x.answer(status, "Location: " + to + "\r\n", "");
}

}  // namespace

TEST_CASE("a fetch says how it ended", "[sync][fetch]") {
  bench b;
  SECTION("complete, with type and size and the stored object") {
    fake_origin origin{[](fake_exchange& x) { x.answer(200, "Content-Type: audio/mpeg\r\n", "song"); }};
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::complete);
    CHECK(out.status == 200);
    CHECK(out.content_type == "audio/mpeg");
    CHECK(out.size == 4);
    CHECK(out.gained == 4);
    REQUIRE(out.object);
    CHECK(out.object->complete);
    CHECK(out.object->kind == store::object_kind::enclosure);
  }
  SECTION("unchanged") {
    fake_origin origin{[](fake_exchange& x) {
      if (x.request.field("If-None-Match") == "\"v1\"") return x.answer(304, tagged, "");
      x.answer(200, tagged, "song");
    }};
    b.attempt(origin.url());
    auto what = bench::wish_for(origin.url());
    what.held.push_back(*b.store->find(origin.url()).value());
    auto const out = b.attempt(std::move(what));
    CHECK(out.how == fetch_end::unchanged);
    CHECK(out.status == 304);
    CHECK(out.object);
  }
  SECTION("gone") {
    fake_origin origin{[](fake_exchange& x) { x.answer(410, "", "bye"); }};
    CHECK(b.attempt(origin.url()).how == fetch_end::gone);
  }
  SECTION("refused") {
    fake_origin origin{[](fake_exchange& x) { x.answer(404, "", "no"); }};
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::refused);
    CHECK(out.status == 404);
  }
  SECTION("to be left alone, in seconds or until a date") {
    auto const until = store::format_http_date(b.clock.now() + 90s);
    auto const after = GENERATE_COPY(as<std::string>{}, "90", until);
    auto const status = GENERATE(429, 503);
    fake_origin origin{[=](fake_exchange& x) { x.answer(status, "Retry-After: " + after + "\r\n", ""); }};
    auto const out = b.attempt(origin.url());
    CHECK(out.how == fetch_end::retry_after);
    CHECK(out.retry_after == 90s);
  }
  SECTION("nothing answered: that may be our own link") {
    fake_origin origin{[](fake_exchange& x) { x.answer(200, "", ""); }};
    origin.deaf = true;
    sync::download_settings settings;
    settings.limits.first_byte = 50ms;
    bench impatient{{}, settings};
    CHECK(impatient.attempt(origin.url()).how == fetch_end::link_trouble);
  }
}

TEST_CASE("redirects are followed and stored, and told hop by hop", "[sync][fetch]") {
  fake_origin origin{[](fake_exchange& x) {
    if (x.request.target == "/a") return redirect(x, "/b", 301);
    if (x.request.target == "/b") return redirect(x, "c?x=1");
    x.answer(200, "", "there: " + x.request.target);
  }};
  bench b;
  auto const out = b.attempt(origin.url("/a"));
  CHECK(out.how == fetch_end::complete);
  CHECK(out.final_url == origin.url("/c?x=1"));
  REQUIRE(out.redirects.size() == 2);
  CHECK(out.redirects[0].status == 301);
  CHECK(out.redirects[1].from == origin.url("/b"));
  CHECK((b.store.body_of(origin.url("/c?x=1")) == "there: /c?x=1"));
  CHECK(b.store->find(origin.url("/a")).value()->status == 301);
  CHECK(b.store->find(origin.url("/b")).value()->status == 302);
}

TEST_CASE("redirects come to an end", "[sync][fetch]") {
  bench b;
  SECTION("in circles") {
    fake_origin origin{[](fake_exchange& x) { redirect(x, x.request.target == "/a" ? "/b" : "/a"); }};
    auto const out = b.attempt(origin.url("/a"));
    CHECK(out.how == fetch_end::forbidden);
    CHECK(out.error == sync::errc::redirect_loop);
    CHECK(origin.requests().size() == 2);
  }
  SECTION("one after the other for ever") {
    fake_origin origin{[](fake_exchange& x) { redirect(x, x.request.target + "x"); }};
    CHECK(b.attempt(origin.url("/")).how == fetch_end::forbidden);
    CHECK(origin.requests().size() == 11);
  }
  SECTION("to something that is no address of ours") {
    auto const to = GENERATE(as<std::string>{}, "file:///etc/passwd", "ftp://a.test/x", "http://[broken");
    fake_origin origin{[=](fake_exchange& x) { redirect(x, to); }};
    CHECK(b.attempt(origin.url("/")).how == fetch_end::forbidden);
  }
}

TEST_CASE("an address that the caller forbids is not reached by a redirect either", "[sync][fetch]") {
  fake_origin inner{[](fake_exchange& x) { x.answer(200, "", "secret"); }};
  fake_origin outer{[&](fake_exchange& x) { redirect(x, "http://127.0.0.2:" + std::to_string(inner.port()) + "/"); }};
  bench b;
  auto what = bench::wish_for(outer.url());
  what.allow_address = [](boost::asio::ip::address const& to) { return to.to_string() == "127.0.0.1"; };
  auto const out = b.attempt(std::move(what));
  CHECK(out.how == fetch_end::forbidden);
  CHECK(inner.requests().empty());
}

TEST_CASE("a host out on the internet cannot send us to an address in here", "[sync][fetch]") {
  fake_origin inner{[](fake_exchange& x) { x.answer(200, "", "secret"); }};
  auto const secret = "http://127.0.0.1:" + std::to_string(inner.port()) + "/";
  fake_origin outside{[&](fake_exchange& x) { redirect(x, secret); }};  // as the parent proxy shows it to us
  sync::client_options options;
  options.parents.for_http = sync::parse_parent_proxy("http://127.0.0.1:" + std::to_string(outside.port())).value();
  bench b{options};
  auto const out = b.attempt("http://public.test/");
  CHECK(out.how == fetch_end::forbidden);
  CHECK(out.error == sync::errc::forbidden_address);
  CHECK(outside.requests().size() == 1);
  CHECK(inner.requests().empty());
}

TEST_CASE("a redirect that has changed keeps what was downloaded, if a strong tag says that it is the same",
          "[sync][fetch]") {
  auto const body = noise(1, 800'000);
  auto const [first, second, kept] = GENERATE(table<std::string, std::string, bool>({
      {"ETag: \"v1\"\r\n", "ETag: \"v1\"\r\n", true},
      {"ETag: \"v1\"\r\n", "ETag: \"v2\"\r\n", false},
      {"", "", false},
  }));
  fake_origin origin{[&, first = first, second = second, count = 0](fake_exchange& x) mutable {
    if (x.request.target == "/link") return redirect(x, ++count == 1 ? "/signed?key=1" : "/signed?key=2");
    bool const old = x.request.target == "/signed?key=1";
    serve_file(x, {.body = body, .fields = old ? first : second, .cut_after = old ? 300'000 : SIZE_MAX});
  }};
  bench b;
  CHECK(b.attempt(origin.url("/link")).how == fetch_end::broken);
  CHECK(b.partial_size(origin.url("/signed?key=1")) == 300'000);
  auto const out = b.attempt(origin.url("/link"));
  CHECK(out.how == fetch_end::complete);
  CHECK(out.final_url == origin.url("/signed?key=2"));
  CHECK(out.gained == (kept ? 500'000 : 800'000));
  CHECK((b.store.body_of(origin.url("/signed?key=2")) == body));
  CHECK(b.objects(origin.url("/signed?key=1")) == 0);
}

TEST_CASE("a file that is larger than wanted is neither fetched nor kept", "[sync][fetch]") {
  auto const body = noise(2, 3'000'000);
  auto const announced = GENERATE(true, false);
  fake_origin origin{[&](fake_exchange& x) {
    if (announced) return x.answer(200, "", body);
    x.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2dc6c0\r\n" + body + "\r\n0\r\n\r\n");
  }};
  bench b;
  auto what = bench::wish_for(origin.url());
  what.most = 1'000'000;
  auto const out = b.attempt(std::move(what));
  CHECK(out.how == fetch_end::too_large);
  CHECK(b.objects(origin.url()) == 0);
  CHECK(b.client->total().received < 2'900'000);
}

TEST_CASE("a file that does not hash to what its feed announced is discarded", "[sync][fetch]") {
  auto const size = GENERATE(5, 1'000'000);
  auto const body = size == 5 ? std::string{"hello"} : std::string(1'000'000, 'a');
  std::string const md5 = size == 5 ? "5D41402abc4b2a76b9719d911017c592" : "7707d6ae4e027c70eea2a935c2296f21";
  std::string const sha1 =
      size == 5 ? "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d" : "34aa973cd4c4daa4f61eeb2bdbad27316534016f";
  fake_origin origin{[&](fake_exchange& x) { x.answer(200, tagged, body); }};
  bench b;
  auto what = bench::wish_for(origin.url());
  SECTION("right") {
    what.digest =
        GENERATE_COPY(values<sync::content_digest>({{sync::digest_kind::md5, md5}, {sync::digest_kind::sha1, sha1}}));
    CHECK(b.attempt(std::move(what)).how == fetch_end::complete);
    CHECK((b.store.body_of(origin.url()) == body));
  }
  SECTION("wrong") {
    what.digest = sync::content_digest{sync::digest_kind::md5, std::string(32, '0')};
    auto const out = b.attempt(std::move(what));
    CHECK(out.how == fetch_end::broken);
    CHECK(out.error == sync::errc::wrong_digest);
    CHECK(b.objects(origin.url()) == 0);
  }
}

TEST_CASE("what is fetched for a subscription is kept for it", "[sync][fetch]") {
  auto const body = noise(4, 900'000);
  fake_origin origin{[&](fake_exchange& x) {
    serve_file(x, {.body = body, .fields = tagged, .cut_after = x.request.connection == 1 ? 500'000u : SIZE_MAX});
  }};
  bench b;
  for (int i = 0; i < 2; ++i) {
    auto what = bench::wish_for(origin.url());
    what.keep = store::retention::needed;
    b.attempt(std::move(what));
  }
  CHECK(b.store->find(origin.url()).value()->keep == store::retention::needed);
}

TEST_CASE("Retry-After is read as seconds or as a date, and nonsense not at all", "[sync][fetch]") {
  std::chrono::sys_seconds const now{784'111'777s};
  CHECK(sync::parse_retry_after("120", now) == 120s);
  CHECK(sync::parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now) == 60s);
  CHECK(sync::parse_retry_after("Sun, 06 Nov 1994 08:48:37 GMT", now) == 0s);
  CHECK(!sync::parse_retry_after("soon", now));
  CHECK(!sync::parse_retry_after("-5", now));
}
