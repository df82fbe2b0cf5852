#include "stitch/feed/discovery.hpp"

#include "stitch/feed/text.hpp"
#include "stitch/html/document.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;
using origin = feed_link::origin;

constexpr std::size_t most_found = 200;

bool has_token(string_view list, string_view wanted) {
  while (!(list = trimmed(list)).empty()) {
    auto const token = list.substr(0, list.find_first_of(" \t\r\n\f,"));
    if (same(token, wanted)) return true;
    list.remove_prefix(std::max<std::size_t>(1, token.size()));
  }
  return false;
}

template <std::size_t Size>
bool is_one_of(string_view type, std::array<string_view, Size> const& known) {
  type = trimmed(type.substr(0, type.find(';')));
  return std::ranges::any_of(known, [type](string_view t) { return same(t, type); });
}

// A type that only feeds have.
bool names_a_feed(string_view type) {
  return is_one_of(
      type, std::to_array<string_view>({"application/rss+xml", "application/atom+xml", "application/feed+json",
                                        "application/x.atom+xml", "application/x-atom+xml", "application/rss",
                                        "application/atom", "text/rss+xml", "text/atom+xml", "text/rss", "text/atom"}));
}

bool is_feed_type(string_view type) {
  return names_a_feed(type) ||
         is_one_of(type, std::to_array<string_view>({"application/json", "application/xml", "text/xml",
                                                     "application/rdf+xml", "application/rdf", "text/rdf"}));
}

bool is_format(string_view word) {
  return same(word, "rss") || same(word, "rss2") || same(word, "atom") || same(word, "rdf");
}

// "?feed=rss2", "?format=feed&type=atom", "?rss=1": what programs ask themselves for.
bool asks_for_feed(string_view query) {
  for (query = query.substr(0, query.find('#')); !query.empty();) {
    auto const pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    auto const equals = std::min(pair.size(), pair.find('='));
    if (is_format(pair.substr(0, equals)) || is_format(pair.substr(std::min(pair.size(), equals + 1)))) return true;
  }
  return false;
}

bool looks_like_feed(string_view url) {
  auto const mark = url.find('?');
  if (mark != npos && asks_for_feed(url.substr(mark + 1))) return true;
  auto const path = lowered(url.substr(0, url.find_first_of("?#")));
  for (string_view const end : {".rss", ".rdf", ".atom", "/feed", "/feed/", "/rss", "/rss/", "/atom", "/atom.xml",
                                "/rss.xml", "/feed.xml", "/index.xml", "/feed.json", "/feeds"})
    if (path.ends_with(end)) return true;
  return path.find("feeds.") != string::npos || (path.ends_with(".xml") && path.find("sitemap") == string::npos);
}

