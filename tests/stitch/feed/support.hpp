#pragma once

#include "stitch/feed/date.hpp"
#include "stitch/feed/reader.hpp"

#include <string>
#include <string_view>

namespace cistern::tests {

using stitch::feed::feed;
using stitch::feed::item;

inline feed read(std::string_view bytes, std::string base = "", std::string content_type = "") {
  stitch::feed::reader_options options;
  options.base = std::move(base);
  options.content_type = std::move(content_type);
  auto out = stitch::feed::parse(bytes, std::move(options));
  return out ? *out : feed{};
}

inline bool is_feed(std::string_view bytes) { return stitch::feed::parse(bytes).has_value(); }

inline std::string const namespaces =
    " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/'"
    " xmlns:atom='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'"
    " xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:dcterms='http://purl.org/dc/terms/'"
    " xmlns:sy='http://purl.org/rss/1.0/modules/syndication/' xmlns:slash='http://purl.org/rss/1.0/modules/slash/'";

inline std::string rss(std::string_view channel) {
  return "<rss version='2.0'" + namespaces + "><channel>" + std::string{channel} + "</channel></rss>";
}
inline std::string atom(std::string_view inside) {
  return "<feed xmlns='http://www.w3.org/2005/Atom'>" + std::string{inside} + "</feed>";
}

/// The one item of an RSS feed, or an empty one.
inline item rss_item(std::string_view inside, std::string base = "") {
  auto f = read(rss("<item>" + std::string{inside} + "</item>"), std::move(base));
  return f.items.size() == 1 ? f.items[0] : item{};
}
inline item atom_entry(std::string_view inside, std::string base = "") {
  auto f = read(atom("<entry>" + std::string{inside} + "</entry>"), std::move(base));
  return f.items.size() == 1 ? f.items[0] : item{};
}

inline std::string time_of(std::optional<std::chrono::sys_seconds> const& time) {
  return time ? stitch::feed::format_date(*time) : "";
}

}  // namespace cistern::tests
