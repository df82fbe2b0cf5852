/// bench-store: the repository against LMDB with nothing around it, over the same data in the same run.

#include "store/repository.hpp"
#include "tools/bench/bare_lmdb.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include <time.h>

namespace {

using namespace cistern;
using bench::bare_lmdb;
using std::chrono::steady_clock;

struct options {
  std::string folder;
  std::uint64_t objects = 20'000;
  std::uint64_t gets = 100'000;
  int rounds = 5;
  std::uint64_t puts = 4'000;
  std::uint64_t quota_mib = 64;
};

constexpr std::size_t body_size = 10'000;

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

void measure_gets(options const& o) {
  store::repository repo{{.path = o.folder + "/gets", .quota = 4ull << 30, .map_reserve = 8ull << 30}};
  bare_lmdb bare{o.folder + "/bare"};
  std::deque<std::future<store::result<store::stored_object>>> waiting;
  bare.begin_write();
  for (std::uint64_t i = 0; i < o.objects; ++i) {
    auto body = body_of(i);
    bare.put(key_of(repo, i), body);
    waiting.push_back(repo.put(head_of(i), std::move(body), boost::asio::use_future));
    if (waiting.size() < 512) continue;
    waiting.front().get().value();
    waiting.pop_front();
  }
  bare.commit();
  for (auto& w : waiting) w.get().value();

  std::vector<std::uint64_t> order(o.gets);
  std::mt19937_64 random{1};
  for (auto& i : order) i = random() % o.objects;
  std::vector<std::string> urls;
  std::vector<bench::bare_key> keys;
  for (auto const i : order) urls.push_back(url_of(i));
  for (auto const i : order) keys.push_back(key_of(repo, i));

  std::string body;
  std::vector<double> ours, renewed, one_long, ratios;
  for (int round = 0; round <= o.rounds; ++round) {  // the first warms the page cache and is not counted
    auto start = cpu_seconds();
    for (auto const& url : urls)
      if (auto const found = repo.find_with_body(url, {}, body_size, body);
          !found || !*found || body.size() != body_size)
        throw std::runtime_error{"a stored object is not there"};
    auto const a = cpu_seconds() - start;
    start = cpu_seconds();
    for (auto const& key : keys) {
      bare.begin_read();
      bare.get(key, body);
      bare.end_read();
    }
    auto const b = cpu_seconds() - start;
    start = cpu_seconds();
    bare.begin_read();
    for (auto const& key : keys) bare.get(key, body);
    bare.end_read();
    auto const c = cpu_seconds() - start;
    if (round == 0) continue;
    ours.push_back(static_cast<double>(o.gets) / a);
    renewed.push_back(static_cast<double>(o.gets) / b);
    one_long.push_back(static_cast<double>(o.gets) / c);
    ratios.push_back(b / a);
  }
  std::printf(
      "gets per second of processor time: repository %.0f, bare LMDB renewed %.0f, bare LMDB one transaction %.0f\n",
      median(ours), median(renewed), median(one_long));
  std::printf("gets     repository / bare renewed: median %.0f%% (%.0f%% to %.0f%%), goal 70%%\n", 100 * median(ratios),
              100 * *std::min_element(ratios.begin(), ratios.end()),
              100 * *std::max_element(ratios.begin(), ratios.end()));
  print_memory("gets");
}

void measure_puts(options const& o) {
  constexpr int writers = 64;
  std::vector<std::string> bodies;
  for (std::uint64_t i = 0; i < o.puts; ++i) bodies.push_back(body_of(1'000'000 + i));
  store::repository repo{{.path = o.folder + "/puts", .quota = 4ull << 30, .map_reserve = 8ull << 30}};
  std::atomic<std::uint64_t> next{0};
  std::vector<std::vector<double>> latencies(writers);
  auto start = steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < writers; ++w)
      threads.emplace_back([&, w] {
        for (auto i = next++; i < o.puts; i = next++) {
          auto const begun = steady_clock::now();
          repo.put(head_of(i), bodies[i], boost::asio::use_future).get().value();
          latencies[static_cast<std::size_t>(w)].push_back(1000 * seconds_since(begun));
        }
      });
  }
  auto const ours = static_cast<double>(o.puts) / seconds_since(start);
  auto const commits = repo.measure().value().commits;

  bare_lmdb bare{o.folder + "/bareputs"};
  auto const fewer = std::max<std::uint64_t>(o.puts / 10, 1);
  start = steady_clock::now();
  for (std::uint64_t i = 0; i < fewer; ++i) {
    bare.begin_write();
    bare.put(key_of(repo, i), bodies[i]);
    bare.commit();
  }
  auto const single = static_cast<double>(fewer) / seconds_since(start);
  std::vector<double> all;
  for (auto const& some : latencies) all.insert(all.end(), some.begin(), some.end());
  std::printf("puts/s   repository with %d writers %.0f, bare LMDB a commit a put %.0f: %.1f times, goal 20\n", writers,
              ours, single, ours / single);
  std::printf("puts     %.1f a commit, %.0f commits/s, latency p50 %.1f ms, p99 %.1f ms\n",
              static_cast<double>(o.puts) / static_cast<double>(commits),
              static_cast<double>(commits) * ours / static_cast<double>(o.puts), at_quantile(all, 0.5),
              at_quantile(all, 0.99));
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
