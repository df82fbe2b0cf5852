#include "sync/link_watch/watcher.hpp"

#include "sync/link_watch/clock_check.hpp"
#include "sync/portal.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/own_network.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/sync/http/client_fixture.hpp"

#include <catch2/catch.hpp>

#include <condition_variable>
#include <mutex>

using namespace cistern::sync;
using namespace std::chrono;
using namespace std::chrono_literals;
using cistern::tests::in_own_network;
using cistern::tests::ip;

namespace {

/// A link that is watched, and a place to wait for what becomes of it.
class watched {
public:
  explicit watched(watch_settings settings, link_options options = {}) : link{wall, options} {
    settings.bus = "unix:path=/nowhere";
    watcher_ = std::make_unique<link_watcher>(link, wall, names_, client_options{}, std::move(settings));
  }

  /// Whether it becomes true within the second that is promised (and some for a machine that is busy).
  template <class Predicate>
  bool soon(Predicate holds) {
    auto const until = steady_clock::now() + 5s;
    while (!holds() && steady_clock::now() < until) std::this_thread::sleep_for(5ms);
    return holds();
  }
  bool becomes(link_state state) {
    return soon([&] { return link.state() == state; });
  }

  fake_clock wall{sys_days{2026y / 11 / 16}};
  network_link link;

private:
  resolver names_;
  std::unique_ptr<link_watcher> watcher_;
};

bool add_interface(std::string const& name, int network) {
  auto const prefix = "10.9." + std::to_string(network) + ".";
  return ip("link add " + name + " type veth peer name far" + name) && ip("link set far" + name + " up") &&
         ip("addr add " + prefix + "2/24 dev " + name) && ip("link set " + name + " up");
}
bool add_default(std::string const& name, int network, int metric = 0) {
  return ip("route add default via 10.9." + std::to_string(network) + ".1 dev " + name + " metric " +
            std::to_string(metric));
}

constexpr char const* not_allowed = "skipped: a network namespace of its own is not allowed here";

/// Answers the probe as a portal does until somebody has logged in.
struct probed_origin {
  std::atomic<bool> logged_in{false};
  fake_origin origin{[this](fake_exchange& x) {
    if (logged_in) return x.answer(200, "", "cistern probe\n");
    x.answer(302, "Location: http://10.9.1.1/login\r\n", "");
  }};
  [[nodiscard]] probe_settings settings() const { return {.url = origin.url(), .body = "cistern probe\n"}; }
};

/// The kernel notices a cable that was pulled in its own time.
bool leads_in_the_end_by(std::string_view interface) {
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (std::chrono::steady_clock::now() < limit) {
    if (auto const route = default_route(); route && route->interface == interface) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

TEST_CASE("the kernel's default route is known by its interface", "[sync][link_watch]") {
  if (!in_own_network([] {
        CHECK_FALSE(default_route());
        REQUIRE(add_interface("wlan9", 1));
        CHECK_FALSE(default_route());
        REQUIRE(add_default("wlan9", 1, 600));
        CHECK(default_route().value().interface == "wlan9");
        REQUIRE(add_interface("eth9", 2));
        REQUIRE(add_default("eth9", 2, 100));
        CHECK(default_route().value().interface == "eth9");  // the lower metric is taken
        REQUIRE(ip("link set fareth9 down"));                // the cable is pulled
        CHECK(leads_in_the_end_by("wlan9"));
        REQUIRE(ip("route del default"));
        REQUIRE(ip("-6 route add default dev wlan9"));
        CHECK(default_route().value().interface == "wlan9");
      }))
    WARN(not_allowed);
}

TEST_CASE("a default route that goes is a dead link at once, and one that comes wakes everybody",
          "[sync][link_watch]") {
  if (!in_own_network([] {
        REQUIRE(add_interface("wlan9", 1));
        REQUIRE(add_default("wlan9", 1));
        watched w{{.metered_interfaces = {"wwan*"}}, {.doubts = true}};
        CHECK(w.link.name() == "wlan9");
        CHECK(w.link.state() == link_state::up);
        CHECK(w.link.may_store("a.test", false));

        REQUIRE(ip("route del default"));
        CHECK(w.becomes(link_state::down));
        CHECK(w.link.reason() == "the default route is gone");

        REQUIRE(add_default("wlan9", 1));
        CHECK(w.becomes(link_state::up));
        CHECK(w.link.reason() == "there is a default route by wlan9");
        CHECK_FALSE(w.link.may_store("a.test", false));  // who knows where it leads

        REQUIRE(ip("link set farwlan9 down"));  // out of reach: the route is there and leads nowhere
        CHECK(w.becomes(link_state::down));
        REQUIRE(ip("link set farwlan9 up"));
        CHECK(w.becomes(link_state::up));

        // An interface that is switched off takes its routes with it, and the kernel says nothing of them.
        REQUIRE(ip("link set wlan9 down"));
        CHECK(w.becomes(link_state::down));
        CHECK_FALSE(w.link.metered());

        REQUIRE(add_interface("wwan9", 2));
        REQUIRE(add_default("wwan9", 2));
        CHECK(w.becomes(link_state::up));
        CHECK(w.link.name() == "wwan9");
        CHECK(w.link.metered());
      }))
    WARN(not_allowed);
}

TEST_CASE("when the way out changes, what used the old one is told", "[sync][link_watch]") {
  if (!in_own_network([] {
        REQUIRE(add_interface("wlan9", 1));
        REQUIRE(add_default("wlan9", 1, 600));
        watched w{{}};
        REQUIRE(add_interface("eth9", 2));
        REQUIRE(add_default("eth9", 2, 100));
        CHECK(w.soon([&] { return w.link.history().size() == 2; }));
        auto const history = w.link.history();
        CHECK(history.at(0).state == link_state::down);
        CHECK(history.at(0).reason == "the way out changed to eth9");
        CHECK(w.link.state() == link_state::up);
      }))
    WARN(not_allowed);
}

TEST_CASE("behind a login page the link is a portal, and up when one has logged in", "[sync][link_watch]") {
  if (!in_own_network([] {
        probed_origin far;
        watched w{{.probe = far.settings()}, {.first_probe = 10ms, .slowest_probe = 20ms, .doubts = true}};
        REQUIRE(add_interface("wlan9", 1));
        REQUIRE(add_default("wlan9", 1));
        CHECK(w.becomes(link_state::portal));
        CHECK_FALSE(w.link.may_store("a.test", false));
        w.link.succeeded("a.test");  // the portal answers for everybody
        CHECK(w.link.state() == link_state::portal);
        far.logged_in = true;
        CHECK(w.becomes(link_state::up));
        CHECK(w.link.may_store("a.test", false));
        CHECK(w.link.reason() == "the probe was answered");
      }))
    WARN(not_allowed);
}

TEST_CASE("a probe that nobody answers leaves it to requests, in doubt", "[sync][link_watch]") {
  if (!in_own_network([] {
        probe_settings const silent{.url = "http://127.0.0.1:9/", .body = "x"};
        watched w{{.probe = silent}, {.doubts = true}};
        REQUIRE(add_interface("wlan9", 1));
        w.link.observed(link_state::down, "before");
        REQUIRE(add_default("wlan9", 1));
        CHECK(w.becomes(link_state::up));
        CHECK_FALSE(w.link.may_store("a.test", false));
        w.link.succeeded("b.test", true);
        CHECK(w.link.may_store("a.test", false));
      }))
    WARN(not_allowed);
}

TEST_CASE("a probe believes the exact answer and no other", "[sync][link_watch]") {
  client_test::bench b;
  auto const ask = [&](fake_origin const& origin, std::string body = "yes\n") {
    probe_settings settings{.url = origin.url(), .body = std::move(body), .limit = 2s};
    return run_task(b.io, probe_page(b.client, std::move(settings)));
  };
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(200, "", "yes\n"); }}) == probe_finding::internet);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(204, "", ""); }}, "") == probe_finding::internet);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(200, "", "<html>Welcome!"); }}) == probe_finding::portal);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(200, "", "yes\n and more"); }}) == probe_finding::portal);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(302, "Location: http://portal.test/\r\n", ""); }}) ==
        probe_finding::portal);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(511, "", "yes\n"); }}) == probe_finding::portal);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.answer(200, "", std::string(1 << 20, 'x')); }}) ==
        probe_finding::portal);
  CHECK(ask(fake_origin{[](fake_exchange& x) { x.cut(); }}) == probe_finding::nothing);
}

