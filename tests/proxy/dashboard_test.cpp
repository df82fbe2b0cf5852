#include "proxy/api/item_list.hpp"
#include "proxy/dashboard/page_facts.hpp"
#include "proxy/dashboard/reading.hpp"
#include "tests/proxy/whole_dashboard.hpp"

#include <catch2/catch.hpp>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

namespace json = boost::json;

std::vector<std::string> titles(json::object const& list) {
  std::vector<std::string> out;
  for (auto const& item : list.at("items").as_array()) out.emplace_back(item.at("title").as_string());
  return out;
}

}  // namespace

TEST_CASE("items come newest first, page by page, each once", "[dashboard]") {
  whole_dashboard d;
  auto const spread = GENERATE(0, 1, 7'000);  // seconds between arrivals: all in one visit, dense, sparse
  for (int i = 0; i < 25; ++i) d.keep(1, i, d.clock.now() - std::chrono::seconds{spread * (25 - i)});
  std::vector<std::string> seen;
  std::string cursor;
  for (int pages = 0; pages < 10; ++pages) {
    auto const list = d.read("/api/v1/items?show=all&limit=10&cursor=" + cursor);
    for (auto const& title : titles(list)) seen.push_back(title);
    if (list.at("next").is_null()) break;
    cursor = list.at("next").as_string().c_str();
  }
  std::vector<std::string> expected;
  for (int i = 24; i >= 0; --i) expected.push_back("Item " + std::to_string(i));
  CHECK(seen == expected);
}

TEST_CASE("each site says how it fares through the proxy", "[dashboard]") {
  whole_dashboard d;
  d.store.write([](store::write_batch& b) {
    store::subscription const safe{.id = 1, .feed_url = "https://paper.test/feed"};
    store::subscription const plain{.id = 2, .feed_url = "http://old.test/feed"};
    return b.put(safe), b.put(plain), true;
  });
  auto const page = d.get("/sites", {{"Host", "localhost"}}).body;
  CHECK_THAT(page, Contains("a program here would not have the certificate") && Contains("data-door=\"refused\""));
  CHECK_THAT(page, Contains("data-door=\"plain\""));
}

TEST_CASE("items are found by subscription, folder, day, star and what is unread", "[dashboard]") {
  whole_dashboard d;
  d.store.write([](store::write_batch& b) {
    store::subscription feed{.id = 2, .feed_url = "http://paper.test/feed", .title = "The Paper"};
    feed.folders = {"News/Local"};
    return b.put(feed), true;
  });
  auto const now = d.clock.now();
  d.keep(1, 1, now - 49h);
  auto const item = d.keep(2, 2, now - 1h);
  auto const name = proxy::item_name(item);
  CHECK(titles(d.read("/api/v1/items?show=all&subscription=1")) == std::vector<std::string>{"Item 1"});
  CHECK(titles(d.read("/api/v1/items?show=all&folder=News")) == std::vector<std::string>{"Item 2"});
  CHECK(titles(d.read("/api/v1/items?show=all&folder=New")).empty());
  CHECK(titles(d.read("/api/v1/items?show=all&day=2030-03-15")) == std::vector<std::string>{"Item 1"});
  CHECK(titles(d.read("/api/v1/items?show=starred")).empty());
  CHECK(d.change("PATCH", "/api/v1/items/" + name, R"({"starred": true, "read": true})").status == 200);
  CHECK(titles(d.read("/api/v1/items?show=starred")) == std::vector<std::string>{"Item 2"});
  CHECK(titles(d.read("/api/v1/items?show=unread")) == std::vector<std::string>{"Item 1"});
  CHECK(d.get("/api/v1/items?day=yesterday").status == 400);
  CHECK(d.get("/api/v1/items?cursor=x").status == 400);
  CHECK(d.get("/api/v1/items/" + std::string(48, 'f')).status == 404);
}

TEST_CASE("a star pins the article's page, and taking it away lets it go again", "[dashboard]") {
  whole_dashboard d;
  auto const item = d.keep(1, 1, d.clock.now());
  d.store.write([&](store::write_batch& b) {
    store::object_head head{.url = item.link, .keep = store::retention::needed};
    return b.put_object(head, "<p>page"), true;
  });
  auto const target = "/api/v1/items/" + proxy::item_name(item);
  d.change("PATCH", target, R"({"starred": true})");
  CHECK(d.store->find(item.link).value()->keep == store::retention::pinned);
  d.change("PATCH", target, R"({"starred": false})");
  CHECK(d.store->find(item.link).value()->keep == store::retention::needed);
}

TEST_CASE("what is new is what came since the last visit, and a visit lasts while somebody reads", "[dashboard]") {
  whole_dashboard d;
  d.keep(1, 1, d.clock.now());
  d.clock.advance(1min);
  d.change("POST", "/api/v1/here", "{}");
  CHECK(titles(d.read("/api/v1/items?show=new")).size() == 1);  // the first visit ever
  d.clock.advance(2h);
  d.keep(1, 2, d.clock.now());
  d.clock.advance(1min);
  d.change("POST", "/api/v1/here", "{}");
  CHECK(titles(d.read("/api/v1/items?show=new")) == std::vector<std::string>{"Item 2"});
  d.clock.advance(10min);
  d.change("POST", "/api/v1/here", "{}");
  CHECK(titles(d.read("/api/v1/items?show=new")) == std::vector<std::string>{"Item 2"});
  d.change("POST", "/api/v1/here", R"({"caught_up": true})");
  CHECK(titles(d.read("/api/v1/items?show=new")).empty());
}

TEST_CASE("the dashboard answers under its own names only", "[dashboard]") {
  whole_dashboard d;
  CHECK(d.get("/", {{"Host", "evil.test"}}).status == 421);
  CHECK(d.get("/api/v1/status", {{"Host", "evil.test:8910"}}).status == 421);
  CHECK(d.get("/", {{"Host", "paper.test.localhost:8910"}}).status != 200);  // a carried site, not the dashboard
  CHECK(d.get("/", {{"Host", "localhost:8910"}}).status == 200);
  CHECK(d.get("/", {{"Host", "cistern.lan"}}).status == 200);
}

TEST_CASE("no page elsewhere can change or read anything here", "[dashboard]") {
  whole_dashboard d;
  std::string const body = R"({"caught_up": true})";
  CHECK(d.send("POST", "/api/v1/here", {}, body).status == 403);
  CHECK(d.send("POST", "/api/v1/here", {{"X-Cistern", "1"}, {"Origin", "http://evil.test"}}, body).status == 403);
  CHECK(d.send("POST", "/api/v1/here", {{"X-Cistern", "1"}, {"Sec-Fetch-Site", "same-site"}}, body).status == 403);
  CHECK(d.send("POST", "/api/v1/link", {{"Origin", "null"}, {"X-Cistern", "1"}}, "offline").status == 403);
  CHECK(d.get("/api/v1/items", {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
  CHECK(d.get("/api/v1/events", {{"Sec-Fetch-Site", "same-site"}}).status == 403);
  CHECK(d.get("/picture?url=x", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Dest", "image"}}).status == 403);
  auto const followed =
      d.get("/", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}});
  CHECK(followed.status == 200);
  CHECK(header(followed, "Access-Control-Allow-Origin") == "(absent)");
  CHECK_THAT(header(followed, "Content-Security-Policy"),
             Contains("default-src 'none'") && Contains("frame-ancestors 'none'") && !Contains("unsafe"));
  CHECK(header(followed, "Cross-Origin-Resource-Policy") == "same-origin");
}

TEST_CASE("another machine must log in, and guessing gets slower", "[dashboard]") {
  whole_dashboard d;
  std::map<std::string, std::string> const away{{"X-Forwarded-For", "192.0.2.7"}};  // as if passed on for somebody
  CHECK(d.get("/api/v1/items", away).status == 401);
  auto const page = d.get("/", away);
  CHECK(page.status == 303);
  CHECK(header(page, "Location") == "/login");
  CHECK(d.get("/assets/dashboard.css", away).status == 200);
  auto const let_in = d.send("POST", "/login", away, "password=river+water");
  REQUIRE(let_in.status == 303);
  CHECK_THAT(header(let_in, "Set-Cookie"), Contains("HttpOnly") && Contains("SameSite=Strict"));
  auto const cookie = header(let_in, "Set-Cookie").substr(0, header(let_in, "Set-Cookie").find(';'));
  auto with_cookie = away;
  with_cookie["Cookie"] = "other=1; " + cookie;
  CHECK(d.get("/api/v1/items", with_cookie).status == 200);
  with_cookie["Cookie"] = cookie + "0";
  CHECK(d.get("/api/v1/items", with_cookie).status == 401);
  for (int i = 0; i < 5; ++i) d.send("POST", "/login", away, "password=wrong");
  auto const slowed = d.send("POST", "/login", away, "password=river+water");
  CHECK(slowed.status == 429);
  CHECK(header(slowed, "Retry-After") != "(absent)");
}

TEST_CASE("without a password only this machine is let in", "[dashboard]") {
  proxy::guard guard{{}};
  std::string const bytes = "GET / HTTP/1.1\r\nHost: 192.0.2.1:8910\r\n\r\n";
  sync::head_view head;
  REQUIRE(sync::parse_request_head(bytes, head) == sync::framing_fault::none);
  CHECK(guard.judge(head, true, {}).what == proxy::guard::verdict::welcome);
  CHECK(guard.judge(head, false, {}).what == proxy::guard::verdict::refused);
}

TEST_CASE("a password is kept as a hash of its own", "[dashboard]") {
  auto const one = proxy::hash_password("river water"), two = proxy::hash_password("river water");
  CHECK(one != two);
  CHECK(proxy::is_password("river water", one));
  CHECK_FALSE(proxy::is_password("river  water", one));
  CHECK(proxy::is_password_hash(one));
  CHECK_FALSE(proxy::is_password_hash("river water"));
  CHECK_FALSE(proxy::is_password_hash("scrypt:40:8:1:00112233445566778899:00"));
}

TEST_CASE("the dashboard's files have a type and are sent once", "[dashboard]") {
  whole_dashboard d;
  auto const first = d.get("/assets/dashboard.js");
  CHECK(first.status == 200);
  CHECK(header(first, "Content-Type") == "text/javascript; charset=utf-8");
  CHECK(d.get("/assets/dashboard.js", {{"If-None-Match", header(first, "ETag")}}).status == 304);
  CHECK(d.get("/assets/../pages/frame.html").status == 404);
  CHECK(d.get("/assets/").status == 404);
}

TEST_CASE("every page can be read without scripts, with what a feed says made harmless", "[dashboard]") {
  whole_dashboard d;
  d.store.write([](store::write_batch& b) {
    return b.put(store::subscription{.id = 1, .feed_url = "http://paper.test/feed", .title = "<b>The Paper</b>"}), true;
  });
  auto const item = d.keep(1, 1, d.clock.now(),
                           "<p onclick='x()'>Hello <a href='/more'>more</a><script>alert(1)</script>"
                           "<img src='pic.png' srcset='x 2x'></p>");
  auto const list = d.get("/").body;
  CHECK_THAT(list, Contains("Item 1") && Contains("&lt;b&gt;The Paper") && Contains("Coming"));
  auto const read = d.get("/item/" + proxy::item_name(item)).body;
  CHECK_THAT(read, Contains("Hello") && Contains("href=\"http://paper.test/more\"") &&
                       Contains("/picture?url=http%3A%2F%2Fpaper.test%2Fpic.png"));
  CHECK_THAT(read, !Contains("alert") && !Contains("onclick") && !Contains("srcset"));
  CHECK_THAT(d.get("/sites").body, Contains("&lt;b&gt;The Paper"));
  CHECK_THAT(d.get("/sync").body, Contains("The link is up"));
  CHECK_THAT(d.get("/savings").body, Contains("<svg"));
  CHECK_THAT(d.get("/setup").body, Contains("/proxy.pac"));
  CHECK(d.get("/nothing").status == 404);
  for (auto const* const page : {"/", "/sites", "/sync", "/savings", "/setup", "/login"}) {
    auto const body = d.get(page).body;
    INFO(page);
    CHECK_THAT(body, !Contains("{{") && !Contains("style=") && !Contains("onclick"));
  }
}

TEST_CASE("what is stored is found over the API and on the page, made harmless", "[dashboard]") {
  whole_dashboard d;
  d.store.write([](store::write_batch& b) {
    return b.put(store::subscription{.id = 1, .feed_url = "http://paper.test/feed", .title = "The Paper"}), true;
  });
  auto const item = d.keep(1, 1, d.clock.now(), "<p>An &lt;img src=x onerror=alert(1)&gt; oak fell</p>");
  for (int n = 2; n < 30; ++n) d.keep(1, n, d.clock.now(), "a birch");
  for (auto const end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;)
    if (auto const state = d.read("/api/v1/search/state");
        state.at("waiting").to_number<int>() == 0 && state.at("documents").to_number<int>() == 29)
      break;
  auto const found = d.read("/api/v1/search?q=oak");
  REQUIRE(found.at("results").as_array().size() == 1);
  CHECK(found.at("results").at(0).at("item").as_string() == proxy::item_name(item));
  CHECK(found.at("results").at(0).at("site").as_string() == "The Paper");
  auto const page = d.get("/search?q=oak").body;
  CHECK_THAT(page, Contains("<mark>oak</mark>") && Contains("&lt;img src=x") && !Contains("<img src=x"));
  CHECK_THAT(page, Contains("href=\"/item/" + proxy::item_name(item)));
  CHECK_THAT(d.get("/search?q=%22%3Cscript%3E").body, !Contains("<script>\"") && Contains("&lt;script&gt;"));

  auto const first = d.read("/api/v1/search?q=birch&limit=20");
  CHECK(first.at("results").as_array().size() == 20);
  auto const rest = d.read("/api/v1/search?q=birch&limit=20&cursor=" + std::string{first.at("next").as_string()});
  CHECK(rest.at("results").as_array().size() == 8);
  CHECK(rest.at("next").is_null());
  CHECK_THAT(d.get("/search?q=birch").body, Contains("rel=\"next\""));
  CHECK(d.read("/api/v1/search?q=birch&site=elsewhere.test").at("results").as_array().empty());
  CHECK(d.get("/api/v1/search?q=a&since=soon").status == 400);
  CHECK(d.get("/api/v1/search?q=a&cursor=x").status == 400);

  // What goes is gone at once, even before the index knows.
  d.store.write([item](store::write_batch& b) { return b.erase_item(item); });
  CHECK(d.read("/api/v1/search?q=oak").at("results").as_array().empty());
  CHECK(d.send("POST", "/api/v1/search/rebuild").status == 403);
  CHECK(d.change("POST", "/api/v1/search/rebuild", "{}").status == 202);
}

TEST_CASE("a stored picture is shown and nothing else is", "[dashboard]") {
  whole_dashboard d;
  auto const keep = [&](std::string url, std::string type) {
    store::object_head head{.url = std::move(url)};
    head.headers = store::header_block::from_wire("Content-Type: " + type + "\r\n");
    d.store.write([head](store::write_batch& b) { return b.put_object(head, "bytes"), true; });
  };
  keep("http://paper.test/a.png", "image/png");
  keep("http://paper.test/b.svg", "image/svg+xml");
  keep("http://paper.test/c.html", "text/html");
  CHECK(d.get("/picture?url=http%3A%2F%2Fpaper.test%2Fa.png").body == "bytes");
  CHECK(d.get("/picture?url=http%3A%2F%2Fpaper.test%2Fb.svg").status == 404);
  CHECK(d.get("/picture?url=http%3A%2F%2Fpaper.test%2Fc.html").status == 404);
  CHECK(d.get("/picture?url=http%3A%2F%2Fpaper.test%2Fd.png").status == 404);
}

TEST_CASE("changes of the link are told while one looks", "[dashboard]") {
  whole_dashboard d;
  raw_connection looking{d.server.endpoint().port()};
  looking.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_THAT(looking.read_until("\"mode\":\"auto\""), Contains("text/event-stream"));
  d.link.force(sync::link_mode::offline);
  looking.read_until("\"mode\":\"offline\"");
}

TEST_CASE("bytes are summed by day and class", "[dashboard]") {
  whole_dashboard d;
  auto const today =
      static_cast<std::uint32_t>(std::chrono::floor<std::chrono::days>(d.clock.now()).time_since_epoch().count());
  d.store.write([today](store::write_batch& b) {
    store::ledger_entry line{.day = today, .purpose = store::job_class::feed, .subscription = 1, .host = "a"};
    line.received = 1'000;
    line.saved = 3'000;
    b.charge(line);
    line.host = "b";
    b.charge(line);
    line.day -= 40;
    b.charge(line);
    return true;
  });
  auto const sums = d.read("/api/v1/savings?days=30");
  CHECK(sums.at("days").as_array().size() == 30);
  CHECK(sums.at("days").as_array().back().at("classes").at("feeds").at("received") == 2'000);
  CHECK_THAT(d.get("/savings").body, Contains("75 %"));
}

TEST_CASE("sync is paused and resumed over the API, and the page says so", "[dashboard]") {
  whole_dashboard d;
  CHECK_THAT(d.get("/sync").body, Contains(">Pause</button>"));
  CHECK(d.send("PATCH", "/api/v1/sync", {}, R"({"paused": true})").status == 403);
  CHECK(d.change("PATCH", "/api/v1/sync", "{}").status == 400);
  CHECK(d.change("PATCH", "/api/v1/sync", R"({"paused": true})").status == 200);
  CHECK(d.read("/api/v1/sync").at("sync").at("paused").as_bool());
  CHECK(d.change("POST", "/api/v1/sync", "{}").status == 409);
  CHECK_THAT(d.get("/sync").body, Contains(">Resume</button>") && Contains("Sync is paused"));
  CHECK(d.change("PATCH", "/api/v1/sync", R"({"paused": false})").status == 200);
  CHECK(d.change("POST", "/api/v1/sync", "{}").status == 202);
}

TEST_CASE("the queue is shown by class, and its jobs are moved, paused, dropped and fetched now", "[dashboard]") {
  whole_dashboard d;
  d.run(d.engine->set_paused(true));
  std::vector<std::uint64_t> ids;
  for (auto const* const name : {"a", "b", "c"})
    ids.push_back(d.store.write([name](store::write_batch& b) {
      return b.enqueue({.url = std::string{"http://paper.test/"} + name, .priority = store::job_class::page});
    }));
  ids.push_back(d.store.write([](store::write_batch& b) {
    return b.enqueue({.url = "http://paper.test/song", .priority = store::job_class::enclosure});
  }));
  auto const order = [&d] {
    std::string out;
    auto const queue = d.read("/api/v1/queue");
    for (auto const& job : queue.at("jobs").as_array()) {
      std::string const url{job.at("url").as_string()};
      (out += url.substr(url.rfind('/') + 1)) += ' ';
    }
    return out;
  };
  auto const job = [&](std::size_t i) { return "/api/v1/queue/" + std::to_string(ids[i]); };
  CHECK(order() == "a b c song ");
  CHECK(d.read("/api/v1/queue").at("classes").at("pages") == 3);
  d.change("PATCH", job(2), R"({"place": "first"})");
  CHECK(order() == "c a b song ");
  d.change("PATCH", job(0), R"({"place": "last"})");
  CHECK(order() == "c b a song ");
  d.change("PATCH", job(3), R"({"now": true})");
  CHECK(order() == "song c b a ");
  d.change("PATCH", job(0), R"({"place": "first"})");
  CHECK(order() == "song a c b ");
  d.change("PATCH", job(0), R"({"paused": true})");
  auto const page = d.get("/sync").body;
  CHECK_THAT(page, Contains("<h3>Articles</h3>") && Contains("<h3>Now</h3>") && Contains(">Resume</button>"));
  CHECK(d.change("DELETE", job(1), "").status == 200);
  CHECK(order() == "song a c ");
  CHECK(d.change("DELETE", job(1), "").status == 404);
}

TEST_CASE("a site's week has its posts and the visits that are planned", "[dashboard]") {
  whole_dashboard d;
  auto const id = d.subscribe("http://paper.test/feed");
  for (int i = 0; i < 20; ++i) d.keep(id, i, d.clock.now());
  auto const name = std::to_string(id);
  auto const week = d.read("/api/v1/subscriptions/" + name + "/rhythm");
  CHECK(week.at("total") == 20);
  auto const& visits = week.at("visits").as_array();
  REQUIRE(visits.size() > 2);
  CHECK(visits.front() == week.at("subscription").at("next_visit"));
  for (std::size_t i = 0; i < visits.size(); ++i) {
    auto const at = proxy::read_time(visits[i].as_string());
    REQUIRE(at);
    CHECK(*at < d.clock.now() + 7 * 24h);
    if (i > 0) CHECK(*at - *proxy::read_time(visits[i - 1].as_string()) >= 24h);  // it has no validators
  }
  auto const page = d.get("/rhythm/" + name).body;
  CHECK_THAT(page, Contains("class=\"visit next\"") && Contains("class=\"visit\"") &&
                       Contains(std::to_string(visits.size()) + " visits are planned"));
}
