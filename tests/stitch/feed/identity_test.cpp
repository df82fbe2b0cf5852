#include "stitch/feed/identity.hpp"

#include <catch2/catch.hpp>

using namespace cistern::stitch::feed;
using namespace std::chrono_literals;

namespace {
item make(std::string id, std::string link, std::string title = "t") {
  item out;
  out.id = std::move(id);
  out.link = std::move(link);
  out.title = std::move(title);
  return out;
}
}  // namespace

TEST_CASE("an item is known by its id, else its link, else what it says", "[stitch]") {
  auto const key = [](item const& i) { return identify(i, key_policy::id).key; };
  CHECK(key(make("g", "http://a.test/1")) == key(make("g", "http://a.test/2")));
  CHECK(key(make("", "http://a.test/1")) == key(make("", "https://www.a.test/1/?utm_source=x#f")));
  CHECK(key(make("", "", "a")) != key(make("", "", "b")));
  auto daily = make("", "", "a");
  daily.published = std::chrono::sys_days{std::chrono::year{2020} / 1 / 1};
  CHECK(key(daily) == key(make("", "", "a")));
}

TEST_CASE("an edit is a new version of the same item, a new date alone is not", "[stitch]") {
  auto one = make("g", "http://a.test/1"), two = one;
  two.updated = std::chrono::sys_days{std::chrono::year{2020} / 1 / 1};
  CHECK(compare(identify(one, key_policy::id), identify(two, key_policy::id)) == sameness::same);
  two.content = "new";
  CHECK(compare(identify(one, key_policy::id), identify(two, key_policy::id)) == sameness::edited);
}

TEST_CASE("an id whose scheme changed is recognised by link, then by title and day", "[stitch]") {
  auto const before = identify(make("http://a.test/?p=1", "http://a.test/x"), key_policy::id);
  CHECK(compare(before, identify(make("https://a.test/?p=1", "https://a.test/x"), key_policy::id)) == sameness::moved);
  auto old_item = make("1", "http://cdn1.test/x", "A title"), new_item = make("2", "http://cdn2.test/x", "a TITLE");
  CHECK(compare(identify(old_item, key_policy::id), identify(new_item, key_policy::id)) == sameness::different);
  old_item.published = new_item.published = std::chrono::sys_days{std::chrono::year{2020} / 1 / 1};
  CHECK(compare(identify(old_item, key_policy::id), identify(new_item, key_policy::id)) == sameness::moved);
}

TEST_CASE("ids that repeat make the feed's policy coarser, and it stays so", "[stitch]") {
  std::vector<item> const good{make("1", "http://a.test/1"), make("2", "http://a.test/2")};
  std::vector<item> const same_ids{make("x", "http://a.test/1"), make("x", "http://a.test/2")};
  std::vector<item> const same_links{make("x", "http://a.test/", "one"), make("x", "http://a.test/", "two")};
  CHECK(settled(key_policy::id, good) == key_policy::id);
  CHECK(settled(key_policy::id, same_ids) == key_policy::link);
  CHECK(settled(key_policy::id, same_links) == key_policy::digest);
  CHECK(settled(key_policy::link, good) == key_policy::link);
}

TEST_CASE("a date in the future becomes the time the item was first seen", "[stitch]") {
  auto const now = std::chrono::sys_seconds{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};
  auto i = make("g", "");
  i.published = now + 24h * 400;
  i.updated = now - 1h;
  clamp_future(i, now);
  CHECK(i.published == now);
  CHECK(i.updated == now - 1h);
}
