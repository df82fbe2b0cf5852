#include "sync/search/indexer.hpp"

#include "tests/support/temp_store.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <set>

using namespace cistern;
using namespace cistern::tests;

namespace {

using names = std::set<std::string>;

store::object_head page_head(std::string url, int status = 200, store::object_kind kind = store::object_kind::page) {
  store::object_head head{.url = std::move(url), .status = status, .kind = kind};
  head.headers.add("Content-Type", "text/html; charset=utf-8");
  head.responded = std::chrono::sys_seconds{std::chrono::seconds{1'800'000'000}};
  return head;
}

std::string page(std::string const& title, std::string const& text) {
  return "<!doctype html><title>" + title + "</title><nav>Home About</nav><main><p>" + text + "</p></main>";
}

/// A repository and the index of it, moved by hand.
struct stored_and_indexed {
  temp_store kept;
  std::unique_ptr<store::search_index> index;
  std::unique_ptr<sync::indexer> indexing;
  bool later = false;  // the test writes many at once

  stored_and_indexed() { begin(); }

  void begin() {
    indexing.reset();
    index.reset();
    index = std::make_unique<store::search_index>(store::search_index_options{.folder = kept->path()});
    indexing = std::make_unique<sync::indexer>(*kept, *index);
    indexing->begin().value();
  }
  void restart() {
    indexing.reset();
    index.reset();
    kept.open();
    begin();
  }
  int work() {
    int steps = 0;
    while (indexing->step().value() == sync::indexing_step::more) ++steps;
    return steps;
  }
  void write(std::vector<store::item> const& items) {
    kept.write([items](store::write_batch& b) {
      for (auto const& item : items) b.put_item(item);
      return true;
    });
  }
  store::item keep(std::uint64_t feed, std::string const& id, std::string title, std::string content,
                   std::string link) {
    store::item item{.subscription = feed};
    item.identity = kept->url_digest(id);
    item.title = std::move(title);
    item.content = std::move(content);
    item.link = std::move(link);
    item.first_seen = std::chrono::sys_seconds{std::chrono::seconds{1'800'000'000}};
    if (!later) write({item});
    return item;
  }
  names find(std::string words) {
    names out;
    for (auto const& hit : index->find({.words = std::move(words), .limit = 100}).value().hits) out.insert(hit.url);
    return out;
  }
  std::size_t hits(std::string words) {
    return index->find({.words = std::move(words), .limit = 100}).value().hits.size();
  }
  std::vector<std::string> contents() {
    std::vector<std::string> out;
    index
        ->each([&](store::search_document const& d, std::vector<store::indexed_item> const& items) {
          auto line = d.name + '|' + d.url + '|' + d.host + '|' + d.title + '|' + d.text + '|' + d.item +
                      std::to_string(d.when.time_since_epoch().count()) + (d.page ? "|page" : "");
          for (auto const& item : items)
            line += '|' + item.item + ' ' + item.link + ' ' + std::to_string(item.subscription);
          out.push_back(line);
        })
        .value();
    return out;
  }
};

}  // namespace

TEST_CASE("items and pages are found once they are stored", "[sync]") {
  stored_and_indexed s;
  s.keep(1, "a", "Rain &amp; wind", "<p>The <b>lower</b> cistern</p><script>secret()</script>", "http://paper.test/a");
  s.kept.put(page_head("http://paper.test/b"), page("The bridge", "was built of oak"));
  s.work();
  CHECK(s.find("lower cistern") == names{"http://paper.test/a"});
  CHECK(s.find("oak") == names{"http://paper.test/b"});
  CHECK(s.find("bridge") == names{"http://paper.test/b"});
  CHECK(s.find("secret").empty());
  CHECK(s.find("home about").empty());
  CHECK(s.kept->measure().value().search_marks == 0);
}

TEST_CASE("an item and its page are one result, through a redirect too", "[sync]") {
  stored_and_indexed s;
  s.keep(1, "a", "Rain", "<p>Rain fell.</p>", "http://paper.test/a");
  s.keep(2, "b", "Rain", "<p>Rain fell.</p>", "http://planet.test/go?a");
  s.work();
  CHECK(s.hits("rain") == 2);
  s.kept.put(page_head("http://paper.test/a"), page("Rain", "Rain fell on the hills, and much more was said of it."));
  store::object_head moved{.url = "http://planet.test/go?a", .status = 301};
  moved.headers.add("Location", "http://paper.test/a");
  s.kept.put(moved, "");
  s.work();
  CHECK(s.find("rain") == names{"http://paper.test/a"});
  CHECK(s.hits("rain") == 1);
  CHECK(s.find("hills") == names{"http://paper.test/a"});
}

TEST_CASE("items of one feed that share a link are found each by itself", "[sync]") {
  stored_and_indexed s;
  s.kept.put(page_head("http://paper.test/"), page("Front", "the front page"));
  auto const first = s.keep(1, "a", "Rain", "it rained", "http://paper.test/");
  s.work();
  CHECK(s.hits("front") + s.hits("rained") == 2);
  s.keep(1, "b", "Wind", "it blew", "http://paper.test/");
  s.work();
  CHECK(s.hits("rained") == 1);
  CHECK(s.hits("blew") == 1);
  CHECK(s.hits("front") == 1);
  for (int n = 0; n < 6; ++n) s.keep(1, std::to_string(n), "Note", "number " + std::to_string(n), "http://paper.test/");
  s.work();
  CHECK(s.hits("note number") == 6);
  s.kept.write([first](store::write_batch& b) { return b.erase_item(first); });
  s.work();
  CHECK(s.hits("rained") == 0);
}

TEST_CASE("errors, feeds, parts of pages and stitched copies are not found", "[sync]") {
  stored_and_indexed s;
  s.kept.put(page_head("http://paper.test/404", 404), page("Missing", "oak"));
  s.kept.put(page_head("http://paper.test/frame", 200, store::object_kind::requisite), page("Frame", "oak"));
  s.kept.put(page_head("http://paper.test/copy", 200, store::object_kind::derived), page("Copy", "oak"));
  store::object_head picture{.url = "http://paper.test/p.png"};
  picture.headers.add("Content-Type", "image/png");
  s.kept.put(picture, "oak");
  s.work();
  CHECK(s.find("oak").empty());
}

TEST_CASE("what is removed, evicted or unsubscribed is not found any more", "[sync]") {
  stored_and_indexed s;
  auto const item = s.keep(1, "a", "Rain", "it rained", "http://paper.test/a");
  s.kept.put(page_head("http://paper.test/a"),
             page("Rain", "It rained on the hills for a long time and then it stopped."));
  s.kept.put(page_head("http://paper.test/b"), page("Oak", "an oak"));
  s.work();
  s.kept.write([](store::write_batch& b) { return b.erase_url("http://paper.test/b"); });
  s.work();
  CHECK(s.find("oak").empty());
  s.kept.write([](store::write_batch& b) { return b.erase_url("http://paper.test/a"); });
  s.work();
  CHECK(s.find("hills").empty());
  CHECK(s.find("rained") == names{"http://paper.test/a"});
  s.kept.write([item](store::write_batch& b) { return b.erase_item(item); });
  s.work();
  CHECK(s.find("rained").empty());
}

TEST_CASE("marks of what was read do not make the index work", "[sync]") {
  stored_and_indexed s;
  auto item = s.keep(1, "a", "Rain", "it rained", "http://paper.test/a");
  s.work();
  item.read = item.starred = true;
  s.kept.write([item](store::write_batch& b) { return b.put_item(item), true; });
  CHECK(s.kept->measure().value().search_marks == 0);
  item.title = "Wind";
  s.kept.write([item](store::write_batch& b) { return b.put_item(item), true; });
  CHECK(s.kept->measure().value().search_marks == 1);
  s.work();
  CHECK(s.hits("wind") == 1);
}

TEST_CASE("an index that grew is the same as one that was built at once", "[sync]") {
  stored_and_indexed s;
  std::vector<store::item> items;
  s.later = true;
  for (int n = 0; n < 300; ++n) {
    auto const url = "http://paper.test/" + std::to_string(n % 250);
    items.push_back(s.keep(static_cast<std::uint64_t>(1 + n % 3), "item " + std::to_string(n),
                           "Title " + std::to_string(n), "<p>text " + std::to_string(n * 7) + "</p>",
                           n % 11 == 0 ? "" : url));
    if (n % 25 == 0)
      s.kept.put(page_head(url), page("Page " + std::to_string(n), "a page that says more " + std::to_string(n)));
    if (n % 50 != 49) continue;
    s.write(items);
    s.work();
  }
  s.kept.write([items](store::write_batch& b) {
    for (std::size_t n = 0; n < items.size(); n += 5) b.erase_item(items[n]);
    for (int n = 0; n < 250; n += 4) b.erase_url("http://paper.test/" + std::to_string(n));
    return true;
  });
  s.work();
  auto const grown = s.contents();
  s.indexing->rebuild().value();
  s.work();
  CHECK(s.contents() == grown);
  CHECK(grown.size() > 200);
}

TEST_CASE("an index that was lost, is older or belongs to another repository is built anew", "[sync]") {
  stored_and_indexed s;
  s.later = true;
  std::vector<store::item> items;
  for (int n = 0; n < 20; ++n)
    items.push_back(
        s.keep(1, std::to_string(n), "Rain", "number " + std::to_string(n), "http://paper.test/" + std::to_string(n)));
  s.write(items);
  s.later = false;
  s.work();
  auto const before = s.contents();
  s.index->close();
  auto const file = s.kept.path() / "search.db";
  auto const old = read_file(file);
  SECTION("lost") { std::filesystem::remove(file); }
  SECTION("noise") { std::ofstream{file, std::ios::binary} << noise(1, old.size()); }
  SECTION("restored from a copy of long ago") {
    s.restart();
    for (int n = 0; n < 3; ++n) {
      s.keep(1, "later " + std::to_string(n), "Rain", "later", "http://paper.test/later");
      s.work();
    }
    s.kept.write([&](store::write_batch& b) {
      std::vector<store::item> gone;
      for (int n = 0; n < 3; ++n) {
        store::item item{.subscription = 1};
        item.identity = s.kept->url_digest("later " + std::to_string(n));
        item.first_seen = std::chrono::sys_seconds{std::chrono::seconds{1'800'000'000}};
        b.erase_item(item);
      }
      return true;
    });
    s.work();
    s.index->close();
    for (auto const* const name : {"search.db-wal", "search.db-shm"}) std::filesystem::remove(s.kept.path() / name);
    std::ofstream{file, std::ios::binary} << old;
  }
  s.restart();
  CHECK(s.indexing->walk().walking);
  s.work();
  CHECK(s.contents() == before);
}

TEST_CASE("cut off between the index and the repository, it does the last step again and nothing else", "[sync]") {
  stored_and_indexed s;
  s.keep(1, "a", "Rain", "it rained", "http://paper.test/a");
  s.work();
  auto const state = s.kept->get<store::setting>(store::search_state_name).value().value().value;
  auto const before = s.contents();
  s.keep(1, "b", "Wind", "it blew", "http://paper.test/b");
  std::vector<store::search_mark> marks;
  static_cast<void>(
      s.kept->scan<store::search_mark>({}, [&](auto const& mark) { return marks.push_back(mark), true; }));
  s.work();
  auto const after = s.contents();
  // As it was on the disk when the power went after the index was durable, and before the repository knew.
  s.kept.write([&](store::write_batch& b) {
    for (auto const& mark : marks) b.put(mark);
    b.put(store::setting{.name = std::string{store::search_state_name}, .value = state});
    return true;
  });
  s.restart();
  CHECK_FALSE(s.indexing->walk().walking);
  CHECK(s.work() > 0);
  CHECK(s.contents() == after);
  CHECK(s.kept->measure().value().search_marks == 0);
  CHECK(before.size() + 1 == after.size());
}