TEST_CASE("a network that says whether one has to log in is believed", "[sync][link_watch]") {
  test_ca const ca;
  client_options trusting;
  trusting.ca_file = ca.file();
  client_test::bench b{std::move(trusting)};
  auto const ask = [&](std::string answer) {
    fake_origin api{[&](fake_exchange& x) { x.answer(200, "Content-Type: application/captive+json\r\n", answer); },
                    ca.server({})};
    probe_settings settings{.captive_api = api.url()};
    return run_task(b.io, probe_captive_api(b.client, std::move(settings)));
  };
  CHECK(ask(R"({"captive": true, "user-portal-url": "https://portal.test/"})") == probe_finding::portal);
  CHECK(ask(R"({"captive": false})") == probe_finding::internet);
  CHECK(ask(R"({"captive": "no"})") == probe_finding::nothing);
  CHECK(ask("<html>") == probe_finding::nothing);
  CHECK_FALSE(captive_flag(std::string(1000, '[')));
  // Over plain http anybody could say so (RFC 8908 section 4).
  probe_settings plain{.captive_api = "http://portal.test/"};
  CHECK(run_task(b.io, probe_captive_api(b.client, std::move(plain))) == probe_finding::nothing);
}

TEST_CASE("the network's own address for that comes with the lease", "[sync][link_watch]") {
  cistern::tests::temp_dir const dir;
  auto const lease = dir.write("3", "# This is private data.\nADDRESS=10.0.0.2\nCAPTIVE_PORTAL=https://api.test/c\n");
  CHECK(captive_api_in_lease(lease) == "https://api.test/c");
  CHECK(captive_api_in_lease(dir / "none").empty());
}

TEST_CASE("a plain answer with the marks of a login page is known", "[sync][link_watch]") {
  auto const [asked, status, location, portal] = GENERATE(table<char const*, unsigned, char const*, bool>({
      {"http://news.test/", 511, "", true},
      {"http://news.test/", 302, "http://192.168.1.1/", true},
      {"http://news.test/", 302, "http://hotspot.airport.test/welcome", true},
      {"http://news.test/", 307, "https://wifi.test/Login?to=news.test", true},
      {"http://news.test/", 301, "https://news.test/login", false},
      {"http://news.test/", 301, "https://www.news.test/", false},
      {"http://news.test/", 302, "https://elsewhere.test/article", false},
      {"http://news.test/", 302, "/login", false},
      {"http://news.test/", 200, "", false},
      {"https://news.test/", 302, "https://sso.test/login", false},
      {"http://192.168.1.7/", 302, "http://192.168.1.8/login", false},
  }));
  CAPTURE(asked, status, location);
  cistern::store::header_block fields;
  if (*location != '\0') fields.add("Location", location);
  CHECK(looks_like_portal(parse_url(asked).value().to, status, fields) == portal);
}

TEST_CASE("a clock before the program's building or before what was written down is wrong", "[sync][link_watch]") {
  sys_days const built{2026y / 11 / 1};
  CHECK(clock_trouble(sys_seconds{}, built, {}).value() ==
        "The clock shows Thu, 01 Jan 1970 00:00:00 GMT, which is before this program was built. Secure sites cannot be "
        "reached until it is set (NTP, a GPS, or `date -s`).");
  CHECK_FALSE(clock_trouble(built + 0h, built, {}));
  CHECK_FALSE(clock_trouble(built - 23h, built, {}));  // built where the day began earlier
  CHECK(clock_trouble(built - 25h, built, {}));
  sys_seconds const newest = built + 100h;
  CHECK_THAT(clock_trouble(newest - 2h, built, newest).value(), Catch::Contains("newest thing in the repository"));
  CHECK_FALSE(clock_trouble(newest - 10min, built, newest));
  CHECK(build_day() > sys_days{2025y / 1 / 1});
}

TEST_CASE("the names of interfaces may end in a star", "[sync][link_watch]") {
  CHECK(matches_interface("wwan*", "wwan0"));
  CHECK(matches_interface("ppp0", "ppp0"));
  CHECK_FALSE(matches_interface("ppp0", "ppp01"));
  CHECK_FALSE(matches_interface("wwan*", "wlan0"));
}
