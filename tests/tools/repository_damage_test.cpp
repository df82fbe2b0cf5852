#include "tests/support/child_process.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temp_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace cistern::store;
using namespace cistern::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr int pages = 60;

std::string page(int i) { return "http://a.test/" + std::to_string(i); }
std::string body(int i) { return noise(static_cast<std::uint64_t>(i), 500 + 700 * static_cast<std::size_t>(i)); }

finished cistern_on(std::filesystem::path const& data, std::vector<std::string> words) {
  words.insert(words.begin(), CISTERN_PROGRAM);
  words.insert(words.end(), {"--data", data.string()});
  return run(std::move(words));
}

/// Pages, some of them replaced and deleted again, a download in pieces, a subscription with items and a job.
void fill(temp_store& store) {
  for (int i = 0; i < pages; ++i) store.put(page(i), i % 7 == 0 ? "first" : body(i));
  for (int i = 0; i < pages; i += 7) store.put(page(i), body(i));
  store.write([](write_batch& b) {
    auto const partial = b.begin_object({.url = "http://a.test/partial"});
    b.append(partial.ref, 0, noise(7, 40'000));
    subscription const site{.id = b.next_id(), .feed_url = "http://a.test/feed", .title = "A"};
    b.put(site);
    for (int i = 0; i < 30; ++i) {
      item one{.subscription = site.id, .id = page(i), .title = page(i), .content = std::string(900, 'x')};
      one.identity.bytes[0] = static_cast<char>(i);
      b.put_item(one);
    }
    b.enqueue({.url = "http://a.test/later"});
    return true;
  });
  store.close();
}

int lines(std::string const& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

/// How many of the pages are there with the right bytes; a wrong byte fails the test.
int readable(temp_store& store) {
  store.open();
  int count = 0;
  for (int i = 0; i < pages; ++i) {
    auto const found = store->find(page(i)).value();
    if (!found || found->size != body(i).size()) continue;
    CHECK(store->read_body(*found).value() == body(i));
    ++count;
  }
  store.close();
  return count;
}

void flip(std::filesystem::path const& file, std::uintmax_t at, unsigned bit) {
  std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
  bytes.seekg(static_cast<std::streamoff>(at));
  auto const old = bytes.get();
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put(static_cast<char>(old ^ (1 << bit)));
}

}  // namespace

TEST_CASE("a flipped byte in a body is found, and repair removes that object and no other", "[tools]") {
  temp_store store;
  fill(store);
  auto const file = store.path() / "data.mdb";
  flip(file, read_file(file).find(body(50).substr(5'000, 64)), 3);

  auto const found = cistern_on(store.path(), {"check"});
  CHECK(found.exit_code == 1);
  CHECK_THAT(found.out, Contains("does not match its checksum") && Contains(page(50) + " lacks its body"));
  CHECK(lines(found.err) == 1);
  CHECK_THAT(found.err, Contains("cistern check --repair"));
  auto const got = cistern_on(store.path(), {"get", page(50)});
  CHECK(got.exit_code == 1);
  CHECK(lines(got.err) == 1);

  auto const repaired = cistern_on(store.path(), {"check", "--repair"});
  CAPTURE(repaired.out, repaired.err);
  CHECK(repaired.exit_code == 0);
  CHECK_THAT(repaired.out, Contains("1 object lost"));
  CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
  CHECK(readable(store) == pages - 1);
}

TEST_CASE("a file that was cut short is named, and repair saves what is left of it", "[tools]") {
  temp_store store;
  fill(store);
  auto const file = store.path() / "data.mdb";
  auto const part = GENERATE(0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97);
  auto const left = static_cast<std::uintmax_t>(static_cast<double>(std::filesystem::file_size(file)) * part);
  std::filesystem::resize_file(file, left);

  for (auto const& words : std::vector<std::vector<std::string>>{{"check"}, {"get", page(1)}, {"compact"}, {"serve"}}) {
    auto const end = cistern_on(store.path(), words);
    CAPTURE(words.front(), end.out, end.err);
    CHECK(end.exit_code == 1);
    CHECK(lines(end.err) == 1);
    CHECK_THAT(end.err, Contains("was cut short") && Contains("cistern check --repair"));
  }
  auto const repaired = cistern_on(store.path(), {"check", "--repair"});
  CAPTURE(part, repaired.out, repaired.err);
  CHECK(repaired.exit_code == 0);
  CHECK_THAT(repaired.out, Contains("data.mdb.damaged"));
  CHECK(std::filesystem::file_size(store.path() / "data.mdb.damaged") == left);
  CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
  // What lies where differs from run to run with the seed; of half a file a fair part is always left.
  CHECK(readable(store) >= (part < 0.75 ? 0 : pages * part / 3));
}

TEST_CASE("a file of noise cannot be repaired and is left as it is", "[tools]") {
  temp_dir dir;
  auto const file = dir.write("data.mdb", noise(1, 100'000));
  auto const end = cistern_on(dir.path(), {"check", "--repair"});
  CHECK(end.exit_code == 1);
  CHECK(lines(end.err) == 1);
  CHECK_THAT(end.err, Contains("restore it from a copy"));
  CHECK(read_file(file) == noise(1, 100'000));
  CHECK_FALSE(std::filesystem::exists(dir / "salvage"));
}

TEST_CASE("whatever byte of the file is flipped, check ends with a verdict and repair with a sound store",
          "[tools][slow]") {
  temp_store store;
  fill(store);
  auto const file = store.path() / "data.mdb";
  auto const whole = read_file(file);
  int found = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::ofstream{file, std::ios::binary} << whole;
    std::filesystem::remove(store.path() / "data.mdb.damaged");
    std::mt19937_64 random{seed};
    // Every other time inside the headers of a page, where the tree can break.
    for (int n = 0; n < 8; ++n) {
      auto const at = random() % whole.size();
      flip(file, seed % 2 ? at : at / 4096 * 4096 + at % 64, static_cast<unsigned>(random() % 8));
    }
    auto const end = cistern_on(store.path(), {"check"});
    CAPTURE(seed, end.exit_code, end.out, end.err);
    CHECK((end.exit_code == 0 || end.exit_code == 1));
    CHECK(lines(end.err) == end.exit_code);
    found += end.exit_code;
    auto const repaired = cistern_on(store.path(), {"check", "--repair"});
    CAPTURE(repaired.exit_code, repaired.out, repaired.err);
    CHECK((repaired.exit_code == 0 || repaired.exit_code == 1));
    if (repaired.exit_code != 0) continue;
    CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
    CHECK(readable(store) >= pages / 2);
  }
  CHECK(found > 25);
}

TEST_CASE("in a folder that nobody may write in get and check work, and the others say why they cannot", "[tools]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  if (::getuid() == 0) {
    if (::mount(store.path().c_str(), store.path().c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, store.path().c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      ::umount2(store.path().c_str(), MNT_DETACH);
      WARN("skipped: root may write anywhere, and mounting is not allowed here");
      return;
    }
  } else {
    for (auto const& entry : std::filesystem::directory_iterator{store.path()}) ::chmod(entry.path().c_str(), 0444);
    ::chmod(store.path().c_str(), 0555);
  }
  struct restore {
    std::filesystem::path at;
    ~restore() {
      if (::getuid() == 0) ::umount2(at.c_str(), MNT_DETACH);
      ::chmod(at.c_str(), 0755);
    }
  } const later{store.path()};
  CHECK(cistern_on(store.path(), {"get", "http://a.test/"}).out == "hello");
  CHECK(cistern_on(store.path(), {"check"}).exit_code == 0);
  for (auto const& words : std::vector<std::vector<std::string>>{
           {"check", "--repair"}, {"compact"}, {"serve", "--listen", "127.0.0.1:0"}}) {
    auto const end = cistern_on(store.path(), words);
    CAPTURE(words.front(), end.out, end.err);
    CHECK(end.exit_code == 1);
    CHECK(lines(end.err) == 1);
    CHECK_THAT(end.err, Contains("is not writable"));
  }
}

TEST_CASE("on a full disk compact and repair change nothing and say what they lack", "[tools]") {
  small_disk const place{"24m"};
  if (!place.mounted()) {
    WARN("skipped: mounting a small tmpfs needs root");
    return;
  }
  temp_store store;
  for (int i = 0; i < 25; ++i) store.put(page(i), noise(static_cast<std::uint64_t>(i), 600'000));
  store.close();
  std::filesystem::copy(store.path(), place / "data");
  auto const file = place / "data/data.mdb";
  auto const size = std::filesystem::file_size(file);

  auto const compacted = cistern_on(place / "data", {"compact"});
  CHECK(compacted.exit_code == 1);
  CHECK(lines(compacted.err) == 1);
  CHECK_THAT(compacted.err, Contains("free some space"));
  CHECK(std::filesystem::file_size(file) == size);
  CHECK(cistern_on(place / "data", {"check"}).exit_code == 0);

  std::filesystem::resize_file(file, size - 4096 * 8);
  auto const repaired = cistern_on(place / "data", {"check", "--repair"});
  CAPTURE(repaired.out, repaired.err);
  CHECK(repaired.exit_code == 1);
  CHECK(lines(repaired.err) == 1);
  CHECK_THAT(repaired.err, Contains("disk is full"));
  CHECK(std::filesystem::file_size(file) == size - 4096 * 8);
  CHECK_FALSE(std::filesystem::exists(place / "data/salvage"));
}

TEST_CASE("on a full disk serve says so and does not start", "[tools]") {
  small_disk const place{"64k"};
  if (!place.mounted()) {
    WARN("skipped: mounting a small tmpfs needs root");
    return;
  }
  place->write("filler", std::string(64 * 1024, 'x'));
  auto const end = cistern_on(place / "data", {"serve", "--listen", "127.0.0.1:0"});
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == 1);
  CHECK(lines(end.err) == 1);
  CHECK_THAT(end.err, StartsWith("cistern: "));
}
