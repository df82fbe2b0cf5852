#include "store/check.hpp"
#include "store/environment.hpp"
#include "store/errc.hpp"
#include "store/lending.hpp"
#include "store/repository.hpp"
#include "tests/support/flip_byte.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temp_store.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <fstream>

using namespace cistern::store;
using namespace cistern::tests;
using Catch::Matchers::Contains;

namespace {

void open_again(std::filesystem::path const& path, bool read_only = false) {
  repository const unused{{.path = path, .map_reserve = 1ull << 30, .read_only = read_only}};
}

/// As far as the file system has one to drop it from.
void drop_from_memory(std::filesystem::path const& path) {
  auto const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0);
  ::close(file);
}

/// Runs `work` in a process of its own; its exit code.
template <class Work>
int in_child(Work work) {
  auto const pid = ::fork();
  if (pid == 0) {
    try {
      ::_exit(work());
    } catch (...) {
      ::_exit(99);
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The first format kept uses and priority in the objects' records, and had no table for them.
void as_in_format_1(std::filesystem::path const& path) {
  auto const opened = open_environment({.path = path, .map_reserve = 1ull << 30}, current_format, migrations());
  lmdb::write_transaction txn{opened.env.get()};
  std::vector<std::pair<std::string, std::string>> records;
  {
    lmdb::cursor walk{txn, opened.tables[t_objects]};
    for (auto at = walk.first(); at; at = walk.next()) {
      auto record = read_object(at->first, at->second);
      auto const id = number_key(record.object.ref.id);
      record.before_format_2 = decode<standing>(txn.get(opened.tables[t_standings], id).value());
      records.emplace_back(at->first, encode(record));
    }
  }
  for (auto const& [key, value] : records) txn.put(opened.tables[t_objects], key, value);
  lmdb::expect(mdb_drop(txn.handle(), opened.tables[t_standings], 1));
  lmdb::expect(mdb_drop(txn.handle(), opened.tables[t_settings], 1));
  lmdb::expect(mdb_drop(txn.handle(), opened.tables[t_search_marks], 1));
  txn.put(opened.tables[t_meta], "format", number_key(1));
  txn.commit();
}

}  // namespace

TEST_CASE("a second process is told who has the repository", "[store]") {
  temp_store store;
  auto const code = in_child([&] {
    try {
      open_again(store.path());
    } catch (open_error const& e) {
      return std::string{e.what()}.find("in use by process " + std::to_string(::getppid())) != std::string::npos ? 42
                                                                                                                 : 2;
    }
    return 1;
  });
  CHECK(code == 42);
  store.close();
  CHECK_NOTHROW(open_again(store.path()));
}

TEST_CASE("a repository can be read beside the one who writes", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  auto const code = in_child([&] {
    repository beside{{.path = store.path(), .map_reserve = 1ull << 30, .read_only = true}};
    auto const found = beside.find("http://a.test/").value();
    return found && beside.read_body(*found).value() == "hello" ? 42 : 1;
  });
  CHECK(code == 42);
}

TEST_CASE("a read-only repository serves and refuses to change", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.open(1u << 30, true);
  CHECK(store.body_of("http://a.test/") == "hello");
  CHECK(store->put({.url = "http://a.test/2"}, "x", boost::asio::use_future).get().has_error());
  CHECK(store->measure().value().read_only);
}

TEST_CASE("a folder that nobody may write in is opened read-only and not otherwise", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  std::filesystem::permissions(store.path().parent_path(), std::filesystem::perms::all);
  for (auto const& entry : std::filesystem::directory_iterator{store.path()})
    std::filesystem::permissions(entry.path(), std::filesystem::perms(0444));
  std::filesystem::permissions(store.path(), std::filesystem::perms(0555));
  auto const code = in_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 1;
    try {
      open_again(store.path());
      return 2;
    } catch (open_error const& e) {
      if (std::string{e.what()}.find("not writable") == std::string::npos) return 3;
    }
    repository reading{{.path = store.path(), .map_reserve = 1ull << 30, .read_only = true}};
    return reading.find("http://a.test/").value() ? 42 : 4;
  });
  std::filesystem::permissions(store.path(), std::filesystem::perms(0755));
  CHECK(code == 42);
}

