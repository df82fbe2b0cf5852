#include "sync/downloads.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

using namespace cistern::sync;
using namespace std::chrono_literals;
namespace net = boost::asio;

namespace {

/// Fetches in the name of a public host that is really this machine.
struct bench {
  net::io_context io{1};
  fake_clock wall{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}};
  cistern::tests::temp_store store;
  resolver names{{}, [](std::string const&) -> result<resolver::addresses> {
                   return resolver::addresses{net::ip::make_address("127.0.0.1")};
                 }};
  network_link link{wall, {.doubts = true}};
  http_client client{io.get_executor(), names, {}};
  downloads fetching{*store, link, wall, {}};

  net::awaitable<std::string> read_all(std::string url) {
    wish what{.url = std::move(url)};
    auto begun = fetching.get(std::move(what), client, io.get_executor());
    auto const head = co_await begun.from->wait_for_head(0ms);
    std::string out;
    std::string piece(4096, '\0');
    while (head) {
      auto const got = co_await begun.reader.read_some(piece);
      if (!got || *got == 0) break;
      out.append(piece, 0, *got);
    }
    co_return out;
  }
  std::string get(std::string const& url) { return run_task(io, read_all(url)); }
};

}  // namespace

TEST_CASE("a captive portal's page is shown to whoever asked and never stored", "[sync][link]") {
  fake_origin portal{[](fake_exchange& x) {
    if (x.request.target == "/redirected") return x.answer(302, "Location: http://192.168.1.1/login\r\n", "go");
    x.answer(200, "Cache-Control: max-age=3600\r\nContent-Type: text/html\r\n", "Please log in");
  }};
  auto const url = [&](char const* target) { return "http://news.test:" + std::to_string(portal.port()) + target; };
  bench b;
  SECTION("while it is known") { b.link.observed(link_state::portal, "a login page"); }
  SECTION("while it is not known yet, after the link came back") { b.link.came_back("there is a default route"); }
  SECTION("nor later, as long as nothing proves the internet") {
    b.link.came_back("there is a default route");
    b.wall.advance(48h);
  }
  CHECK(b.get(url("/")) == "Please log in");
  CHECK(b.store.body_of(url("/")) == "(absent)");

  b.link.observed(link_state::up, "the probe was answered");
  CHECK(b.get(url("/redirected")) == "go");
  CHECK(b.store.body_of(url("/redirected")) == "(absent)");  // it has the marks
  CHECK(b.get(url("/")) == "Please log in");
  CHECK(b.store.body_of(url("/")) == "Please log in");  // now it is what the site really says
}

TEST_CASE("a download that goes on by its own tag proves that no portal is in between", "[sync][link]") {
  auto const body = cistern::tests::noise(3, 300'000);
  fake_origin origin{[&](fake_exchange& x) {
    serve_file(
        x, {.body = body, .fields = "ETag: \"1\"\r\n", .cut_after = x.request.connection == 1 ? 100'000 : SIZE_MAX});
  }};
  auto const url = "http://news.test:" + std::to_string(origin.port()) + "/file";
  bench b;
  b.get(url);
  b.link.came_back("there is a default route");
  REQUIRE(b.link.in_doubt());
  b.get(url);
  CHECK(origin.requests().back().field("Range") == "bytes=100000-");
  CHECK_FALSE(b.link.in_doubt());
  CHECK((b.store.body_of(url) == body));
}
