#include "tools/demo/newspaper.hpp"

#include "tools/demo/pictures.hpp"
#include "tools/demo/recording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace cistern::demo {
namespace {

constexpr std::size_t on_homepage = 8, in_sidebar = 6, in_feed = 15;

constexpr std::string_view look = R"(
*{box-sizing:border-box}
body{margin:0;font:17px/1.6 Georgia,"Noto Serif","DejaVu Serif",serif;color:#1d2a30;background:#fbfaf6}
header{border-bottom:3px double #1d2a30;text-align:center;padding:1.4rem 1rem .9rem}
header h1{margin:0;font-size:2.5rem;letter-spacing:.01em}
header h1 a{color:inherit;text-decoration:none}
header p{margin:.1rem 0 0;color:#6b767a;font-style:italic}
.page{max-width:62rem;margin:0 auto;padding:1.4rem 1rem 2rem;display:grid;grid-template-columns:minmax(0,1fr) 15rem;gap:2.4rem}
main article{border-bottom:1px solid #d9d5c8;padding:0 0 1rem;margin:0 0 1.1rem}
main h2{margin:0;font-size:1.35rem;line-height:1.25}
a{color:#0b5f7a}
main h2 a{color:#1d2a30;text-decoration:none}
.by{margin:.15rem 0 .35rem;color:#6b767a;font-size:.85rem}
main p{margin:0}
aside{font-size:.95rem}
aside h3{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:#6b767a;border-bottom:1px solid #d9d5c8;margin:0 0 .5rem}
aside ul{list-style:none;margin:0 0 1.6rem;padding:0}
aside li{margin:0 0 .5rem;line-height:1.35}
img{max-width:100%;height:auto;border-radius:4px}
.story p{margin:0 0 1rem}.story img{margin:.6rem 0 1rem}
footer{text-align:center;color:#6b767a;font-size:.85rem;padding:1rem}
@media(max-width:640px){.page{grid-template-columns:1fr;gap:1rem}}
)";

/// Feeds carry such things; whoever shows this one must have taken it out.
constexpr std::string_view trick = "<script>document.title = 'a script of the feed ran'</script>";

constexpr std::array<char const*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<char const*, 12> months{"January", "February", "March",     "April",   "May",      "June",
                                             "July",    "August",   "September", "October", "November", "December"};

std::string format(char const* pattern, auto... values) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

struct moment {
  int year = 0, hour = 0, minute = 0, second = 0;
  unsigned month = 0, day = 0, weekday = 0;
};

moment split(std::chrono::sys_seconds time) {
  auto const day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day const date{day};
  std::chrono::hh_mm_ss const clock{time - day};
  return {static_cast<int>(date.year()),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          std::chrono::weekday{day}.c_encoding()};
}

/// "17 November 2026, 14:05", as the page shows it.
std::string readable(std::chrono::sys_seconds time) {
  auto const m = split(time);
  return format("%u %s %d, %02d:%02d", m.day, months[m.month - 1], m.year, m.hour, m.minute);
}

/// RFC 822, as RSS wants it.
std::string rss_date(std::chrono::sys_seconds time) {
  auto const m = split(time);
  return format("%s, %02u %.3s %04d %02d:%02d:%02d GMT", days[m.weekday], m.day, months[m.month - 1], m.year, m.hour,
                m.minute, m.second);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string frame(std::string const& name, std::string const& title, std::string const& inside) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>" +
         escaped(title) +
         "</title>\n<link rel=\"stylesheet\" href=\"/look.css\">\n<link rel=\"alternate\" "
         "type=\"application/rss+xml\" title=\"" +
         escaped(name) + "\" href=\"/feed.xml\">\n</head>\n<body>\n<header><h1><a href=\"/\">" + escaped(name) +
         "</a></h1><p>Made up on this machine, for trying Cistern</p></header>\n<div class=\"page\">\n" + inside +
         "</div>\n<footer>Nobody in this paper exists.</footer>\n</body>\n</html>\n";
}

}  // namespace

newspaper::newspaper(std::string name, std::chrono::sys_seconds now, std::uint32_t stories, std::uint32_t first)
    : name_{std::move(name)}, first_{first} {
  for (std::uint32_t i = 0; i < stories; ++i)
    posted_.push_back({write_story(first + i), now - std::chrono::hours{stories - 1 - i}});
}

void newspaper::post(std::chrono::sys_seconds now, std::string title) {
  auto made = write_story(first_ + static_cast<std::uint32_t>(posted_.size()));
  if (!title.empty()) made.title = std::move(title);
  posted_.push_back({std::move(made), now});
  ++version_;
}

newspaper::posting const* newspaper::find(std::string_view number) const {
  std::uint32_t wanted = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (error != std::errc{} || end != number.data() + number.size()) return nullptr;
  auto const at = std::ranges::find_if(posted_, [&](posting const& p) { return p.story.number == wanted; });
  return at == posted_.end() ? nullptr : &*at;
}

std::string newspaper::tag(std::string_view of) const {
  return '"' + std::string{of} + '-' + std::to_string(version_) + '"';
}

std::optional<document> newspaper::at(std::string_view path, std::string const& origin) const {
  if (path == "/") return document{"text/html; charset=utf-8", homepage(), tag("home")};
  if (path == "/feed.xml") return document{"application/rss+xml; charset=utf-8", feed(origin), tag("feed")};
  if (path == "/look.css") return document{"text/css; charset=utf-8", std::string{look}, "\"look\""};
  if (path == "/recording.wav" && with_recording_) return document{"audio/x-wav", recording(), "\"tape\""};
  if (path.starts_with("/story/")) {
    auto const* const p = find(path.substr(7));
    if (p) return document{"text/html; charset=utf-8", article(*p), "\"story\""};
  }
  if (path.starts_with("/picture/") && path.ends_with(".png")) {
    auto const* const p = find(path.substr(9, path.size() - 13));
    if (p) return document{"image/png", draw_landscape(p->story.number), "\"picture\""};
  }
  return std::nullopt;
}

std::string newspaper::homepage() const {
  std::string inside = "<main>\n";
  auto const shown = std::min(on_homepage, posted_.size());
  for (std::size_t i = 0; i < shown; ++i) {
    auto const& p = posted_[posted_.size() - 1 - i];
    auto const n = std::to_string(p.story.number);
    inside += "<article><h2><a href=\"/story/" + n + "\">" + escaped(p.story.title) + "</a></h2>\n<p class=\"by\">" +
              escaped(p.story.author) + " · <time>" + readable(p.when) + "</time></p>\n<p>" + escaped(p.story.summary) +
              "</p></article>\n";
  }
  inside += "</main>\n<aside><h3>Latest</h3>\n<ul>\n";
  for (std::size_t i = 0; i < std::min(in_sidebar, posted_.size()); ++i) {
    auto const& p = posted_[posted_.size() - 1 - i];
    inside += "<li><a href=\"/story/" + std::to_string(p.story.number) + "\">" + escaped(p.story.title) + "</a></li>\n";
  }
  inside +=
      "</ul>\n<h3>About</h3>\n<p>A paper for a valley with one road, one brook and a link that comes and "
      "goes.</p></aside>\n";
  return frame(name_, name_, inside);
}

std::string newspaper::article(posting const& p) const {
  std::string inside = "<main class=\"story\">\n<h2>" + escaped(p.story.title) + "</h2>\n<p class=\"by\">" +
                       escaped(p.story.author) + " · <time>" + readable(p.when) + "</time> · " +
                       escaped(p.story.section) + "</p>\n<img src=\"/picture/" + std::to_string(p.story.number) +
                       ".png\" width=\"640\" height=\"320\" alt=\"The valley\">\n";
  for (auto const& text : p.story.paragraphs) inside += "<p>" + escaped(text) + "</p>\n";
  return frame(name_, p.story.title, inside + "</main>\n<aside><p><a href=\"/\">All of today</a></p></aside>\n");
}

std::string newspaper::feed(std::string const& origin) const {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" "
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel>\n<title>" +
      escaped(name_) + "</title>\n<link>" + origin + "/</link>\n<description>News of a valley</description>\n";
  for (std::size_t i = 0; i < std::min(in_feed, posted_.size()); ++i) {
    auto const& p = posted_[posted_.size() - 1 - i];
    auto const link = origin + "/story/" + std::to_string(p.story.number);
    std::string text = "<p>" + escaped(p.story.summary) + "</p><p><img src=\"/picture/" +
                       std::to_string(p.story.number) + ".png\" alt=\"The valley\"></p>" + std::string{trick};
    for (auto const& paragraph : p.story.paragraphs) text += "<p>" + escaped(paragraph) + "</p>";
    out += "<item><title>" + escaped(p.story.title) + "</title><link>" + link + "</link><guid>" + link +
           "</guid><pubDate>" + rss_date(p.when) + "</pubDate><dc:creator>" + escaped(p.story.author) +
           "</dc:creator><category>" + escaped(p.story.section) + "</category>\n<description>" +
           escaped(p.story.summary) +
           "</description>\n<content:encoded xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><![CDATA[" +
           text + "]]></content:encoded>";
    if (with_recording_ == p.story.number)
      out += "<enclosure url=\"" + origin + "/recording.wav\" type=\"audio/x-wav\" length=\"" +
             std::to_string(recording().size()) + "\"/>";
    out += "</item>\n";
  }
  return out + "</channel></rss>\n";
}

}  // namespace cistern::demo
