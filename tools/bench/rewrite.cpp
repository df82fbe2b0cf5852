/// What the gateway adds to a page: bench-rewrite [FILE...]. For each page (one of 100 kB of our own when none is
/// named) the time of one Gumbo parse, of parsing and rewriting, and so of rewriting itself.

#include "stitch/rewrite.hpp"
#include "stitch/html/document.hpp"

#include <algorithm>
#include <chrono>
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

template <class Work>
double median_ms(Work&& work) {
  std::vector<double> times;
  for (int i = 0; i < 31; ++i) {
    auto const began = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
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
  auto const parse = median_ms([&] { guard += html::document::parse(page)->size(); });
  auto const whole = median_ms([&] { guard += html::rewritten(page, options, inside)->size(); });
  std::printf(
      "%-32s %7.1f kB  parse %6.2f ms  parse and rewrite %6.2f ms  rewriting itself %5.2f ms (%.0f%% of a parse)%s\n",
      name, static_cast<double>(page.size()) / 1000, parse, whole, whole - parse, (whole - parse) / parse * 100,
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
