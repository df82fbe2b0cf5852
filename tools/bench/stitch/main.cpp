// What stitching costs, on pages made up in several sizes: parsing two pages with Gumbo (this room's document),
// novelty, and learning plus stitching; and the most memory it took, as a multiple of the pages: the heap in use at its
// highest, every allocation counted, so that the program's own code and what malloc keeps back do not blur it. See
// docs/stitching.md.

#include "stitch/template/novelty.hpp"
#include "stitch/template/stitch.hpp"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace cistern::stitch;

namespace {

// Only while memory is measured: times are taken without.
bool counting = false;
std::ptrdiff_t in_use = 0, most_in_use = 0;

void* counted(void* p) {
  if (!counting || !p) return p;
  in_use += static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  most_in_use = std::max(most_in_use, in_use);
  return p;
}

void discounted(void* p) {
  if (counting && p) in_use -= static_cast<std::ptrdiff_t>(malloc_usable_size(p));
}

}  // namespace

// glibc's own entry points, so that Gumbo's allocations are counted like ours.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t n) { return counted(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t size) { return counted(__libc_calloc(n, size)); }
void* realloc(void* p, std::size_t n) {
  discounted(p);
  return counted(__libc_realloc(p, n));
}
void free(void* p) {
  discounted(p);
  __libc_free(p);
}
}

namespace {

feed::item item(int n) {
  feed::item i;
  i.title = "The story that was told on day " + std::to_string(n);
  i.link = "https://site.test/2021/story-" + std::to_string(n) + "/";
  i.published = std::chrono::sys_seconds{std::chrono::hours{24 * (17000 + n)}};
  i.categories = {"news", n % 2 == 0 ? "even" : "odd"};
  std::string text;
  for (int w = 0; w < 120; ++w) text += " word" + std::to_string((n * 7 + w * 13) % 997);
  i.content =
      "<p>" + text + ".</p><p>And a <a href=\"https://other.test/" + std::to_string(n) + "\">second</a> part.</p>";
  return i;
}

std::vector<feed::feed> feeds(int newest) {
  feed::feed f;
  for (int n = newest; n > newest - 20; --n) f.items.push_back(item(n));
  return {f};
}

std::string page(int newest, std::size_t bytes) {
  std::string out =
      "<!doctype html><html><head><meta charset=utf-8><title>Site</title></head><body><div id=top class=\"a b\">";
  for (int i = 0; i < 40; ++i)
    out += "<a class=menu href=\"/m" + std::to_string(i) + "\">Entry " + std::to_string(i) + "</a>\n";
  out += "</div><main id=posts>";
  for (int n = newest; out.size() < bytes; --n) {
    auto const i = item(n);
    out += "<article class=\"post hentry\"><header><h2 class=title><a href=\"" + i.link + "\">" + i.title +
           "</a></h2><p class=meta>Day " + std::to_string(n) +
           " <a href=/tag/news>news</a></p></header><div class=entry>" + i.content + "</div></article>\n";
  }
  return out + "</main><footer>static</footer></body></html>";
}

// Of processor time, so that what else the machine does counts less.
double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double milliseconds(int rounds, Work work) {
  double best = 1e18;
  for (int i = 0; i < rounds; ++i) {
    auto const from = now_ms();
    work();
    best = std::min(best, now_ms() - from);
  }
  return best;
}

double memory_over_page(std::size_t bytes) {
  auto const one = page(40000, bytes), two = page(40001, bytes);
  in_use = most_in_use = 0;
  counting = true;
  {
    std::vector<templates::snapshot> snapshots{{html::document::parse(one).value(), feeds(40000)},
                                               {html::document::parse(two).value(), feeds(40001)}};
    (void)templates::stitch("https://site.test/", snapshots, feeds(40002));
  }
  counting = false;
  return static_cast<double>(most_in_use) / static_cast<double>(one.size() + two.size());
}

}  // namespace

int main() {
  std::printf("%9s %9s %9s %9s %9s %9s %9s\n", "page", "parse ms", "novelty", "/parse", "stitch", "/parse", "memory");
  for (std::size_t const bytes : {std::size_t{20'000}, std::size_t{100'000}, std::size_t{500'000},
                                  std::size_t{1'000'000}, std::size_t{5'000'000}}) {
    auto const one = page(40000, bytes), two = page(40001, bytes);
    int const rounds = bytes > 1'000'000 ? 2 : 7;
    auto const parse = milliseconds(rounds, [&] {
      (void)html::document::parse(one);
      (void)html::document::parse(two);
    });
    std::vector<templates::snapshot> const snapshots{{html::document::parse(one).value(), feeds(40000)},
                                                     {html::document::parse(two).value(), feeds(40001)}};
    auto const fresh = feeds(40002);
    auto const novelty =
        milliseconds(rounds, [&] { (void)templates::find_novelty(snapshots[1].page, snapshots[0].page); });
    bool declined = true;
    auto const stitch =
        milliseconds(rounds, [&] { declined = templates::stitch("https://site.test/", snapshots, fresh).declined; });
    std::printf("%7zuKB %9.2f %9.2f %9.2f %9.2f %9.2f %8.1fx%s\n", bytes / 1000, parse, novelty, novelty / parse,
                stitch, stitch / parse, memory_over_page(bytes), declined ? " declined" : "");
  }
}
