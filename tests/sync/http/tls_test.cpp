#include "tests/sync/http/client_fixture.hpp"

#include <catch2/catch.hpp>

using namespace client_test;
using namespace std::chrono_literals;

namespace {

void answer_ok(fake_exchange& x) { x.answer(200, "", "secret"); }

client_options trusting(test_ca const& ca) {
  client_options out;
  out.ca_file = ca.file();
  return out;
}

}  // namespace

TEST_CASE("a page comes over TLS when its certificate is good", "[sync][http][tls]") {
  test_ca const ca;
  fake_origin origin{answer_ok, ca.server({})};
  bench b{trusting(ca)};
  auto const got = b.get(origin.url());
  CHECK_FALSE(got.error);
  CHECK(got.body == "secret");
  CHECK(b.get(origin.url()).body == "secret");
  CHECK(origin.connections() == 1);
  // Handshake and records are counted: far more than the message itself.
  CHECK(got.received > 500);
  CHECK(got.sent > 300);
}

TEST_CASE("an address in the certificate is good for a URL with that address", "[sync][http][tls]") {
  test_ca const ca;
  fake_origin origin{answer_ok, ca.server({})};
  bench b{trusting(ca)};
  CHECK(b.get("https://127.0.0.1:" + std::to_string(origin.port()) + "/").body == "secret");
}

TEST_CASE("a certificate that does not fit is refused and the reason is told", "[sync][http][tls]") {
  test_ca const ca;
  client_options options;
  test_ca::leaf leaf;
  std::string reason;
  SECTION("an unknown authority") { reason = "unable to get local issuer"; }
  SECTION("another name") {
    options = trusting(ca);
    leaf.names = "DNS:other.test";
    reason = "ostname mismatch";
  }
  SECTION("expired") {
    options = trusting(ca);
    leaf.not_after = -60;
    reason = "expired";
  }
  SECTION("not yet valid, as on a machine whose clock is wrong") {
    options = trusting(ca);
    leaf.not_before = 600;
    reason = "not yet valid";
  }
  fake_origin origin{answer_ok, ca.server(leaf)};
  bench b{options};
  auto const got = b.get(origin.url());
  CHECK(kind_of(got.error) == errc::tls_untrusted);
  CHECK_THAT(got.error.message(), Catch::Contains(reason));
  CHECK_FALSE(is_link_trouble(got.error));
  CHECK(origin.requests().empty());
}

TEST_CASE("an address not in the certificate is refused", "[sync][http][tls]") {
  test_ca const ca;
  fake_origin origin{answer_ok, ca.server({.names = "DNS:localhost"})};
  bench b{trusting(ca)};
  auto const got = b.get("https://127.0.0.1:" + std::to_string(origin.port()) + "/");
  CHECK(kind_of(got.error) == errc::tls_untrusted);
  CHECK_THAT(got.error.message(), Catch::Contains("IP address mismatch"));
}

TEST_CASE("a plain server asked for TLS is a TLS failure", "[sync][http][tls]") {
  fake_origin origin{[](fake_exchange& x) { x.answer(200, "", "plain"); }};
  bench b;
  // The ClientHello has no empty line: the origin answers nothing until it is told otherwise.
  auto what = to("https://localhost:" + std::to_string(origin.port()) + "/");
  what.options.limits.tls = 100ms;
  auto const kind = kind_of(b.run(std::move(what)).error);
  CHECK((kind == errc::tls_failed || kind == errc::connect_timeout));
}

TEST_CASE("a TLS stream cut without close_notify is a truncation", "[sync][http][tls]") {
  test_ca const ca;
  auto const polite = GENERATE(true, false);
  fake_origin origin{[polite](fake_exchange& x) {
                       x.send("HTTP/1.1 200 OK\r\n\r\nhow much?");
                       polite ? x.end() : x.cut();
                     },
                     ca.server({})};
  bench b{trusting(ca)};
  auto const got = b.get(origin.url());
  CHECK(got.body == "how much?");
  CHECK(got.complete == (polite ? completeness::whole : completeness::partial));
  CHECK(got.error == (polite ? boost::system::error_code{} : make_error_code(errc::truncated)));
}

TEST_CASE("a second connection resumes the first one's session", "[sync][http][tls]") {
  test_ca const ca;
  auto const context = ca.server({});
  auto const version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), version);
  SSL_CTX_set_min_proto_version(context.get(), version);
  fake_origin origin{[](fake_exchange& x) {
                       x.answer(200, "Connection: close\r\n", "text");
                       x.end();
                     },
                     context};
  bench b{trusting(ca)};
  auto const first = b.get(origin.url());
  auto const second = b.get(origin.url());
  CHECK(second.body == "text");
  auto const seen = origin.requests();
  REQUIRE(seen.size() == 2);
  CHECK_FALSE(seen[0].resumed);
  CHECK(seen[1].resumed);
  CHECK(second.received < first.received);
}
