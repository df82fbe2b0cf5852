#include "stitch/html/reference_table.hpp"

#include "stitch/url.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::html {
namespace {

using std::string_view;
using kind = reference_kind;
using syntax = value_syntax;

struct row {
  string_view attribute;
  string_view element;  // "*" any, "svg" any inside svg and math
  reference_kind kind;
  value_syntax syntax;
  bool lazy = false;
};

// In the order of attributes, so that one attribute's rows are found by bisection. <link href> and <meta content> are
// here with a kind that `look_up` settles from the other attributes.
constexpr auto table = std::to_array<row>({
    {"action", "form", kind::form, syntax::url},
    {"background", "*", kind::image, syntax::url},
    {"clip-path", "svg", kind::image, syntax::declarations},
    {"content", "meta", kind::refresh, syntax::refresh},
    {"cursor", "svg", kind::image, syntax::declarations},
    {"data", "object", kind::object, syntax::url},
    {"data-background", "*", kind::image, syntax::url, true},
    {"data-background-image", "*", kind::image, syntax::url, true},
    {"data-bg", "*", kind::image, syntax::url, true},
    {"data-bgset", "*", kind::image, syntax::srcset, true},
    {"data-hi-res-src", "*", kind::image, syntax::url, true},
    {"data-image", "*", kind::image, syntax::url, true},
    {"data-img-src", "*", kind::image, syntax::url, true},
    {"data-lazy", "*", kind::image, syntax::url, true},
    {"data-lazy-src", "*", kind::image, syntax::url, true},
    {"data-lazy-srcset", "*", kind::image, syntax::srcset, true},
    {"data-original", "*", kind::image, syntax::url, true},
    {"data-original-src", "*", kind::image, syntax::url, true},
    {"data-poster", "*", kind::poster, syntax::url, true},
    {"data-src", "audio", kind::media, syntax::url, true},
    {"data-src", "embed", kind::object, syntax::url, true},
    {"data-src", "frame", kind::frame, syntax::url, true},
    {"data-src", "iframe", kind::frame, syntax::url, true},
    {"data-src", "script", kind::script, syntax::url, true},
    {"data-src", "video", kind::media, syntax::url, true},
    {"data-src", "*", kind::image, syntax::url, true},
    {"data-srcset", "*", kind::image, syntax::srcset, true},
    {"fill", "svg", kind::image, syntax::declarations},
    {"filter", "svg", kind::image, syntax::declarations},
    {"formaction", "*", kind::form, syntax::url},
    {"href", "a", kind::link, syntax::url},
    {"href", "area", kind::link, syntax::url},
    {"href", "base", kind::base, syntax::url},
    {"href", "link", kind::relation, syntax::url},
    {"href", "svg", kind::image, syntax::url},  // xlink:href too: the parser drops the prefix
    {"imagesrcset", "link", kind::image, syntax::srcset},
    {"longdesc", "*", kind::link, syntax::url},
    {"lowsrc", "img", kind::image, syntax::url},
    {"marker-end", "svg", kind::image, syntax::declarations},
    {"marker-mid", "svg", kind::image, syntax::declarations},
    {"marker-start", "svg", kind::image, syntax::declarations},
    {"mask", "svg", kind::image, syntax::declarations},
    {"ping", "a", kind::ping, syntax::urls},
    {"ping", "area", kind::ping, syntax::urls},
    {"poster", "video", kind::poster, syntax::url},
    {"src", "audio", kind::media, syntax::url},
    {"src", "embed", kind::object, syntax::url},
    {"src", "frame", kind::frame, syntax::url},
    {"src", "iframe", kind::frame, syntax::url},
    {"src", "img", kind::image, syntax::url},
    {"src", "input", kind::image, syntax::url},
    {"src", "script", kind::script, syntax::url},
    {"src", "source", kind::media, syntax::url},
    {"src", "track", kind::track, syntax::url},
    {"src", "video", kind::media, syntax::url},
    {"srcdoc", "iframe", kind::frame, syntax::html},
    {"srcset", "*", kind::image, syntax::srcset},
    {"stroke", "svg", kind::image, syntax::declarations},
    {"style", "*", kind::image, syntax::declarations},
});
static_assert(std::ranges::is_sorted(table, {}, &row::attribute));

constexpr std::size_t shortest = 3, longest = 21;

// What scripts keep in data- attributes may be anything: only what reads as an address is one.
bool looks_like_address(string_view value) {
  value = trim_url(value);
  if (value.empty() || value.find_first_of(" \t\r\n<>{}\"") != string_view::npos) return false;
  return value.starts_with("//") || value.starts_with('/') || is_web_url(value) ||
         value.find('/') != string_view::npos || value.find('.') != string_view::npos;
}

kind kind_of_preload(string_view as) {
  if (has_word(as, "style")) return kind::style;
  if (has_word(as, "script") || has_word(as, "worker")) return kind::script;
  if (has_word(as, "font")) return kind::font;
  if (has_word(as, "image")) return kind::image;
  if (has_word(as, "audio") || has_word(as, "video")) return kind::media;
  return as.empty() ? kind::hint : has_word(as, "track") ? kind::track : kind::hint;
}

// The first that applies: "alternate stylesheet" is a style sheet, "shortcut icon" an icon.
kind kind_of_link(document const& page, node_id element) {
  auto const rel = page.attribute_or_empty(element, "rel");
  if (has_word(rel, "stylesheet")) return kind::style;
  for (string_view const word : {"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})
    if (has_word(rel, word)) return kind::icon;
  if (has_word(rel, "preload")) return kind_of_preload(page.attribute_or_empty(element, "as"));
  if (has_word(rel, "modulepreload")) return kind::script;
  if (has_word(rel, "manifest")) return kind::manifest;
  if (has_word(rel, "next")) return kind::next_page;
  for (string_view const word : {"dns-prefetch", "preconnect", "prefetch", "prerender"})
    if (has_word(rel, word)) return kind::hint;
  return kind::relation;
}

// Inside svg: a link, a script, and a dozen that take a piece of another drawing.
kind kind_of_drawing_link(string_view element) {
  if (element == "a") return kind::link;
  return element == "script" ? kind::script : kind::image;
}

bool applies(row const& r, node const& element) {
  if (r.element == "*") return true;
  return element.foreign ? r.element == "svg" : r.element == element.name;
}

}  // namespace

std::optional<table_entry> look_up(document const& page, node_id id, attribute const& a) {
  if (a.name.size() < shortest || a.name.size() > longest) return {};
  auto const& element = page[id];
  // Not equal_range: clang 14, which builds the fuzz targets, cannot read g++ 12's subrange.
  auto const first = std::ranges::lower_bound(table, a.name, {}, &row::attribute);
  auto const last = std::ranges::upper_bound(table, a.name, {}, &row::attribute);
  auto const found = std::find_if(first, last, [&](row const& r) { return applies(r, element); });
  if (found == last) return {};
  table_entry out{found->kind, found->syntax, found->lazy};
  if (out.lazy && out.syntax == syntax::url && !looks_like_address(a.value)) return {};
  if (element.foreign && a.name == "href") out.kind = kind_of_drawing_link(element.name);
  if (found->element == "link" && a.name == "href") out.kind = kind_of_link(page, id);
  if (found->element == "meta" && !has_word(page.attribute_or_empty(id, "http-equiv"), "refresh")) return {};
  // In a <picture> a source's address means nothing; its srcset does.
  if (element.name == "source" && out.lazy && out.syntax == syntax::url && !page.is(element.parent, "picture"))
    out.kind = kind::media;
  return out;
}

}  // namespace cistern::stitch::html
