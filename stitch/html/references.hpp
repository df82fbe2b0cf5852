#pragma once

/// Every address in a page: where it stands, what it is for, what it means.
///
/// One table says which attribute of which element holds addresses and how they are written there. Both who fetches
/// what a page needs (html/requisites.hpp) and who makes a page point elsewhere (html/rewrite.hpp) walk it, so that
/// neither can know a place that the other forgets.

#include "stitch/html/document.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::stitch::html {

/// What an address is for.
enum class reference_kind : std::uint8_t {
  link,       // a, area: somewhere to go
  form,       // where a form is sent
  refresh,    // where <meta http-equiv=refresh> leads
  next_page,  // rel=next: the rest of the same text
  relation,   // other <link>s: canonical, alternate, author, search ...
  base,       // <base href>
  ping,       // told when a link is followed
  hint,       // dns-prefetch, preconnect, prefetch: nothing the page needs
  image,
  poster,  // what stands for a video that does not play yet
  icon,
  style,
  font,
  script,
  media,  // audio and video
  track,
  frame,
  object,  // object, embed: whatever the plug-in, or an image
  manifest,
};

/// How a place writes its addresses.
enum class value_syntax : std::uint8_t {
  url,
  urls,          // several, blanks between
  srcset,        // candidates with descriptors
  declarations,  // CSS: a style attribute, an SVG presentation attribute
  sheet,         // CSS: the text of <style>
  refresh,       // "5; url=..."
  html,          // a whole page: srcdoc
  import_map,    // JSON
};

/// One place that holds addresses: the value of an attribute or the text of an element.
struct carrier {
  node_id node = no_node;
  html::attribute const* attribute = nullptr;  // null: the element's text. Lives as long as the document
  reference_kind kind = reference_kind::link;
  value_syntax syntax = value_syntax::url;
  bool lazy = false;                 // an attribute of no standard from which scripts take the real address
  std::uint32_t begin = 0, end = 0;  // bytes of the value in the source, quotes not included; empty: not in the source
};

/// In document order; an element that the parser cloned counts once.
[[nodiscard]] std::vector<carrier> carriers(document const& page);
/// What stands there, decoded. The text of <style> as the source has it.
[[nodiscard]] std::string_view value_of(document const& page, carrier const& c) noexcept;

/// One candidate of a srcset.
struct image_candidate {
  std::string_view written;
  std::uint32_t begin = 0, end = 0;  // of the address in the attribute's decoded value
  double density = 1;
  std::uint32_t width = 0;  // 0 when given by density
};
/// As browsers split it (HTML, "parse a srcset attribute"); what is malformed is left out.
[[nodiscard]] std::vector<image_candidate> candidates_of(std::string_view srcset);

/// The address in a refresh, as a range of the content; empty when it only reloads.
struct text_range {
  std::size_t begin = 0, end = 0;
};
[[nodiscard]] text_range refresh_target(std::string_view content);

/// One address.
struct reference {
  reference_kind kind = reference_kind::link;
  std::string url;                   // resolved against <base>
  std::uint32_t place = 0;           // index into `places`
  double density = 1;                // of a candidate
  std::uint32_t width = 0;           // of a candidate, 0 when given by density
  std::uint32_t begin = 0, end = 0;  // source bytes of the whole value it stands in
};

struct page_references {
  std::string base;  // what relative addresses start from
  std::vector<carrier> places;
  std::vector<reference> found;  // in document order; no data:, javascript: and the like
};

struct reference_limits {
  std::size_t references = 50'000;
  std::size_t url = 8'192;  // longer ones are not addresses anyone serves
};

[[nodiscard]] page_references references(document const& page, std::string_view page_url,
                                         reference_limits const& limits = {});

[[nodiscard]] bool is_module_address(std::string_view specifier) noexcept;
/// The addresses in an import map's values; empty when it is no JSON.
[[nodiscard]] std::vector<std::string> import_map_urls(std::string_view json);

/// Whether one of the blank-separated words of a list is `word`, without regard to case.
[[nodiscard]] bool has_word(std::string_view list, std::string_view word) noexcept;

}  // namespace cistern::stitch::html
