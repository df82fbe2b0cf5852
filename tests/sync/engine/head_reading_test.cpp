// Reading only the new head of a feed: what it saves, and that nothing is lost by it.

#include "sync/feeds/head_rule.hpp"
#include "tests/support/whole_engine.hpp"

#include <zlib.h>
#include <catch2/catch.hpp>

#include <random>

using namespace cistern;
using namespace cistern::tests;
using namespace std::chrono_literals;

namespace {

std::string gzipped(std::string const& text) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// A feed that a test edits between visits; its items carry long texts that do not compress.
struct big_feed {
  std::vector<story> stories;
  int version = 1;
  bool packed = false;
  std::mutex mutex;
  fake_origin origin{[this](fake_exchange& x) {
    std::scoped_lock const lock{mutex};
    auto const tag = '"' + std::to_string(version) + '"';
    if (x.request.field("If-None-Match") == tag) return x.answer(304, "", "");
    auto const body = rss(stories);
    auto const fields = "ETag: " + tag + "\r\n" + (packed ? "Content-Encoding: gzip\r\n" : "");
    x.answer(200, fields, packed ? gzipped(body) : body);
  }};

  explicit big_feed(int count) {
    for (int i = 0; i < count; ++i) stories.push_back(make(i, 60 * (i + 1)));
  }
  static story make(int number, int minutes_ago) {
    std::mt19937 random{static_cast<unsigned>(number) + 1};
    std::string text;
    for (int i = 0; i < 6000; ++i) text += static_cast<char>('a' + random() % 26);
    auto const name = std::to_string(number);
    return {"id" + name, "Story " + name, minutes_ago, {}, "<description>" + text + "</description>"};
  }
  void change(std::function<void(std::vector<story>&)> const& edit) {
    std::scoped_lock const lock{mutex};
    edit(stories);
    ++version;
  }
  std::string url() const { return origin.url("/feed"); }
};

}  // namespace

TEST_CASE("only the new head of a newest-first feed is read, and its items are all there", "[sync]") {
  whole_engine e;
  big_feed feed{60};
  feed.packed = GENERATE(false, true);
  auto const id = e.subscribe(feed.url());
  auto const first = e.pass();
  CHECK(e.items().size() == 60);
  feed.change([](auto& s) {
    s.insert(s.begin(), {big_feed::make(101, -20), big_feed::make(100, -10)});
    s.resize(60);
  });
  auto const second = e.pass_after(2h);
  CHECK(second.new_items == 2);
  CHECK(e.items().size() == 62);
  auto const whole = first.of(store::job_class::feed).received;
  CHECK(second.of(store::job_class::feed).received < whole / 2);
  CHECK(second.of(store::job_class::feed).saved > whole / 4);
  CHECK(e.feed(id).window.size() == 60);
  CHECK(e.feed(id).head_reads == 1);
}

TEST_CASE("a small feed that is read to its end shows all its items", "[sync]") {
  whole_engine e;
  big_feed feed{8};
  for (auto& story : feed.stories) story.extra.clear();
  auto const id = e.subscribe(feed.url());
  e.pass();
  feed.change([](auto& s) {
    s.insert(s.begin(), story{"new", "New", -10});
    s.resize(8);
  });
  e.pass_after(2h);
  CHECK(e.feed(id).window.size() == 8);
  CHECK(e.feed(id).head_reads == 0);
}

TEST_CASE("the ledger shows what was read and what was left", "[sync]") {
  whole_engine e;
  big_feed feed{60};
  auto const id = e.subscribe(feed.url());
  e.pass();
  feed.change([](auto& s) { s.insert(s.begin(), big_feed::make(100, -10)); });
  e.pass_after(2h);
  std::uint64_t received = 0, saved = 0;
  static_cast<void>(e.store->scan<store::ledger_entry>({}, [&](store::ledger_entry const& line) {
    CHECK(line.subscription == id);
    received += line.received;
    saved += line.saved;
    return true;
  }));
  CHECK(received > 60 * 6000);
  CHECK(saved > 30 * 6000);
}

