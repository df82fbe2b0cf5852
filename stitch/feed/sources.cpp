#include "stitch/feed/sources.hpp"

#include "stitch/feed/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cistern::stitch::feed {
namespace {

using std::string_view;
using v = vocabulary;
using f = field;
constexpr auto item = place::item;
constexpr auto channel = place::channel;

constexpr auto table = std::to_array<source>({
    // ---- items
    {item, v::own, "title", f::title, form::html, 0},
    {item, v::atom, "title", f::title, form::html, 1},
    {item, v::dc, "title", f::title, form::html, 2},
    {item, v::dcterms, "title", f::title, form::html, 3},
    {item, v::media, "title", f::title, form::html, 4},
    {item, v::itunes, "title", f::title, form::html, 5},

    {item, v::own, "description", f::summary, form::html, 0},
    {item, v::own, "summary", f::summary, form::html, 1},
    {item, v::own, "abstract", f::summary, form::html, 1},
    {item, v::atom, "summary", f::summary, form::html, 2},
    {item, v::dc, "description", f::summary, form::html, 3},
    {item, v::dcterms, "abstract", f::summary, form::html, 4},
    {item, v::dcterms, "description", f::summary, form::html, 4},
    {item, v::itunes, "summary", f::summary, form::html, 5},
    {item, v::googleplay, "description", f::summary, form::html, 6},
    {item, v::itunes, "subtitle", f::summary, form::html, 7},
    {item, v::media, "description", f::summary, form::html, 8},
    {item, v::atom, "description", f::summary, form::html, 9},  // RSS's names in Atom's namespace, here and below

    {item, v::content, "encoded", f::content, form::html, 0},
    {item, v::own, "encoded", f::content, form::html, 0},
    {item, v::xhtml, "body", f::content, form::html, 1},
    {item, v::xhtml, "div", f::content, form::html, 2},
    {item, v::own, "fullitem", f::content, form::html, 3},
    {item, v::own, "body", f::content, form::html, 3},
    {item, v::atom, "content", f::content, form::html, 4},
    {item, v::own, "content", f::content, form::html, 4},

    {item, v::counter, "origlink", f::link, form::href, -1},
    {item, v::own, "link", f::link, form::link, 0},
    {item, v::atom, "link", f::link, form::link, 1},
    {item, v::own, "a", f::link, form::href, 1},
    {item, v::media, "player", f::link, form::href, last_resort},

    {item, v::own, "guid", f::id, form::text, 0},
    {item, v::atom, "id", f::id, form::text, 1},
    {item, v::own, "id", f::id, form::text, 1},
    // 2 is rdf:about, which is what RSS 1.0 means by an item's identity.
    {item, v::dc, "identifier", f::id, form::text, 3},
    {item, v::dcterms, "identifier", f::id, form::text, 3},
    {item, v::atom, "guid", f::id, form::text, 4},

    {item, v::own, "author", f::author, form::person, 0},
    {item, v::atom, "author", f::author, form::person, 1},
    {item, v::dc, "creator", f::author, form::person, 2},
    {item, v::dcterms, "creator", f::author, form::person, 2},
    {item, v::dc, "author", f::author, form::person, 3},
    {item, v::itunes, "author", f::author, form::person, 4},
    {item, v::googleplay, "author", f::author, form::person, 5},
    {item, v::own, "creator", f::author, form::person, 6},

    {item, v::own, "pubdate", f::published, form::date, 0},
    {item, v::own, "published", f::published, form::date, 1},
    {item, v::atom, "published", f::published, form::date, 1},
    {item, v::own, "issued", f::published, form::date, 2},
    {item, v::atom, "issued", f::published, form::date, 2},
    {item, v::dcterms, "issued", f::published, form::date, 3},
    {item, v::dc, "date", f::published, form::date, 4},
    {item, v::dcterms, "date", f::published, form::date, 4},
    {item, v::own, "date", f::published, form::date, 5},
    {item, v::own, "created", f::published, form::date, 6},
    {item, v::atom, "created", f::published, form::date, 6},
    {item, v::dcterms, "created", f::published, form::date, 7},
    {item, v::atom, "pubdate", f::published, form::date, 8},
    {item, v::own, "updated", f::updated, form::date, 0},
    {item, v::atom, "updated", f::updated, form::date, 0},
    {item, v::own, "modified", f::updated, form::date, 1},
    {item, v::atom, "modified", f::updated, form::date, 1},
    {item, v::dcterms, "modified", f::updated, form::date, 2},
    {item, v::own, "lastbuilddate", f::updated, form::date, 3},

    {item, v::own, "category", f::category, form::category},
    {item, v::atom, "category", f::category, form::category},
    {item, v::dc, "subject", f::category, form::category},
    {item, v::dcterms, "subject", f::category, form::category},
    {item, v::media, "category", f::category, form::category},
    {item, v::itunes, "category", f::category, form::category},
    {item, v::itunes, "keywords", f::category, form::keywords},
    {item, v::media, "keywords", f::category, form::keywords},
    {item, v::own, "tags", f::category, form::keywords},

    {item, v::own, "comments", f::comments, form::text, 0},

    {item, v::own, "enclosure", f::enclosure, form::enclosure},
    {item, v::atom, "enclosure", f::enclosure, form::enclosure},
    {item, v::media, "content", f::enclosure, form::media},
    {item, v::media, "peerlink", f::enclosure, form::enclosure, 2},
    {item, v::counter, "origenclosurelink", f::enclosure, form::href},
    {item, v::media, "group", f::none, form::group},
    {item, v::media, "hash", f::hash, form::text},
    {item, v::podcast, "transcript", f::enclosure, form::enclosure, 2},
    {item, v::podcast, "chapters", f::enclosure, form::enclosure, 2},

    {item, v::media, "thumbnail", f::image, form::href, 0},
    {item, v::itunes, "image", f::image, form::href, 1},
    {item, v::googleplay, "image", f::image, form::href, 2},
    {item, v::itunes, "link", f::none, form::link},  // rel="image", before there was itunes:image
    {item, v::own, "image", f::image, form::image, 3},

    {item, v::atom, "source", f::none, form::source},
    {item, v::own, "source", f::none, form::source},

    // ---- the channel
    {channel, v::own, "title", f::title, form::html, 0},
    {channel, v::atom, "title", f::title, form::html, 1},
    {channel, v::dc, "title", f::title, form::html, 2},
    {channel, v::media, "title", f::title, form::html, 3},
    {channel, v::itunes, "title", f::title, form::html, 4},

    {channel, v::own, "description", f::summary, form::html, 0},
    {channel, v::own, "abstract", f::summary, form::html, 0},
    {channel, v::own, "subtitle", f::summary, form::html, 1},
    {channel, v::atom, "subtitle", f::summary, form::html, 1},
    {channel, v::own, "tagline", f::summary, form::html, 2},
    {channel, v::atom, "tagline", f::summary, form::html, 2},
    {channel, v::dc, "description", f::summary, form::html, 3},
    {channel, v::dcterms, "abstract", f::summary, form::html, 3},
    {channel, v::itunes, "summary", f::summary, form::html, 4},
    {channel, v::googleplay, "description", f::summary, form::html, 5},
    {channel, v::itunes, "subtitle", f::summary, form::html, 6},
    {channel, v::media, "description", f::summary, form::html, 7},
    {channel, v::atom, "description", f::summary, form::html, 8},

    {channel, v::own, "link", f::link, form::link, 0},
    {channel, v::atom, "link", f::link, form::link, 1},
    {channel, v::own, "a", f::link, form::href, 1},

    {channel, v::own, "language", f::language, form::text, 0},
    {channel, v::dc, "language", f::language, form::text, 1},
    {channel, v::dcterms, "language", f::language, form::text, 1},

    {channel, v::own, "lastbuilddate", f::updated, form::date, 0},
    {channel, v::own, "updated", f::updated, form::date, 1},
    {channel, v::atom, "updated", f::updated, form::date, 1},
    {channel, v::own, "modified", f::updated, form::date, 2},
    {channel, v::atom, "modified", f::updated, form::date, 2},
    {channel, v::dcterms, "modified", f::updated, form::date, 3},
    {channel, v::dc, "date", f::updated, form::date, 4},
    {channel, v::own, "pubdate", f::updated, form::date, 5},
    {channel, v::own, "published", f::updated, form::date, 6},
    {channel, v::atom, "published", f::updated, form::date, 6},
    {channel, v::own, "issued", f::updated, form::date, 7},
    {channel, v::atom, "issued", f::updated, form::date, 7},
    {channel, v::dcterms, "issued", f::updated, form::date, 7},
    {channel, v::own, "created", f::updated, form::date, 8},
    {channel, v::atom, "created", f::updated, form::date, 8},
    {channel, v::dcterms, "created", f::updated, form::date, 8},
    {channel, v::atom, "pubdate", f::updated, form::date, 9},
    {channel, v::atom, "lastbuilddate", f::updated, form::date, 9},

    {channel, v::own, "author", f::author, form::person, 0},
    {channel, v::atom, "author", f::author, form::person, 1},
    {channel, v::own, "managingeditor", f::author, form::person, 2},
    {channel, v::dc, "creator", f::author, form::person, 3},
    {channel, v::dcterms, "creator", f::author, form::person, 3},
    {channel, v::itunes, "author", f::author, form::person, 4},
    {channel, v::googleplay, "author", f::author, form::person, 5},
    {channel, v::itunes, "owner", f::author, form::person, 6},

    {channel, v::own, "ttl", f::ttl, form::text},
    {channel, v::own, "skiphours", f::skip_hours, form::values},
    {channel, v::own, "skipdays", f::skip_days, form::values},
    {channel, v::sy, "updateperiod", f::update_period, form::text},
    {channel, v::sy, "updatefrequency", f::update_frequency, form::text},
    {channel, v::sy, "updatebase", f::update_base, form::text},
});

// Addresses without scheme, "www." and closing slash or hash, lower case. A star stands for anything behind.
constexpr auto namespaces = std::to_array<std::pair<string_view, vocabulary>>({
    {"w3.org/2005/atom", v::atom},
    {"purl.org/atom/ns*", v::atom},
    {"purl.org/atom/app*", v::foreign},
    {"purl.org/net/echo*", v::atom},
    {"w3.org/1999/xhtml", v::xhtml},
    {"w3.org/tr/xhtml1*", v::xhtml},
    {"w3.org/1999/02/22-rdf-syntax-ns", v::rdf},
    {"purl.org/dc/terms", v::dcterms},
    {"purl.org/dc/*", v::dc},
    {"purl.org/metadata/dublin_core*", v::dc},
    {"dublincore.org/*", v::dc},
    {"purl.org/rss/1.0/modules/content", v::content},
    {"purl.org/rss/1.0/modules/syndication", v::sy},
    {"purl.org/rss/1.0/modules/dcterms", v::dcterms},
    {"purl.org/rss/1.0/modules/*", v::foreign},
    {"purl.org/rss/1.0", v::own},
    {"purl.org/rss/*", v::own},
    {"purl.org/net/rss1.1*", v::own},
    {"my.netscape.com/*", v::own},
    {"channel.netscape.com/*", v::own},
    {"backend.userland.com/rss*", v::own},
    {"backend.userland.com/blogchannelmodule", v::foreign},
    {"backend.userland.com/*", v::own},
    {"blogs.law.harvard.edu/tech/rss*", v::own},
    {"cyber.law.harvard.edu/rss*", v::own},
    {"rssboard.org/rss*", v::own},
    {"search.yahoo.com/mrss*", v::media},
    {"search.yahoo.com/rss*", v::media},
    {"video.search.yahoo.com/mrss*", v::media},
    {"tools.search.yahoo.com/mrss*", v::media},
    {"itunes.com/dtds/podcast*", v::itunes},
    {"example.com/dtds/podcast*", v::itunes},
    {"google.com/schemas/play-podcasts*", v::googleplay},
    {"podcastindex.org/namespace*", v::podcast},
    {"github.com/podcastindex-org/*", v::podcast},
    {"rssnamespace.org/feedburner/*", v::counter},
    {"pheedo.com/namespace/*", v::counter},
});

constexpr auto prefixes = std::to_array<std::pair<string_view, vocabulary>>({
    {"dc", v::dc},
    {"dcterms", v::dcterms},
    {"content", v::content},
    {"media", v::media},
    {"itunes", v::itunes},
    {"googleplay", v::googleplay},
    {"podcast", v::podcast},
    {"feedburner", v::counter},
    {"pheedo", v::counter},
    {"sy", v::sy},
    {"atom", v::atom},
    {"atom10", v::atom},
    {"atom03", v::atom},
    {"a10", v::atom},
    {"xhtml", v::xhtml},
    {"rdf", v::rdf},
    {"rss", v::own},
    {"rss1", v::own},
});

}  // namespace

