#pragma once

/// A made-up site for stitching tests: story n was posted on day n of 2021.

#include "stitch/template/stitch.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cistern::tests::site {

using namespace cistern::stitch;
using templates::outcome;
using templates::snapshot;

inline constexpr auto base = "https://blog.test/";

// Item n of the test site, posted on day n.
inline feed::item item(int n) {
  using namespace std::chrono;
  feed::item i;
  i.title = "Story number " + std::to_string(n);
  i.link = "https://blog.test/story-" + std::to_string(n) + ".html";
  i.published = sys_days{2021y / January / 1} + days{n} + hours{12};
  std::string words;
  for (int w = 0; w < 60; ++w) words += " word" + std::to_string(n) + "x" + std::to_string(w);
  i.content = "<p>Opening of <a href=\"https://blog.test/about\">story</a> " + std::to_string(n) + words +
              "</p><p>Second part</p>";
  return i;
}

inline std::vector<feed::feed> feed_of(int newest, int count) {
  feed::feed f;
  for (int n = newest; n > newest - count; --n) f.items.push_back(item(n));
  return {f};
}

using record_text = std::function<std::string(int)>;

inline std::string page_of(int newest, int count, record_text const& record) {
  std::string out =
      "<!doctype html><html><head><title>Blog</title></head><body><h1><a href=/>Blog</a></h1><div id=posts>\n";
  for (int n = newest; n > newest - count; --n) out += record(n) + "\n";
  return out + "</div><p>About this site</p></body></html>";
}

inline snapshot saved(std::string const& page, std::vector<feed::feed> feeds) {
  return {html::document::parse(page).value(), std::move(feeds)};
}

inline std::string link_to(int n) {
  return "<a href=\"/story-" + std::to_string(n) + ".html\">Story number " + std::to_string(n) + "</a>";
}

inline std::string plain_record(int n) {
  using namespace std::chrono;
  year_month_day const date{sys_days{2021y / January / 1} + days{n}};
  auto const day = std::to_string(static_cast<unsigned>(date.day())),
             month = std::to_string(static_cast<unsigned>(date.month()));
  return "<div class=post><h2>" + link_to(n) + "</h2><span class=date>" + day + "." + month +
         ".2021</span><p>Opening of <a href=\"https://blog.test/about\">story</a> " + std::to_string(n) + "</p></div>";
}

inline outcome next_page(record_text const& record, int shown = 5, int in_feed = 5) {
  return templates::stitch(base,
                           {saved(page_of(10, shown, record), feed_of(10, in_feed)),
                            saved(page_of(11, shown, record), feed_of(11, in_feed))},
                           feed_of(12, in_feed));
}

// White space aside.
inline std::string squeezed(std::string const& s) {
  std::string out;
  for (char const c : s)
    if (c != ' ' && c != '\n') out += c;
  return out;
}

inline std::string without_labels(std::string s) {
  for (auto at = s.find(" data-cistern-item=\""); at != std::string::npos; at = s.find(" data-cistern-item=\""))
    s.erase(at, s.find('"', at + 20) + 1 - at);
  return s;
}

}  // namespace cistern::tests::site
