#include "proxy/dashboard/reading.hpp"

#include "proxy/form.hpp"
#include "stitch/entities.hpp"
#include "stitch/feed/text.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <array>

namespace cistern::proxy {
namespace {

/// The value of one attribute as it is written from now on; nothing: without it.
std::string rewritten(std::string_view name, std::string_view value, bool picture, std::string_view base) {
  if (name == "srcset" || name == "poster" || name == "cite" || name == "usemap") return {};
  auto const plain = stitch::feed::html_to_text(value);
  auto const full = stitch::resolve(base, plain);
  if (!stitch::is_web_url(full)) return {};
  if (name == "href") return " href=\"" + stitch::escape_anywhere(full) + "\" rel=\"noreferrer\"";
  if (picture) return " src=\"/picture?url=" + encode_form(full) + "\" loading=\"lazy\"";
  return {};  // sound and film are listed as files
}

/// One tag, "<" to ">".
void append_tag(std::string_view tag, std::string_view base, std::string& out) {
  bool const picture = tag.starts_with("<img");
  constexpr std::array<std::string_view, 6> addresses{"href", "src", "srcset", "poster", "cite", "usemap"};
  while (!tag.empty()) {
    auto const open = tag.find("=\"");
    auto const close = open == tag.npos ? open : tag.find('"', open + 2);
    if (close == tag.npos) break;
    auto const space = tag.rfind(' ', open);
    auto const name = space == tag.npos ? std::string_view{} : tag.substr(space + 1, open - space - 1);
    bool const is_address = std::find(addresses.begin(), addresses.end(), name) != addresses.end();
    if (is_address) {
      out += tag.substr(0, space);
      out += rewritten(name, tag.substr(open + 2, close - open - 2), picture, base);
    } else {
      out += tag.substr(0, close + 1);
    }
    tag.remove_prefix(close + 1);
  }
  out += tag;
}

/// Where a tag that begins at `at` ends: a ">" in quotes does not.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '>' && !quoted) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string reading_text(std::string_view clean, std::string_view base) {
  std::string out;
  while (!clean.empty()) {
    auto const open = clean.find('<');
    out += clean.substr(0, open);
    if (open == clean.npos) break;
    auto const end = end_of_tag(clean, open);
    append_tag(clean.substr(open, end - open), base, out);
    clean.remove_prefix(end);
  }
  return out;
}

}  // namespace cistern::proxy
