#pragma once

/// Makes a page or a style sheet point elsewhere, by replacing the bytes of its addresses and no others.
///
/// What is relative stays as it is: it is right wherever the whole site is moved. Whatever names a host, in any of the
/// spellings browsers understand, is given to the caller. Rewriting twice equals rewriting once when the caller leaves
/// alone what it has given out. Scripts and data (JSON-LD) are not touched.

#include "stitch/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace cistern::stitch {

/// Appends what is to stand for an absolute http, https, ws or wss address; false to leave it as it is.
using address_map = std::function<bool(std::string_view absolute, std::string& out)>;

/// One address as a page at `base` writes it: appends its replacement, or says false when it may stay.
bool map_address(std::string_view base, std::string_view written, address_map const& map, std::string& out);

namespace css {

struct rewrite_options {
  std::string_view base = {};          // the sheet's own address
  std::string_view content_type = {};  // as served, for the charset
};

/// Bytes as served in, UTF-8 out. Without an address to replace the text comes out unchanged (but as UTF-8).
[[nodiscard]] std::string rewritten(std::string_view bytes, rewrite_options const& options, address_map const& map);
/// The same on text that is UTF-8 already.
[[nodiscard]] std::string rewritten_text(std::string_view sheet, std::string_view base, address_map const& map);

}  // namespace css

namespace html {

struct rewrite_options {
  std::string_view page_url = {};
  std::string_view content_type = {};
  /// HTML that is to come before anything of the page's own, inside <head>; empty for none. Given the nonce that the
  /// page's scripts carry, if they do.
  std::string_view first = {};
  /// The same for pages inside this one (srcdoc).
  std::string_view first_inside = {};
  /// What is to stand for the content of <meta http-equiv=Content-Security-Policy>; absent: left as it is.
  std::function<std::string(std::string_view)> policy = {};
};

/// Bytes as served in, UTF-8 out (the caller says so in Content-Type; forms of a page in another charset are told to
/// keep sending that one). `integrity` of style sheets goes, their bytes change too; rules for speculative loading are
/// switched off. An error when the page is beyond html/document.hpp's limits.
[[nodiscard]] result<std::string> rewritten(std::string_view bytes, rewrite_options const& options,
                                            address_map const& map);

}  // namespace html
}  // namespace cistern::stitch
