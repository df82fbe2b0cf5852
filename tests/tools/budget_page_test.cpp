#include "tests/support/child_process.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

TEST_CASE("whoever meets the budget's end may have the page once all the same, by one button", "[tools]") {
  auto const story = noise(4, 60'000);
  fake_origin origin{[&](fake_exchange& x) {
    serve_file(x, {.body = story, .fields = "ETag: \"" + x.request.target + "\"\r\nContent-Type: text/html\r\n"});
  }};
  temp_dir folder;
  child_process daemon{{CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", (folder / "data").string(),
                        "--set", "budget.per_day=20kB", "--set", "log.level=warning"}};
  auto const line = daemon.wait_for("Cistern is at ", 60s);
  auto const port = static_cast<std::uint16_t>(std::stoul(line.substr(line.find(':', line.find("//")) + 1)));
  auto const get = [&](std::string const& url, std::string const& method = "GET", std::string const& body = {}) {
    return http_send({.port = port,
                      .target = url,
                      .method = method,
                      .headers = {{"Accept", "text/html,application/xhtml+xml"}, {"Upgrade-Insecure-Requests", "1"}},
                      .body = body});
  };
  try {
    static_cast<void>(get(origin.url("/first")));  // breaks off where the budget ends
  } catch (std::exception const&) {
  }

  auto const url = origin.url("/story");
  auto const page = get(url);
  CHECK(page.status == 504);
  CHECK_THAT(page.body, Contains("Your data budget is used up") && Contains("Fetch it now, over the budget"));
  auto const token = page.body.substr(page.body.find("name=\"token\" value=\"") + 20, 32);
  auto const insist = origin.url("/.well-known/cistern/insist");
  CHECK(get(insist, "POST", "url=" + url + "&token=wrong").status == 403);
  CHECK(get(url).status == 504);
  auto const done = get(insist, "POST", "url=" + url + "&token=" + token);
  CHECK(done.status == 303);
  CHECK((get(url).body == story));
  CHECK(get(origin.url("/third")).status == 504);  // it was for once
}