TEST_CASE("a data file that was cut short is refused with a sentence", "[store]") {
  temp_store store;
  for (int i = 0; i < 50; ++i)
    store.put("http://a.test/" + std::to_string(i), noise(static_cast<std::uint64_t>(i), 30'000));
  store.close();
  auto const file = store.path() / "data.mdb";
  auto const part = GENERATE(0.0001, 0.01, 0.5, 0.9);
  std::filesystem::resize_file(
      file, static_cast<std::uintmax_t>(static_cast<double>(std::filesystem::file_size(file)) * part));
  CHECK_THROWS_WITH(open_again(store.path()), Contains("data.mdb") && Contains("cistern check --repair"));
}

TEST_CASE("a file that lacks only pages nobody uses is in order", "[store]") {
  temp_store store;
  for (int i = 0; i < 20; ++i)
    store.put("http://a.test/" + std::to_string(i), noise(static_cast<std::uint64_t>(i), 30'000));
  // Made and freed in one transaction: LMDB counts these pages and never writes them.
  store.write([](write_batch& b) {
    b.put_object({.url = "http://a.test/gone"}, noise(99, 2'000'000));
    return b.erase_url("http://a.test/gone");
  });
  store.open();
  CHECK(store.body_of("http://a.test/7") == noise(7, 30'000));
  CHECK(integrity_check{*store}.run().value().clean());
}

TEST_CASE("a file that is no repository is refused with a sentence", "[store]") {
  temp_dir dir;
  dir.write("data.mdb", noise(1, 100'000));
  CHECK_THROWS_WITH(open_again(dir.path()), Contains("is no repository or is damaged"));
}

TEST_CASE("a flipped byte in a body is noticed, the object is missing from then on, and repair removes it", "[store]") {
  temp_store store;
  auto const bad = noise(1, 60'000);
  store.put("http://a.test/bad", bad);
  store.put("http://a.test/good", noise(2, 60'000));
  store.close();
  flip_byte(store.path() / "data.mdb", bad.substr(20'000, 64));

  store.open();
  auto const found = store->find("http://a.test/bad").value();
  REQUIRE(found);
  SECTION("by who copies it") { CHECK(store->read_body(*found).has_error()); }
  SECTION("by who borrows it, before a byte of it is lent") {
    auto const reader = store->open_body(*found).value();
    body_lender lender{reader};
    auto const take = [](body_lender::pieces given) { return given.front().size(); };
    CHECK(lender.lend(20'000, 40'000, take).error() == errc::damaged);
  }
  store.write([](write_batch&) { return true; });  // the quarantine was written before this
  CHECK_FALSE(store->find("http://a.test/bad").value());
  CHECK(store->measure().value().quarantined == 1);
  CHECK(store.body_of("http://a.test/good") == noise(2, 60'000));

  integrity_check check{*store};
  auto report = check.run().value();
  CHECK_FALSE(report.clean());
  CHECK(check.repair(report).has_value());
  CHECK(report.repaired == 1);
  CHECK(check.run().value().clean());
  CHECK(store.body_of("http://a.test/good") == noise(2, 60'000));
}

TEST_CASE("a flipped byte in a small body is noticed, the object is missing from then on, and repair removes it",
          "[store]") {
  temp_store store;
  auto const bad = noise(1, GENERATE(std::size_t{300}, 9'000));
  store.put("http://a.test/good", noise(2, 9'000));
  store.put("http://a.test/bad", bad);  // last: no later write leaves an older copy of its page in the file
  store.close();
  flip_byte(store.path() / "data.mdb", bad.substr(100, 64));

  store.open();
  stored_object found;
  std::string body;
  CHECK_FALSE(store->find_with_body("http://a.test/bad", {}, 20'000, found, body).value());
  store.write([](write_batch&) { return true; });  // the quarantine was written before this
  CHECK_FALSE(store->find("http://a.test/bad").value());
  CHECK(store.body_of("http://a.test/good") == noise(2, 9'000));

  integrity_check check{*store};
  auto report = check.run().value();
  CHECK_FALSE(report.clean());
  CHECK(check.repair(report).has_value());
  CHECK(report.repaired == 1);
  CHECK(check.run().value().clean());
  CHECK(store.body_of("http://a.test/good") == noise(2, 9'000));
}

TEST_CASE("a repository larger than what may be mapped gives back the same bytes", "[store]") {
  temp_store store;
  for (std::uint64_t i = 0; i < 40; ++i) store.put("http://a.test/" + std::to_string(i), noise(i, 1'000 + i * 2'000));
  store.close();
  repository small{{.path = store.path(), .map_reserve = 1ull << 30, .resident_limit = 64u << 10}};
  stored_object found;
  std::string body;
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto const whole = noise(i, 1'000 + i * 2'000);
    CHECK(small.find_with_body("http://a.test/" + std::to_string(i), {}, 1u << 20, found, body).value());
    CHECK(body == whole);
    auto const reader = small.open_body(found).value();
    std::string part(777, '\0');
    CHECK(reader.read(whole.size() / 2, part).value() == std::min<std::size_t>(777, whole.size() / 2));
    CHECK(whole.substr(whole.size() / 2).starts_with(part.substr(0, std::min<std::size_t>(777, whole.size() / 2))));
  }
}

TEST_CASE("a body that is in no memory is read in large steps when it is lent", "[store]") {
  temp_store store;
  constexpr std::size_t size = 8u << 20;
  auto const body = noise(1, size);
  auto const object = store.put("http://a.test/", body);
  store.close();
  drop_from_memory(store.path() / "data.mdb");
  store.open();
  auto const waits = [] {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_majflt;
  };
  auto const before = waits();
  auto const reader = store->open_body(object).value();
  body_lender lender{reader};
  std::string lent;
  auto const taken = lender.lend(0, size, [&](body_lender::pieces given) {
    auto const from = lent.size();
    for (auto const piece : given) lent += piece;
    return lent.size() - from;
  });
  CHECK(taken.value() == size);
  CHECK(lent == body);
  CHECK(waits() - before < static_cast<long>(size / page_size / 8));
}

TEST_CASE("a long body that is lent from end to end leaves little of itself mapped", "[store]") {
  temp_store store;
  constexpr std::size_t size = 24u << 20;
  auto const body = noise(1, size);
  auto const begun = store.write([&](write_batch& b) { return b.begin_object({.url = "http://a.test/"}); });
  for (std::size_t at = 0; at < size; at += 1u << 20)
    store->append(begun.ref, at, body.substr(at, 1u << 20), boost::asio::use_future).get().value();
  auto const object = store.write([&](write_batch& b) { return b.finish(begun.ref); });
  store.close();
  repository small{{.path = store.path(), .map_reserve = 1ull << 30, .resident_limit = 4u << 20}};
  auto const mapped = [] {
    std::uint64_t all = 0, resident = 0, of_files = 0;
    std::ifstream{"/proc/self/statm"} >> all >> resident >> of_files;
    return of_files * page_size;
  };
  auto const before = mapped();
  auto const reader = small.open_body(object).value();
  body_lender lender{reader};
  std::uint64_t most = 0;
  bool same = true;
  for (std::size_t at = 0; at < size;) {
    auto place = at;
    auto const taken = lender.lend(at, 256u << 10, [&](body_lender::pieces given) {
      auto const from = place;
      for (auto const piece : given) {
        same = same && body.compare(place, piece.size(), piece) == 0;
        place += piece.size();
      }
      return place - from;
    });
    at += taken.value();
    most = std::max(most, mapped());
  }
  CHECK(same);
  CHECK(most < before + (8u << 20));
}

TEST_CASE("the repository opens where address space is scarce", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  auto const code = in_child([&] {
    std::uint64_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    auto const little = pages * page_size + (1ull << 30);
    rlimit const limit{little, little};
    ::setrlimit(RLIMIT_AS, &limit);
    repository small{{.path = store.path(), .map_reserve = 1ull << 40}};
    return small.find("http://a.test/").value() ? 42 : 1;
  });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static_cast<void>(code);
  WARN("skipped: a sanitizer needs the address space itself");
#else
  CHECK(code == 42);
#endif
}

TEST_CASE("network and FAT file systems are refused by name", "[store]") {
  CHECK_THAT(file_system_refusal(0x6969), Contains("NFS"));
  CHECK_THAT(file_system_refusal(0x4d44), Contains("FAT"));
  CHECK_THAT(file_system_refusal(0xFE534D42), Contains("SMB"));
  CHECK(file_system_refusal(0xEF53).empty());
  CHECK(file_system_refusal(0x01021994).empty());
}

TEST_CASE("an older format is led up to ours in one step, a newer one is refused", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  repository_options const options{.path = store.path(), .map_reserve = 1ull << 30};
  int steps = 0;
  std::vector<migration> const path{
      {.from = current_format, .step = [&](lmdb::write_transaction& txn, table_handles const& tables) {
         txn.put(tables[t_meta], "migrated", "yes");
         ++steps;
       }}};
  {
    auto const opened = open_environment(options, current_format + 1, path);
    CHECK(steps == 1);
  }
  {
    auto const again = open_environment(options, current_format + 1, path);
    CHECK(steps == 1);
  }
  CHECK_THROWS_WITH(open_again(store.path()),
                    Contains("format " + std::to_string(current_format + 1)) && Contains("newer cistern"));
  CHECK_THROWS_WITH(open_environment(options, current_format + 5, path), Contains("cannot read"));
}

TEST_CASE("a repository of the first format is opened with all that it holds", "[store]") {
  temp_store store;
  store.put("http://a.test/large", noise(1, 60'000));
  auto const begun = store.write([](write_batch& b) { return b.begin_object({.url = "http://a.test/small"}); });
  store->append(begun.ref, 0, "small, in a chunk of its own", boost::asio::use_future).get().value();
  store.write([&](write_batch& b) { return b.finish(begun.ref); });
  store.close();
  as_in_format_1(store.path());
  CHECK_THROWS_WITH(open_again(store.path(), true), Contains("older format") && Contains("cistern serve"));

  store.open();
  CHECK(integrity_check{*store}.run().value().clean());
  CHECK(store.body_of("http://a.test/large") == noise(1, 60'000));
  CHECK(store.body_of("http://a.test/small") == "small, in a chunk of its own");
  store.put("http://a.test/same", "small, in a chunk of its own");
  CHECK(store.write([](write_batch& b) { return b.erase_url("http://a.test/large"); }) == 1);
  CHECK(integrity_check{*store}.run().value().clean());
}

TEST_CASE("a migration that fails half-way leaves the old store whole", "[store]") {
  temp_store store;
  store.put("http://a.test/", "hello");
  store.close();
  std::vector<migration> const path{
      {.from = current_format, .step = [](lmdb::write_transaction& txn, table_handles const& tables) {
         lmdb::expect(mdb_drop(txn.handle(), tables[t_objects], 0));
         throw open_error{"power cut"};
       }}};
  CHECK_THROWS(open_environment({.path = store.path(), .map_reserve = 1ull << 30}, current_format + 1, path));
  store.open();
  CHECK(store.body_of("http://a.test/") == "hello");
}

TEST_CASE("a full disk refuses writes, says so, keeps serving, and recovers", "[store]") {
  small_disk const place{"16m"};
  if (!place.mounted()) {
    WARN("skipped: mounting a small tmpfs needs root");
    return;
  }
  {
    repository store{{.path = place / "data", .quota = 1ull << 30, .map_reserve = 1ull << 30}};
    auto const put = [&](int i, retention keep) {
      return store
          .put({.url = "http://a.test/" + std::to_string(i), .keep = keep},
               noise(static_cast<std::uint64_t>(i), 500'000), boost::asio::use_future)
          .get()
          .has_value();
    };
    CHECK(put(0, retention::pinned));
    auto stored = 1;
    for (; stored < 60; ++stored)
      if (!put(stored, retention::pinned)) break;
    CHECK(stored < 40);
    CHECK(store.measure().value().failure);
    auto const first = store.find("http://a.test/0").value();
    REQUIRE(first);
    CHECK(store.read_body(*first).value() == noise(0, 500'000));
    CHECK(integrity_check{store}.run().value().clean());

    // Evictable things make room for themselves inside the file, disk full or not.
    for (int i = 0; i < stored; ++i)
      store
          .write([&](write_batch& b) { return b.erase_url("http://a.test/" + std::to_string(i)); },
                 boost::asio::use_future)
          .get();
    for (int i = 100; i < 200; ++i) CHECK(put(i, retention::evictable));
    CHECK_FALSE(store.measure().value().failure);
    CHECK(integrity_check{store}.run().value().clean());
  }
}
