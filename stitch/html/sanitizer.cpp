#include "stitch/html/sanitizer.hpp"

#include "stitch/entities.hpp"
#include "stitch/html/document.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <vector>

namespace cistern::stitch::html {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;

constexpr string_view allowed_elements =
    " a abbr acronym address area article aside audio b bdi bdo big blockquote br caption center cite code col "
    "colgroup dd del "
    "details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map "
    "mark "
    "menu meter nav ol p picture pre progress q rp rt ruby s samp section small source span strike strong sub summary "
    "sup "
    "table tbody td tfoot th thead time tr track tt u ul var video wbr ";

// Gone with everything inside: nothing in them was ever meant to be read in this place.
constexpr string_view dropped_elements =
    " script style noscript iframe frame frameset noframes object embed applet param template svg math textarea select "
    "option "
    "button head title base basefont bgsound link meta xml plaintext noembed canvas ";

constexpr string_view allowed_attributes =
    " abbr align alt axis border cellpadding cellspacing char charoff charset cite clear color cols colspan controls "
    "coords "
    "datetime dir face headers height high href hreflang hspace ismap label lang loop low max media min name noshade "
    "nowrap "
    "open optimum poster preload pubdate rel rev reversed rowspan rows rules scope shape size sizes span src srclang "
    "srcset "
    "start summary title type usemap valign value vspace width ";

bool in_list(string_view list, string_view word) {
  string const needle = ' ' + string{word} + ' ';
  return list.find(needle) != npos;
}

bool is_address(string_view name) {
  return name == "href" || name == "src" || name == "cite" || name == "poster" || name == "srcset" || name == "usemap";
}

// Schemes a reader may follow. No data:, no javascript:, nothing that a program on the reader's machine would open
// unasked.
bool is_safe_address(string_view value) {
  string plain;
  for (char const c : value)
    if (static_cast<unsigned char>(c) > 0x20) plain += c;
  auto const colon = plain.find(':');
  if (colon == string::npos || plain.find_first_of("/?#") < colon) return true;
  string scheme = plain.substr(0, colon);
  std::ranges::transform(scheme, scheme.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return in_list(" http https ftp mailto tel news xmpp magnet geo gemini gopher irc sms ", scheme);
}

bool is_safe_set(string_view set) {
  while (!set.empty()) {
    auto const start = set.find_first_not_of(" \t\r\n,");
    if (start == npos) return true;
    set.remove_prefix(start);
    auto const end = std::min(set.size(), set.find_first_of(" \t\r\n"));
    if (!is_safe_address(set.substr(0, end))) return false;
    set.remove_prefix(end);
    set.remove_prefix(std::min(set.size(), set.find(',')));
  }
  return true;
}

void append_attributes(string& out, document const& page, node_id at) {
  for (auto const* a = page.attributes_begin(at); a != page.attributes_end(at); ++a) {
    if (!in_list(allowed_attributes, a->name)) continue;
    if (is_address(a->name) && !(a->name == "srcset" ? is_safe_set(a->value) : is_safe_address(a->value))) continue;
    out += ' ';
    out += a->name;
    out += "=\"";
    append_escaped(out, a->value, reference_place::attribute);
    out += '"';
  }
}

}  // namespace

// Measured: a tag takes as long as eight letters, an attribute as twelve, to begin and end as 160. What is between two
// blanks of a tag is at most one attribute.
std::size_t sanitizing_work(string_view html) {
  if (html.empty()) return 0;
  std::size_t out = 160 + html.size();
  for (std::size_t at = html.find('<'); at != npos; at = html.find('<', at + 1)) {
    out += 8;
    for (++at; at < html.size() && html[at] != '>' && html[at] != '<'; ++at)
      if (html[at] == ' ' || (html[at] >= '\t' && html[at] <= '\r') || html[at] == '/') out += 12;
    if (at < html.size() && html[at] == '<') --at;
  }
  return out;
}

string escaped(string_view text) {
  string out;
  out.reserve(text.size());
  append_escaped(out, text);
  return out;
}

string sanitized(string_view source) {
  if (source.empty()) return {};
  parse_options options;
  options.content_type = "text/html; charset=utf-8";
  options.fragment = true;
  options.limits.source = 4U << 20;
  options.limits.nodes = 200'000;
  options.limits.memory = 128U << 20;
  auto const parsed = document::parse(source, options);
  if (!parsed) return {};
  auto const& page = *parsed;
  string out;
  out.reserve(source.size());
  std::vector<std::pair<node_id, string_view>> open;  // where each kept element ends
  auto const close_before = [&](node_id at) {
    while (!open.empty() && open.back().first <= at) {
      ((out += "</") += open.back().second) += '>';
      open.pop_back();
    }
  };
  for (node_id at = 1; at < page.size();) {
    close_before(at);
    auto const& node = page[at];
    if (node.kind == node_kind::text) append_escaped(out, node.text);
    if (node.kind != node_kind::element) {
      ++at;
      continue;
    }
    if (node.foreign || in_list(dropped_elements, node.name)) {
      at = node.end;
      continue;
    }
    if (in_list(allowed_elements, node.name)) {
      (out += '<') += node.name;
      append_attributes(out, page, at);
      out += '>';
      if (!is_void(node.name)) open.emplace_back(node.end, node.name);
    }
    ++at;
  }
  close_before(static_cast<node_id>(page.size()));
  return out;
}

}  // namespace cistern::stitch::html