TEST_CASE("every tenth read and one a week is whole, and finds edits further down", "[sync]") {
  whole_engine e;
  big_feed feed{40};
  auto const id = e.subscribe(feed.url());
  e.pass();
  feed.change([](auto& s) {
    s.insert(s.begin(), big_feed::make(100, -10));
    s[30].title = "Corrected";
  });
  e.pass_after(2h);
  auto const corrected = [&] {
    auto const all = e.items();
    return std::ranges::count(all, "Corrected", &store::item::title);
  };
  CHECK(corrected() == 0);
  int visits = 1;
  while (corrected() == 0 && visits < 12) {
    feed.change([&](auto& s) { s.insert(s.begin(), big_feed::make(100 + visits, -10 * (visits + 1))); });
    e.pass_after(2h);
    ++visits;
  }
  CHECK(visits == 10);
  CHECK(e.feed(id).head_reads == 0);
}

TEST_CASE("pinned items on top do not hide what is new below them", "[sync]") {
  whole_engine e;
  big_feed feed{40};
  feed.change([](auto& s) {
    s.insert(s.begin(), {big_feed::make(901, 9000), big_feed::make(902, 8000), big_feed::make(903, 7000)});
  });
  e.subscribe(feed.url());
  e.pass();
  for (int i = 0; i < 5; ++i) {
    feed.change([&](auto& s) { s.insert(s.begin() + 3, big_feed::make(100 + i, -10 * (i + 1))); });
    e.pass_after(2h);
  }
  CHECK(e.items().size() == 48);
}

TEST_CASE("a feed that is oldest-first, or in no order, is always read whole", "[sync]") {
  whole_engine e;
  big_feed feed{40};
  bool const reversed = GENERATE(true, false);
  std::mt19937 random{3};
  auto const arrange = [&](std::vector<story>& s) {
    std::ranges::sort(s, {}, [](story const& x) { return -x.minutes_ago; });
    if (!reversed) std::shuffle(s.begin(), s.end(), random);
  };
  feed.change(arrange);
  auto const id = e.subscribe(feed.url());
  e.pass();
  for (int i = 0; i < 6; ++i) {
    feed.change([&](auto& s) {
      s.push_back(big_feed::make(100 + i, -10 * (i + 1)));
      arrange(s);
    });
    auto const pass = e.pass_after(2h);
    CHECK(pass.new_items == 1);
  }
  CHECK(e.items().size() == 46);
  CHECK(e.feed(id).order == store::feed_order::odd);
}

TEST_CASE("a feed without dates is read by its head only after it has shown where new items go", "[sync]") {
  using standing = sync::item_memory::standing;
  sync::head_rule first{false};
  for (int i = 0; i < 10; ++i) first.note(standing::fresh, std::nullopt);
  CHECK(first.order() == store::feed_order::unknown);
  sync::head_rule second{false};
  second.note(standing::fresh, std::nullopt);
  for (int i = 0; i < 9; ++i) second.note(standing::unchanged, std::nullopt);
  CHECK(second.order() == store::feed_order::newest_first);
  sync::head_rule appended{false};
  for (int i = 0; i < 9; ++i) appended.note(standing::unchanged, std::nullopt);
  appended.note(standing::fresh, std::nullopt);
  CHECK(appended.order() == store::feed_order::odd);
}

TEST_CASE("random feeds read by their heads end with the items that whole reads would have found", "[sync]") {
  auto const seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
  CAPTURE(seed);
  std::mt19937 random{seed};
  whole_engine e;
  big_feed feed{static_cast<int>(10 + random() % 30)};
  e.subscribe(feed.url());
  e.pass();
  std::set<std::string> ever;
  for (auto const& s : feed.stories) ever.insert(s.id);
  for (int visit = 0; visit < 8; ++visit) {
    feed.change([&](auto& s) {
      auto const fresh = 1 + random() % 4;
      for (unsigned i = 0; i < fresh; ++i) {
        auto const number = static_cast<int>(1000 + visit * 10 + static_cast<int>(i));
        auto const place = random() % 8 == 0 ? std::min<std::size_t>(s.size(), 2) : 0;
        s.insert(s.begin() + static_cast<std::ptrdiff_t>(place), big_feed::make(number, -10 * (visit + 1)));
        ever.insert("id" + std::to_string(number));
      }
      if (random() % 3 == 0) s[random() % s.size()].title += " (edited)";
    });
    e.pass_after(3h);
  }
  std::set<std::string> stored;
  for (auto const& item : e.items()) stored.insert(item.id);
  CHECK(stored == ever);
}
