/// What the gateway adds to a page: bench-rewrite [FILE...]. For each page (one of 100 kB of our own when none is
/// named) the time of one Gumbo parse, of our parse (Gumbo's and the table of its nodes), of parsing and rewriting, and
/// so of rewriting itself. Times are the thread's own, so that other work on the machine counts little.

#include "stitch/rewrite.hpp"
#include "stitch/html/document.hpp"
#include "stitch/html/gumbo_parse.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace cistern::stitch;

std::string ordinary_page() {
  std::string out =
      "<!doctype html><html><head><title>t</title><link rel=stylesheet href=https://cdn.test/s.css></head><body>";
  for (int i = 0; out.size() < 100'000; ++i)
    out += "<article class=\"post item-" + std::to_string(i) + "\"><h2><a href=\"https://www.site.test/2026/" +
           std::to_string(i) +
           "\">A title of some words</a></h2><p>Text of the summary, which goes on for a while, with <a "
           "href=\"/tag/x\">a tag</a>, "
           "<em>emphasis</em> and more text until it ends.</p><img src=\"https://cdn.test/" +
           std::to_string(i) +
           ".jpg\" srcset=\"https://cdn.test/a.jpg 320w, https://cdn.test/b.jpg 640w\" alt=\"\"></article>\n";
  return out + "</body></html>";
}

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class Work>
double median_ms(Work&& work) {
  std::vector<double> times;
  for (int i = 0; i < 31; ++i) {
    auto const began = thread_ms();
    work();
    times.push_back(thread_ms() - began);
  }
  std::nth_element(times.begin(), times.begin() + 15, times.end());
  return times[15];
}

bool inside(std::string_view absolute, std::string& out) {
  auto const slashes = absolute.find("//") + 2;
  auto const end = std::min(absolute.find('/', slashes), absolute.size());
  out.append("http://")
      .append(absolute.substr(slashes, end - slashes))
      .append(".localhost:8910")
      .append(absolute.substr(end));
  return true;
}

void measure(char const* name, std::string const& page) {
  html::rewrite_options options;
  options.page_url = "https://www.site.test/";
  options.first = "<script src=\"/x\" nonce=\"{nonce}\"></script>";
  std::size_t guard = 0;
  auto const gumbo = median_ms([&] {
    html::arena memory{512u << 20};
    guard += html::gumbo_parse(page, false, 2048, memory) != nullptr;
  });
  auto const parse = median_ms([&] { guard += html::document::parse(page)->size(); });
  auto const whole = median_ms([&] { guard += html::rewritten(page, options, inside)->size(); });
  std::printf(
      "%-32s %7.1f kB  Gumbo %6.2f ms  parse %6.2f ms  parse and rewrite %6.2f ms  rewriting itself %5.2f ms (%.0f%% "
      "of a "
      "Gumbo parse)%s\n",
      name, static_cast<double>(page.size()) / 1000, gumbo, parse, whole, whole - parse, (whole - parse) / gumbo * 100,
      guard ? "" : "!");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) measure("(made here)", ordinary_page());
  for (int i = 1; i < argc; ++i) {
    std::ifstream in{argv[i], std::ios::binary};
    measure(argv[i], {std::istreambuf_iterator<char>{in}, {}});
  }
}
