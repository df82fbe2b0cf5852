#include "stitch/rewrite.hpp"

#include "stitch/css/encoding.hpp"
#include "stitch/css/references.hpp"
#include "stitch/css/tokenizer.hpp"
#include "stitch/url.hpp"

namespace cistern::stitch {

bool map_address(std::string_view base, std::string_view written, address_map const& map, std::string& out) {
  written = trim_url(written);
  // Line breaks inside an address are dropped by browsers and backslashes read as slashes: both hide a host well.
  bool const odd = written.find_first_of("\t\r\n\\") != std::string_view::npos;
  bool const names_host = written.starts_with("//") || is_absolute(written);
  if (!odd && !names_host) return false;
  auto const absolute = resolve(base, written);
  auto const scheme = scheme_of(absolute);
  bool const web = scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss";
  return web && map(absolute, out);
}

namespace css {

std::string rewritten_text(std::string_view sheet, std::string_view base, address_map const& map) {
  std::string out;
  std::size_t copied = 0;
  std::string mapped;
  for (auto const& each : references(sheet)) {
    mapped.clear();
    if (!map_address(base, each.written, map, mapped)) continue;
    out += sheet.substr(copied, each.begin - copied);
    if (each.bare_url) out += "url(";
    append_quoted(out, mapped);
    if (each.bare_url) out += ')';
    copied = each.end;
  }
  return out += sheet.substr(copied);
}

std::string rewritten(std::string_view bytes, rewrite_options const& options, address_map const& map) {
  return rewritten_text(as_utf8(bytes, options.content_type), options.base, map);
}

}  // namespace css
}  // namespace cistern::stitch
