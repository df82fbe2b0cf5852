// build/<preset>/bench-search [--items N] [--data DIR]: what the search index costs at that many items.
// docs/search.md has its numbers.

#include "sync/search/indexer.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <thread>

using namespace cistern;
using std::chrono::steady_clock;

namespace {

double seconds_since(steady_clock::time_point begun) {
  return std::chrono::duration<double>(steady_clock::now() - begun).count();
}

/// Of this process, as the kernel counts it.
std::uint64_t memory(std::string const& name) {
  std::ifstream in{"/proc/self/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) return std::stoull(line.substr(line.find(':') + 1)) << 10;
  return 0;
}

/// Words as often as in real text: the n-th has the share 1/n (Zipf).
class author {
public:
  author() {
    double sum = 0;
    for (std::size_t n = 1; n <= 40'000; ++n) shares_.push_back(sum += 1.0 / static_cast<double>(n));
  }
  std::string word() {
    auto const at = std::uniform_real_distribution<double>{0, shares_.back()}(dice_);
    auto n = static_cast<std::size_t>(std::ranges::lower_bound(shares_, at) - shares_.begin());
    constexpr std::string_view parts[] = {"ba",  "ke",  "mi",  "to", "ru",  "sal", "den", "vor",
                                          "lin", "gas", "per", "wo", "chi", "fen", "ast", "ul"};
    std::string out;
    do out += parts[n % 16];
    while ((n /= 16) > 0);
    return out;
  }
  std::string text(std::size_t words) {
    std::string out;
    for (std::size_t n = 0; n < words; ++n) (out += n % 60 == 0 ? "<p>" : " ") += word();
    return out;
  }
  std::string chinese(std::size_t characters) {
    std::string out = "<p>";
    for (std::size_t n = 0; n < characters; ++n) {
      auto const at = std::uniform_real_distribution<double>{0, shares_[4999]}(dice_);
      auto const c = 0x4E00 + static_cast<unsigned>(std::ranges::lower_bound(shares_, at) - shares_.begin());
      for (auto const byte : {0xE0 | (c >> 12), 0x80 | ((c >> 6) & 0x3F), 0x80 | (c & 0x3F)})
        out += static_cast<char>(byte);
      if (n % 20 == 19) out += "。";
    }
    return out;
  }

private:
  std::mt19937_64 dice_{7};
  std::vector<double> shares_;
};

void write(store::repository& kept, std::vector<store::item> items) {
  std::promise<void> done;
  auto task = [items = std::move(items)](store::write_batch& b) {
    for (auto const& item : items) b.put_item(item);
    return true;
  };
  kept.write(std::move(task), [&done](store::result<bool> const&) { done.set_value(); });
  done.get_future().get();
}

std::uint64_t fill(store::repository& kept, std::size_t count, author& by) {
  std::uint64_t bytes = 0;
  std::vector<store::item> items;
  for (std::size_t n = 0; n < count; ++n) {
    auto& item = items.emplace_back(store::item{.subscription = 1 + n % 200});
    item.identity = kept.url_digest("item " + std::to_string(n));
    item.title = by.word() + ' ' + by.word() + ' ' + by.word();
    item.link = "http://site" + std::to_string(n % 200) + ".test/" + std::to_string(n);
    item.content = n % 10 == 0 ? by.chinese(800) : by.text(100 + n % 900);
    item.published = item.first_seen = std::chrono::sys_seconds{std::chrono::minutes{28'000'000 + n}};
    bytes += item.title.size() + item.content.size();
    if (items.size() == 500) write(kept, std::exchange(items, {}));
  }
  write(kept, std::move(items));
  return bytes;
}

void ask(store::search_index& index, std::string const& what, std::vector<std::string> const& queries) {
  std::vector<double> took;
  std::size_t found = 0;
  for (auto const& words : queries) {
    auto const begun = steady_clock::now();
    auto const page = index.find({.words = words, .patience = std::chrono::seconds{30}});
    took.push_back(seconds_since(begun) * 1000);
    found += page ? page->hits.size() : 0;
  }
  std::ranges::sort(took);
  std::printf("%-34s p50 %7.1f ms  p99 %7.1f ms  (%zu queries, %.1f results a page)\n", what.c_str(),
              took[took.size() / 2], took[took.size() * 99 / 100], took.size(),
              static_cast<double>(found) / static_cast<double>(took.size()));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"what the search index costs"};
  std::size_t count = 20'000;
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "cistern-bench-search";
  program.add_option("--items", count);
  program.add_option("--data", folder);
  CLI11_PARSE(program, argc, argv);
  std::filesystem::remove_all(folder);
  {
    store::repository kept{{.path = folder, .map_reserve = 8ull << 30}};
    author by;
    auto const text = fill(kept, count, by);
    std::printf("%zu items, %.1f MB of text\n", count, static_cast<double>(text) / 1e6);
    store::search_index index{{.folder = folder}};
    sync::indexer indexing{kept, index};
    if (!indexing.begin()) return 1;
    auto const before = memory("RssAnon");
    std::uint64_t most = 0;
    auto const begun = steady_clock::now();
    for (;;) {
      auto const step = indexing.step();
      if (!step) return 1;
      most = std::max(most, memory("RssAnon"));
      if (*step == sync::indexing_step::done) break;
    }
    auto const took = seconds_since(begun);
    std::printf("indexed twice over (marks, walk)   %.0f items/s, %.1f s\n", static_cast<double>(count) / took, took);
    std::printf("memory while indexing              %.1f MB more at most (anonymous, over %.1f MB)\n",
                static_cast<double>(most - before) / 1e6, static_cast<double>(before) / 1e6);
    index.close();
    if (!index.open()) return 1;
    std::printf("index                              %.1f MB, %.2f bytes a byte of text\n",
                static_cast<double>(index.file_bytes()) / 1e6,
                static_cast<double>(index.file_bytes()) / static_cast<double>(text));
    std::vector<std::string> one, two, begun_words, phrases, chinese;
    for (int n = 0; n < 200; ++n) {
      one.push_back(by.word() + ' ');
      two.push_back(by.word() + ' ' + by.word() + ' ');
      begun_words.push_back(by.word().substr(0, 3));
      phrases.push_back('"' + by.word() + ' ' + by.word() + '"');
      chinese.push_back(by.chinese(2).substr(3, 6));
    }
    ask(index, "one word, as often as it is used", one);
    ask(index, "two words", two);
    ask(index, "the beginning of a word", begun_words);
    ask(index, "a phrase of two", phrases);
    ask(index, "two Chinese characters", chinese);
    ask(index, "the most frequent word of all", std::vector<std::string>(50, "ba "));
  }
  std::filesystem::remove_all(folder);
}