source const* find_source(place where, vocabulary whose, string_view name) {
  for (auto const& row : table)
    if (row.where == where && row.whose == whose && row.element == name) return &row;
  return nullptr;
}

namespace {

vocabulary usual_meaning(char const* prefix) {
  if (!prefix) return v::foreign;
  auto const usual = std::ranges::find(prefixes, lowered(prefix), &std::pair<string_view, vocabulary>::first);
  return usual == prefixes.end() ? v::foreign : usual->second;
}

// Those that add elements to other formats' and make no feed themselves.
bool is_module(vocabulary whose) { return whose != v::own && whose != v::atom && whose != v::rdf && whose != v::xhtml; }

}  // namespace

vocabulary vocabulary_of(xml_name const& name) {
  if (!name.uri) return name.prefix ? usual_meaning(name.prefix) : v::own;
  auto const uri = lowered(string_view{name.uri}.substr(0, 200));
  auto bare = trimmed(uri);
  for (string_view const scheme : {"http://", "https://", "www."})
    if (bare.starts_with(scheme)) bare.remove_prefix(scheme.size());
  while (bare.ends_with('/') || bare.ends_with('#')) bare.remove_suffix(1);
  for (auto const& [pattern, whose] : namespaces) {
    bool const open = pattern.ends_with('*');
    auto const stem = pattern.substr(0, pattern.size() - (open ? 1 : 0));
    if (open ? bare.starts_with(stem) : bare == stem) return whose;
  }
  if (bare.empty()) return v::own;
  auto const usual = usual_meaning(name.prefix);
  return is_module(usual) ? usual : v::foreign;  // its address is misspelt
}

}  // namespace cistern::stitch::feed
