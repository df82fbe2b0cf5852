#include "tests/support/whole_engine.hpp"

#include "store/http_date.hpp"

namespace cistern::tests {

std::string rss(std::vector<story> const& stories, std::string const& channel) {
  auto out = "<rss version='2.0'><channel><title>A paper</title>" + channel;
  for (auto const& s : stories) {
    auto const when = std::chrono::sys_seconds{std::chrono::seconds{1'900'000'000}} -
                      std::chrono::minutes{s.minutes_ago} - std::chrono::seconds{s.seconds_ago};
    out += "<item><guid isPermaLink='false'>" + s.id + "</guid><title>" + s.title + "</title>";
    if (!s.link.empty()) out += "<link>" + s.link + "</link>";
    out += "<pubDate>" + store::format_http_date(when) + "</pubDate>" + s.extra + "</item>\n";
  }
  return out + "</channel></rss>";
}

}  // namespace cistern::tests