// "RSS", "RSS 2.0", "Atom feed". Longer texts tell of such things.
bool is_feed_label(string_view text) {
  text = trimmed(text);
  if (text.size() > 40) return false;
  bool rss = false, atom = false, other = false;
  while (!text.empty()) {
    auto const word = text.substr(0, text.find_first_of(" \t\r\n-:(),./"));
    rss = rss || same(word, "rss");
    atom = atom || same(word, "atom");
    other = other || !(word.empty() || same(word, "atom") || same(word, "feed") || same(word, "xml"));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return rss || (atom && !other);
}

bool is_comments(feed_link const& link) {
  auto const text = lowered(link.url + ' ' + link.title);
  for (string_view const word : {"comment", "kommentar", "coment", "replies"})
    if (text.find(word) != npos) return true;
  return false;
}

// Link: <https://a.example/feed>; rel="alternate"; type="application/rss+xml"; title="A", <...>
void read_link_header(string_view text, string_view base, std::vector<feed_link>& out) {
  while (out.size() < most_found) {
    auto const open = text.find('<');
    auto const close = open == npos ? npos : text.find('>', open);
    if (close == npos) return;
    feed_link found{resolve(base, text.substr(open + 1, close - open - 1)), {}, {}, origin::header};
    text.remove_prefix(close + 1);
    string rel;
    while (!(text = trimmed(text)).empty() && text[0] == ';') {
      text = trimmed(text.substr(1));
      auto const name = trimmed(text.substr(0, text.find_first_of("=;,")));
      text.remove_prefix(std::min(text.size(), text.find_first_of("=;,")));
      string_view value;
      if (!text.empty() && text[0] == '=') {
        text = trimmed(text.substr(1));
        bool const quoted = text.starts_with('"');
        if (quoted) text.remove_prefix(1);
        value = text.substr(0, quoted ? text.find('"') : text.find_first_of(";,"));
        text.remove_prefix(std::min(text.size(), value.size() + (quoted ? 1 : 0)));
      }
      if (same(name, "rel"))
        rel = value;
      else if (same(name, "type"))
        found.type = trimmed(value);
      else if (same(name, "title"))
        found.title = trimmed(value);
    }
    if (has_token(rel, "alternate") && is_feed_type(found.type)) out.push_back(std::move(found));
  }
}

// A label is short, and so is the part of the page that holds it: nested links do not each cost the text inside.
bool is_labelled(html::document const& page, html::node_id link) {
  constexpr html::node_id most_nodes = 16;
  return page[link].end - link <= most_nodes && is_feed_label(page.text_of(link));
}

void read_page(html::document const& page, string_view base, std::vector<feed_link>& declared,
               std::vector<feed_link>& linked) {
  for (html::node_id at = 1; at < page.size(); ++at) {
    bool const link = page.is(at, "link");
    if (!link && !page.is(at, "a") && !page.is(at, "area")) continue;
    auto const href = trim_url(page.attribute_or_empty(at, "href"));
    if (href.empty()) continue;
    auto const rel = page.attribute_or_empty(at, "rel");
    auto const type = page.attribute_or_empty(at, "type");
    bool const typed = is_feed_type(type);
    auto url = resolve(
        base, same(href.substr(0, 5), "feed:")
                  ? (href.substr(5).starts_with("//") ? "http:" + string{href.substr(5)} : string{href.substr(5)})
                  : string{href});
    if (!is_web_url(url)) continue;
    auto& to = link ? declared : linked;
    if (to.size() >= most_found) continue;
    bool const named = has_token(rel, "feed") && !has_token(rel, "stylesheet");
    // Without any rel, a type that only feeds have says what the link is for.
    bool const alternate = trimmed(rel).empty() ? names_a_feed(type)
                                                : typed && has_token(rel, "alternate") && !has_token(rel, "stylesheet");
    if (link && !named && !alternate) continue;
    if (!link && !typed && !looks_like_feed(url) && !is_labelled(page, at)) continue;
    auto title =
        link ? string{trimmed(page.attribute_or_empty(at, "title"))} : string{trimmed(clipped(page.text_of(at), 200))};
    to.push_back(
        {std::move(url), std::move(title), string{trimmed(type)}, link ? origin::link_element : origin::anchor});
  }
}

// As much of the start of a page as can be parsed in little memory. Pages are smaller; where one is not, its feeds are
// declared at its head.
std::optional<html::document> parsed_head(page_to_search const& page) {
  html::parse_options options;
  options.content_type = page.content_type;
  options.limits.memory = 96U << 20;
  for (std::size_t const size : {4U << 20, 1U << 20, 128U << 10})
    if (auto parsed = html::document::parse(page.bytes.substr(0, size), options)) return std::move(*parsed);
  return {};
}

}  // namespace

std::vector<feed_link> discover(page_to_search const& page) {
  std::vector<feed_link> declared, linked, out;
  for (auto const header : page.link_headers) read_link_header(header, page.base, declared);
  if (auto const parsed = parsed_head(page)) {
    auto const base = parsed->base_href().empty() ? string{page.base} : resolve(page.base, parsed->base_href());
    read_page(*parsed, base, declared, linked);
  }
  std::unordered_set<string> seen;
  for (auto* list : {&declared, &linked}) {
    std::stable_partition(list->begin(), list->end(), [](feed_link const& l) { return !is_comments(l); });
    for (auto& each : *list)
      if (seen.insert(each.url).second) out.push_back(std::move(each));
  }
  if (out.empty() && is_web_url(page.base))
    for (string_view const path : {"/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.xml", "/feed.json", "/rss"})
      out.push_back({resolve(page.base, path), {}, {}, origin::guess});
  return out;
}

}  // namespace cistern::stitch::feed
