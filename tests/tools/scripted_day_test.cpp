#include "store/http_date.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/fake_origin.hpp"
#include "tests/support/http_get.hpp"
#include "tests/support/range_origin.hpp"
#include "tests/support/temp_store.hpp"
#include "tools/chaos/chaos_link.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <mutex>
#include <random>
#include <thread>

/// A day on a bad link, with real processes: see the issue's "A scripted day". Bytes are a tenth of the real ones and
/// pass 300 times as fast as on a 2G link, so the second that a power cut may cost is a 300th too; the hours without a
/// link, in which nothing moves, pass sixteen times faster still.

using namespace cistern::tests;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr int sites = 200, items_each = 15, with_enclosure = 40;

std::string host_of(int site) { return "site" + std::to_string(site) + ".test"; }
std::string name_of(int site, int item) { return std::to_string(site) + "-" + std::to_string(item); }

/// 200 sites as one server plays them: what is at an address never changes.
class small_web {
public:
  small_web() {
    auto const now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    for (int site = 0; site < sites; ++site) {
      auto const here = "http://" + host_of(site) + "/";
      std::string feed = "<rss version='2.0'><channel><title>Site " + std::to_string(site) + "</title>";
      for (int item = 0; item < items_each; ++item) {
        auto const name = name_of(site, item);
        feed += "<item><guid isPermaLink='false'>" + name + "</guid><title>Story " + name + "</title><link>" + here +
                name + ".html</link><pubDate>" +
                cistern::store::format_http_date(now - std::chrono::minutes{10 + item * 60}) +
                "</pubDate><description>" + std::string(150, 'w') + "</description>";
        bool const pictured = item % 5 == 0;
        auto const picture = pictured ? "<img src='/" + name + ".png' width='300'>" : std::string{};
        put(here + name + ".html", "text/html",
            "<!doctype html><title>" + name + "</title><p>" + picture +
                std::string(static_cast<std::size_t>(900 + site), 'p'));
        if (pictured) put(here + name + ".png", "image/png", noise(seed(site, item), 3'000));
        if (item == 0 && site < with_enclosure) {
          auto const size = 100'000 + static_cast<std::size_t>(site) * 74'000;  // to 3 MB
          put(here + name + ".mp3", "audio/mpeg", noise(seed(site, 99), size));
          feed += "<enclosure url='" + here + name + ".mp3' type='audio/mpeg' length='" + std::to_string(size) + "'/>";
        }
        feed += "</item>\n";
      }
      put(here + "feed.xml", "application/rss+xml", feed + "</channel></rss>");
    }
  }

  void answer(fake_exchange& x) {
    auto const url = "http://" + x.request.field("Host") + x.request.target;
    auto const at = things_.find(url);
    if (at == things_.end()) return x.answer(404, "", "");
    auto const& found = at->second;
    bool const is_feed = url.ends_with("feed.xml");
    auto const fields = "Content-Type: " + found.type + "\r\nETag: \"" + std::to_string(found.body.size()) + "\"\r\n";
    served_file const given{.body = found.body, .fields = fields, .ranges = !is_feed};
    {
      std::scoped_lock const lock{mutex_};
      ++asked_[url];
      heads_[url] += head_of(x.request, given).size();
    }
    serve_file(x, given);
  }

  [[nodiscard]] std::string opml() const {
    std::string out = "<opml version='2.0'><body>";
    for (int site = 0; site < sites; ++site)
      out += "<outline type='rss' text='" + std::to_string(site) + "' xmlUrl='http://" + host_of(site) + "/feed.xml'/>";
    return out + "</body></opml>";
  }
  struct file {
    std::string type, body;
  };
  [[nodiscard]] std::map<std::string, file> const& things() const { return things_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Bytes that came more than once, by the kind of thing, where that much `arrived` of each.
  [[nodiscard]] std::map<std::string, std::uint64_t> wasted(std::map<std::string, std::uint64_t> const& arrived) const {
    std::scoped_lock const lock{mutex_};
    std::map<std::string, std::uint64_t> out;
    for (auto const& [url, bytes] : arrived) {
      auto const thing = things_.find(url);
      if (thing == things_.end()) continue;
      auto const needed = thing->second.body.size() + heads_.at(url);
      if (bytes > needed) out[thing->second.type] += bytes - needed;
    }
    return out;
  }
  /// Times that something was asked for, by address.
  [[nodiscard]] std::map<std::string, int> asked() const {
    std::scoped_lock const lock{mutex_};
    return asked_;
  }

private:
  static std::uint64_t seed(int site, int item) { return static_cast<std::uint64_t>(site * 100 + item + 1); }
  void put(std::string const& url, std::string type, std::string body) {
    bytes_ += body.size();
    things_[url] = {std::move(type), std::move(body)};
  }

  std::map<std::string, file> things_;
  std::uint64_t bytes_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::map<std::string, std::uint64_t> heads_;
};

/// The daemon, which can die and be started again.
class box {
public:
  box(std::filesystem::path data, std::uint16_t parent) : data_{std::move(data)}, parent_{parent} { start(); }

  void start() {
    std::vector<std::string> words{CISTERN_PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", data_.string()};
    for (auto const* setting : {"link.mode=offline", "sync.host_pause=0s", "sync.feed_pause=0s", "sync.first_items=15",
                                "sync.backoff_base=100ms", "sync.backoff_cap=1s", "fetch.commit_interval=4ms",
                                "log.level=warning", "store.quota=512MB"})
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--set", "fetch.parent_proxy=http://127.0.0.1:" + std::to_string(parent_)});
    running_ = std::make_unique<child_process>(words);
    auto const line = running_->wait_for("Cistern is at ", 60s);
    port_ = static_cast<std::uint16_t>(std::stoul(line.substr(line.find(':', line.find("//")) + 1)));
  }
  void kill() {
    running_->signal(SIGKILL);
    running_->wait(60s);
  }
  void stop() {
    running_->signal(SIGTERM);
    running_->wait(60s);
  }
  json::value call(std::string method, std::string name, std::string body = {}) const {
    auto const reply = http_send({.port = port_,
                                  .target = "/api/v1/" + name,
                                  .method = std::move(method),
                                  .headers = {{"X-Cistern", "1"}},
                                  .body = std::move(body)});
    if (reply.status >= 300) throw std::runtime_error{name + ": " + reply.body};
    return reply.body.starts_with('{') ? json::parse(reply.body) : json::value{};
  }
  void set_link(bool up) const { call("POST", "link", up ? "online" : "offline"); }
  [[nodiscard]] std::uint64_t queued() const {
    return call("GET", "queue?limit=1").at("total").to_number<std::uint64_t>();
  }

private:
  std::filesystem::path data_;
  std::uint16_t parent_;
  std::unique_ptr<child_process> running_;
  std::uint16_t port_ = 0;
};

}  // namespace

TEST_CASE("a day on a link that is up a fifth of the time, cut and killed, ends with everything whole",
          "[tools][slow]") {
  auto const seed = 5 + Catch::rngSeed();  // --rng-seed makes another day
  small_web web;
  fake_origin origin{[&web](fake_exchange& x) { web.answer(x); }};
  cistern::chaos::chaos_link link{{.rate = 12'000'000, .cut_every = 200'000, .seed = seed},
                                  {.host = "127.0.0.1", .port = origin.port(), .proxy = true}};
  temp_store kept;
  kept.close();
  box daemon{kept.path(), link.port()};
  link.set_up(false);
  daemon.call("POST", "opml", web.opml());
  auto const list = daemon.call("GET", "subscriptions");
  for (auto const& feed : list.at("subscriptions").as_array()) {
    auto const id = std::to_string(feed.at("id").to_number<std::uint64_t>());
    daemon.call("PATCH", "subscriptions/" + id, R"({"carry": {"enclosures": true}})");
  }

  auto const asked_so_far = [&web] {
    std::uint64_t sum = 0;
    for (auto const& [url, times] : web.asked()) sum += static_cast<std::uint64_t>(times);
    return sum;
  };
  std::mt19937 random{seed};
  auto const nap = [&random](int mean) {
    std::uniform_int_distribution<int> some{mean / 2, mean * 3 / 2};
    std::this_thread::sleep_for(std::chrono::milliseconds{some(random)});
  };
  // When so much was asked for the power fails, in the middle of everything: among the feeds, among the pages, near the
  // end.
  std::vector<std::uint64_t> deaths{100 + random() % 60, 900 + random() % 800, 2'500 + random() % 1'000};
  std::size_t died = 0;
  auto const until = std::chrono::steady_clock::now() + 15min;  // of an overloaded machine; two cores need half a one
  bool complete = false;
  while (!complete && std::chrono::steady_clock::now() < until) {
    link.set_up(true);
    daemon.set_link(true);
    nap(600);
    bool const dies = died < deaths.size() && asked_so_far() >= deaths[died];
    if (dies)
      daemon.kill();
    else
      daemon.set_link(false);
    link.set_up(false);
    nap(150);
    if (dies) {
      ++died;
      daemon.start();
    }
    complete = asked_so_far() >= web.things().size() && died == deaths.size() && daemon.queued() == 0;
  }
  REQUIRE(complete);

  // Nothing is asked for twice, whoever starts the daemon anew and asks for a pass: the floors hold.
  auto const feeds_asked = [&web] {
    int sum = 0;
    for (auto const& [url, times] : web.asked()) sum += url.ends_with("feed.xml") ? times : 0;
    return sum;
  };
  auto const before = feeds_asked();
  CHECK(before < sites + 100);  // those that broke were read again
  for (int i = 0; i < 2; ++i) {
    daemon.kill();
    daemon.start();
    link.set_up(true);
    auto const passes = daemon.call("GET", "sync").at("sync").at("passes").to_number<int>();
    daemon.set_link(true);
    daemon.call("POST", "sync");
    while (daemon.call("GET", "sync").at("sync").at("passes").to_number<int>() == passes)
      std::this_thread::sleep_for(20ms);
  }
  CHECK(feeds_asked() == before);
  std::uint64_t twice = 0;
  std::string by_kind;
  for (auto const& [kind, bytes] : web.wasted(link.arrived())) {
    twice += bytes;
    by_kind += ", " + kind + " " + std::to_string(bytes);
  }
  INFO("of " << web.bytes() << " bytes " << twice << " came twice" << by_kind << "; cuts " << link.counted().cuts
             << ", outages " << link.counted().outages << ", requests " << asked_so_far());
  CHECK(static_cast<double>(twice) < 0.02 * static_cast<double>(web.bytes()));
  CHECK(link.counted().cuts > 50);
  CHECK(link.counted().outages > 5);

  daemon.stop();
  kept.open(512u << 20);
  std::size_t different = 0;
  for (auto const& [url, thing] : web.things())
    if (!url.ends_with("feed.xml")) different += kept.body_of(url) != thing.body;
  CHECK(different == 0);
  std::size_t items = 0, whole = 0;
  REQUIRE(kept->scan<cistern::store::item>({}, [&](cistern::store::item const& item) {
    ++items;
    whole += item.state == cistern::store::completeness::whole;
    return true;
  }));
  CHECK(items == std::size_t{sites} * items_each);
  CHECK(whole == items);
}
