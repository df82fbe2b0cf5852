/// bench-store: the repository against LMDB with nothing around it, over the same data in the same run.

#include "store/repository.hpp"
#include "tools/bench/bare_lmdb.hpp"
#include "tools/bench/slow_flush.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <future>
#include <random>
#include <utility>
#include <vector>

#include <time.h>

namespace {

using namespace cistern;
namespace net = boost::asio;
using bench::bare_lmdb;
using std::chrono::steady_clock;

struct options {
  std::string folder;
  std::uint64_t objects = 20'000;
  std::uint64_t gets = 100'000;
  int rounds = 9;
  std::uint64_t puts = 4'000;
  std::vector<double> flushes{0, 2};  // ms longer than this disk takes
  std::uint64_t quota_mib = 64;
};

constexpr std::size_t body_size = 10'000;
constexpr std::size_t writers_at_once = 64;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// Of this thread alone, so that whatever else the machine does is not in the comparison.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::string url_of(std::uint64_t i) { return "http://bench.test/articles/" + std::to_string(i); }

std::string body_of(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string out(body_size, '\0');
  for (std::size_t at = 0; at + 8 <= out.size(); at += 8) {
    auto const word = random();
    std::memcpy(out.data() + at, &word, 8);
  }
  return out;
}

/// Headers as a real page has them: decoding them is part of a get.
store::object_head head_of(std::uint64_t i) {
  store::object_head head{.url = url_of(i)};
  head.headers.add("Date", "Mon, 16 Nov 2026 12:00:00 GMT");
  head.headers.add("Content-Type", "text/html; charset=utf-8");
  head.headers.add("ETag", "\"5f3c-6071b2d2c2b40\"");
  head.headers.add("Last-Modified", "Sun, 15 Nov 2026 09:30:00 GMT");
  head.headers.add("Cache-Control", "max-age=600");
  return head;
}

bench::bare_key key_of(store::repository const& repo, std::uint64_t i) { return repo.url_digest(url_of(i)).bytes; }

/// As random as a digest, without asking for one.
bench::bare_key bare_key_of(std::uint64_t i) {
  std::mt19937_64 random{i};
  std::array const words{random(), random()};
  bench::bare_key key;
  std::memcpy(key.data(), words.data(), key.size());
  return key;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double at_quantile(std::vector<double>& values, double q) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

std::uint64_t kib_of(char const* file, std::string const& field) {
  std::ifstream in{file};
  for (std::string name; in >> name;)
    if (std::uint64_t value = 0; name == field + ":" && in >> value) return value;
  return 0;
}

void print_memory(char const* when) {
  std::printf("memory after %-9s peak RSS %6.1f MiB, PSS now %6.1f MiB\n", when,
              static_cast<double>(kib_of("/proc/self/status", "VmHWM")) / 1024,
              static_cast<double>(kib_of("/proc/self/smaps_rollup", "Pss")) / 1024);
}

void fill(store::repository& repo, bare_lmdb& bare, std::uint64_t objects) {
  std::deque<std::future<store::result<store::stored_object>>> waiting;
  bare.begin_write();
  for (std::uint64_t i = 0; i < objects; ++i) {
    auto body = body_of(i);
    bare.put(key_of(repo, i), body);
    waiting.push_back(repo.put(head_of(i), std::move(body), boost::asio::use_future));
    if (waiting.size() < 512) continue;
    waiting.front().get().value();
    waiting.pop_front();
  }
  bare.commit();
  for (auto& w : waiting) w.get().value();
}

/// Gets a second of processor time.
double get_all(store::repository& repo, std::vector<std::string> const& urls, std::string& body) {
  store::stored_object found;
  auto const start = cpu_seconds();
  for (auto const& url : urls)
    if (auto const there = repo.find_with_body(url, {}, body_size, found, body);
        !there || !*there || body.size() != body_size)
      throw std::runtime_error{"a stored object is not there"};
  return static_cast<double>(urls.size()) / (cpu_seconds() - start);
}

double get_all(bare_lmdb& bare, std::vector<bench::bare_key> const& keys, std::string& body, bool renew) {
  auto const start = cpu_seconds();
  bare.begin_read();
  for (auto const& key : keys) {
    if (renew) bare.end_read(), bare.begin_read();
    bare.get(key, body);
  }
  bare.end_read();
  return static_cast<double>(keys.size()) / (cpu_seconds() - start);
}

/// Bare LMDB maps all that it reads; so may the repository in this comparison. What its usual bound of mapped memory
/// costs is measured by itself.
void measure_gets(options const& o) {
  store::repository_options where{.path = o.folder + "/gets", .quota = 4ull << 30, .map_reserve = 8ull << 30};
  auto const bound = std::exchange(where.resident_limit, 0);
  std::vector<std::string> urls;
  std::vector<double> ours, renewed, one_long, ratios, bounded;
  std::string body;
  {
    store::repository repo{where};
    bare_lmdb bare{o.folder + "/bare"};
    fill(repo, bare, o.objects);
    std::vector<bench::bare_key> keys;
    std::mt19937_64 random{1};
    for (std::uint64_t n = 0; n < o.gets; ++n) {
      auto const i = random() % o.objects;
      urls.push_back(url_of(i));
      keys.push_back(key_of(repo, i));
    }
    for (int round = 0; round <= o.rounds; ++round) {  // the first warms the page cache and is not counted
      auto const a = get_all(repo, urls, body);
      auto const b = get_all(bare, keys, body, true);
      auto const c = get_all(bare, keys, body, false);
      if (round == 0) continue;
      ours.push_back(a);
      renewed.push_back(b);
      one_long.push_back(c);
      ratios.push_back(a / b);
    }
    print_memory("gets");
  }
  where.resident_limit = bound;
  {
    store::repository repo{where};
    for (int round = 0; round <= o.rounds; ++round) bounded.push_back(get_all(repo, urls, body));
    print_memory("bounded");
  }
  std::printf("gets     a second of processor time: repository %.0f, bare LMDB renewed %.0f, one transaction %.0f\n",
              median(ours), median(renewed), median(one_long));
  std::printf("gets     repository / bare renewed: median %.0f%% (%.0f%% to %.0f%%), goal 70%%\n", 100 * median(ratios),
              100 * *std::min_element(ratios.begin(), ratios.end()),
              100 * *std::max_element(ratios.begin(), ratios.end()));
  std::printf("gets     with at most %.0f MiB mapped: %.0f, %.0f%%\n", static_cast<double>(bound) / (1 << 20),
              median(bounded), 100 * median(bounded) / median(renewed));
}

/// One of many who write at once, as the proxy's sessions do: a coroutine that waits for its own put to be durable.
net::awaitable<void> keep_putting(store::repository& repo, std::vector<std::string> const& bodies,
                                  std::atomic<std::uint64_t>& next, std::vector<double>& latencies) {
  for (auto i = next++; i < bodies.size(); i = next++) {
    auto head = head_of(i);
    auto body = bodies[i];
    auto const begun = steady_clock::now();
    auto const stored = co_await repo.put(std::move(head), std::move(body), net::use_awaitable);
    stored.value();
    latencies.push_back(1000 * seconds_since(begun));
  }
}

/// Durable puts a second.
struct put_rates {
  double together = 0;            // 64 at once through the repository
  double one_by_one = 0;          // one at a time through the repository: a commit each
  double bare = 0;                // bare LMDB, a commit each
  double bare_batches = 0;        // bare LMDB, 64 a commit
  double a_commit = 0;            // puts of the 64
  std::vector<double> latencies;  // ms, of the 64
};

/// `writers` at once; puts a second.
double put_together(store::repository& repo, std::vector<std::string> const& bodies, std::size_t writers,
                    std::vector<double>& latencies) {
  std::atomic<std::uint64_t> next{0};
  net::io_context io{1};
  for (std::size_t w = 0; w < writers; ++w)
    net::co_spawn(io, keep_putting(repo, bodies, next, latencies), [](std::exception_ptr const& failed) {
      if (failed) std::rethrow_exception(failed);
    });
  auto const start = steady_clock::now();
  io.run();
  return static_cast<double>(bodies.size()) / seconds_since(start);
}

double put_bare(bare_lmdb& bare, std::vector<std::string> const& bodies, std::uint64_t& numbered,
                std::size_t a_commit) {
  auto const start = steady_clock::now();
  for (std::size_t i = 0; i < bodies.size();) {
    bare.begin_write();
    for (std::size_t k = 0; k < a_commit && i < bodies.size(); ++k, ++i) bare.put(bare_key_of(numbered++), bodies[i]);
    bare.commit();
  }
  return static_cast<double>(bodies.size()) / seconds_since(start);
}

std::vector<std::string> bodies_from(std::uint64_t seed, std::uint64_t count) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(body_of(seed + i));
  return out;
}

put_rates rates_of_puts(options const& o, std::string const& folder) {
  store::repository repo{{.path = folder + "/puts", .quota = 4ull << 30, .map_reserve = 8ull << 30}};
  bare_lmdb bare{folder + "/bare"};
  auto const many = bodies_from(1'000'000, o.puts);
  auto const few = bodies_from(2'000'000, std::max<std::uint64_t>(o.puts / 20, 1));
  auto const others = bodies_from(3'000'000, few.size());
  std::uint64_t numbered = 0;
  std::vector<double> alone;
  put_rates rates;
  // One commit a put is measured before and after the many: the disk may change its mood meanwhile.
  auto const bare_before = put_bare(bare, few, numbered, 1);
  auto const ours_before = put_together(repo, few, 1, alone);
  auto const before = repo.measure().value().commits;
  rates.together = put_together(repo, many, writers_at_once, rates.latencies);
  rates.a_commit = static_cast<double>(o.puts) / static_cast<double>(repo.measure().value().commits - before);
  rates.bare = 2 / (1 / bare_before + 1 / put_bare(bare, few, numbered, 1));
  rates.one_by_one = 2 / (1 / ours_before + 1 / put_together(repo, others, 1, alone));
  rates.bare_batches = put_bare(bare, many, numbered, writers_at_once);
  return rates;
}

void measure_puts(options const& o) {
  int turn = 0;
  for (auto const extra : o.flushes) {
    bench::flush_takes_longer_by(std::chrono::microseconds{static_cast<std::int64_t>(1000 * extra)});
    auto rates = rates_of_puts(o, o.folder + "/puts" + std::to_string(turn++));
    std::printf(
        extra > 0 ? "puts     as on a disk that takes %.1f ms longer to flush\n" : "puts     on this disk as it is\n",
        extra);
    std::printf(
        "  repository, %zu writers %.0f a second, %.1f a commit, latency p50 %.1f ms, p99 %.1f ms; goal 20 times\n",
        writers_at_once, rates.together, rates.a_commit, at_quantile(rates.latencies, 0.5),
        at_quantile(rates.latencies, 0.99));
    std::printf("  a commit a put: repository %.0f, so %.1f times; bare LMDB %.0f, so %.1f times\n", rates.one_by_one,
                rates.together / rates.one_by_one, rates.bare, rates.together / rates.bare);
    std::printf(
        "  bare LMDB, %zu puts a commit: %.0f, %.1f times its one a commit; the repository reaches %.0f%% of it\n",
        writers_at_once, rates.bare_batches, rates.bare_batches / rates.bare,
        100 * rates.together / rates.bare_batches);
  }
  bench::flush_takes_longer_by({});
  print_memory("puts");
}

void measure_turnover(options const& o) {
  auto const quota = o.quota_mib << 20;
  store::repository repo{{.path = o.folder + "/turnover", .quota = quota, .map_reserve = 8ull << 30}};
  auto const total = 10 * quota / body_size;
  struct pending {
    std::uint64_t decile;
    steady_clock::time_point begun;
    std::future<store::result<store::stored_object>> done;
  };
  std::deque<pending> waiting;
  std::vector<std::vector<double>> deciles(10);
  auto const settle = [&] {
    auto& first = waiting.front();
    first.done.get().value();
    deciles[first.decile].push_back(1000 * seconds_since(first.begun));
    waiting.pop_front();
  };
  for (std::uint64_t i = 0; i < total; ++i) {
    auto body = body_of(2'000'000 + i);
    auto const begun = steady_clock::now();
    waiting.push_back({i * 10 / total, begun, repo.put(head_of(i), std::move(body), boost::asio::use_future)});
    if (waiting.size() == 64) settle();
  }
  while (!waiting.empty()) settle();
  auto const now = repo.measure().value();
  std::printf("turnover %.0f MiB through a quota of %.0f MiB; put latency by decile, p50 / p99 ms:",
              static_cast<double>(total * body_size) / (1 << 20), static_cast<double>(quota) / (1 << 20));
  for (auto& decile : deciles) std::printf(" %.1f/%.1f", at_quantile(decile, 0.5), at_quantile(decile, 0.99));
  std::printf("\nturnover file / live bytes %.2f (%.1f MiB / %.1f MiB), goal below 1.5; evicted %llu\n",
              static_cast<double>(now.file_bytes) / static_cast<double>(now.body_bytes),
              static_cast<double>(now.file_bytes) / (1 << 20), static_cast<double>(now.body_bytes) / (1 << 20),
              static_cast<unsigned long long>(now.evicted));
  print_memory("turnover");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"The repository against bare LMDB"};
  options o;
  std::string only = "gets,puts,turnover";
  program.add_option("--data", o.folder, "an empty folder on the disk to measure")->required();
  program.add_option("--objects", o.objects, "10 kB objects to read from");
  program.add_option("--gets", o.gets, "random gets a round");
  program.add_option("--rounds", o.rounds, "rounds of gets, alternating");
  program.add_option("--puts", o.puts, "durable puts");
  program.add_option("--flush", o.flushes, "measure puts as on a disk that takes so many ms longer to flush: 0,2")
      ->delimiter(',');
  program.add_option("--quota", o.quota_mib, "MiB, for the turnover");
  program.add_option("--only", only, "gets, puts, turnover");
  CLI11_PARSE(program, argc, argv);
  try {
    if (only.find("gets") != only.npos) measure_gets(o);
    if (only.find("puts") != only.npos) measure_puts(o);
    if (only.find("turnover") != only.npos) measure_turnover(o);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "bench-store: %s\n", e.what());
    return 1;
  }
  return 0;
}
