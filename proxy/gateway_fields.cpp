#include "proxy/gateway_fields.hpp"

#include "stitch/html/references.hpp"
#include "stitch/rewrite.hpp"
#include "stitch/site.hpp"

#include <array>

namespace cistern::proxy {
namespace {

using std::string_view;
using store::same_token;

constexpr string_view tag_mark = ";cistern1\"";  // the number goes up when pages are rewritten differently

template <std::size_t N>
bool among(string_view name, std::array<string_view, N> const& list) {
  for (auto const each : list)
    if (same_token(name, each)) return true;
  return false;
}

constexpr std::array<string_view, 11> never_sent{"strict-transport-security",
                                                 "alt-svc",
                                                 "report-to",
                                                 "reporting-endpoints",
                                                 "nel",
                                                 "expect-ct",
                                                 "public-key-pins",
                                                 "public-key-pins-report-only",
                                                 "content-security-policy-report-only",
                                                 "x-dns-prefetch-control",
                                                 "speculation-rules"};
constexpr std::array<string_view, 6> of_the_old_body{"content-md5",    "digest",        "repr-digest",
                                                     "content-digest", "accept-ranges", "content-encoding"};
constexpr std::array<string_view, 3> addresses{"location", "content-location", "sourcemap"};
constexpr std::array<string_view, 2> origins{"access-control-allow-origin", "timing-allow-origin"};

string_view trimmed(string_view text) {
  auto const begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

class fields_writer {
public:
  explicit fields_writer(field_options const& o) : o_{o} {}

  void visit(store::header_block::field const& f) {
    if (among(f.name, never_sent)) return;
    if (o_.body_changes && among(f.name, of_the_old_body)) return;
    if (same_token(f.name, "content-security-policy")) {
      auto const policy = rewritten_policy(f.value, o_.names, o_.site.door, o_.ours);
      if (!policy.empty()) out.add(f.name, policy);
    } else if (same_token(f.name, "etag") && o_.body_changes) {
      out.add(f.name, changed_tag(f.value));
    } else if (same_token(f.name, "set-cookie")) {
      out.add(f.name, translated_cookie(f.value, o_.names.domain() == "localhost"));
    } else if (among(f.name, addresses)) {
      out.add(f.name, address(f.value));
    } else if (among(f.name, origins)) {
      out.add(f.name, origin(f.value));
    } else if (same_token(f.name, "refresh")) {
      auto const target = stitch::html::refresh_target(f.value);
      auto const to = address(f.value.substr(target.begin, target.end - target.begin));
      out.add(f.name, std::string{f.value.substr(0, target.begin)} + to + std::string{f.value.substr(target.end)});
    } else if (same_token(f.name, "link")) {
      out.add(f.name, links(f.value));
    } else if (same_token(f.name, "clear-site-data")) {
      if (auto const what = clearing(f.value); !what.empty()) out.add(f.name, what);
    } else {
      out.add(f.name, f.value);
    }
  }

  store::header_block out;

private:
  [[nodiscard]] bool map(string_view absolute, std::string& to) const {
    return o_.names.append(absolute, o_.site.door, to);
  }

  [[nodiscard]] std::string address(string_view written) const {
    std::string to;
    auto const mapping = [this](string_view absolute, std::string& into) { return map(absolute, into); };
    return stitch::map_address(o_.url, written, mapping, to) ? to : std::string{written};
  }

  // "https://a.test", "*", "null"; an origin has no path.
  [[nodiscard]] std::string origin(string_view value) const {
    std::string to;
    if (!map(trimmed(value), to)) return std::string{value};
    if (to.ends_with('/')) to.pop_back();
    return to;
  }

  // <https://a.test/x>; rel=preload, <...>
  [[nodiscard]] std::string links(string_view value) const {
    std::string to;
    bool quoted = false;
    for (std::size_t at = 0; at < value.size();) {
      bool const escaped = quoted && value[at] == '\\' && at + 1 < value.size();
      if (escaped) to += value[at++];
      if (!escaped && value[at] == '"') quoted = !quoted;
      auto const close = value[at] == '<' && !quoted ? value.find('>', at) : value.npos;
      if (close == value.npos) {
        to += value[at++];
        continue;
      }
      to.append("<").append(address(value.substr(at + 1, close - at - 1))).append(">");
      at = close + 1;
    }
    return to;
  }

  // To a browser all names below ".com.localhost" are one site, and cookies are cleared for a site.
  [[nodiscard]] static std::string clearing(string_view value) {
    std::string to;
    for (string_view const kind : {"\"cache\"", "\"storage\"", "\"executionContexts\""}) {
      bool const wanted = value.find(kind) != value.npos || (value.find("\"*\"") != value.npos && kind[1] != 'e');
      if (wanted) to.append(to.empty() ? "" : ", ").append(kind);
    }
    return to;
  }

  field_options const& o_;
};

/// Whether a page of another site makes the browser ask this. Browsers take all names below ".com.localhost" for one
/// site and send along cookies that they would keep back from the real names (SameSite; RFC 6265bis §5.2).
bool from_another_site(sync::head_view const& head, gateway_names const& names, gateway_names::site const& to) {
  auto const said = head.find("Sec-Fetch-Site");
  if (said && (*said == "same-origin" || *said == "none")) return false;
  auto by = head.find("Origin");
  if (!by || *by == "null") by = head.find("Referer");
  if (!by) return said.has_value();  // by somebody who does not say who
  auto const page = names.back(*by, true);
  return !page || !stitch::same_site(*page, to.origin(true));
}

/// What "Lax", the browsers' default, lets through: following a link.
bool follows_link(sync::head_view const& head) {
  bool const reads = head.method == "GET" || head.method == "HEAD";
  auto const mode = head.find("Sec-Fetch-Mode");
  return reads && (!mode || (*mode == "navigate" && head.find("Sec-Fetch-Dest").value_or("") == "document"));
}

void add_translated(store::header_block& out, store::header_block::field const& f, gateway_names const& names,
                    bool secure) {
  static constexpr std::array<string_view, 4> dropped{"host", "x-cistern", "upgrade-insecure-requests",
                                                      "proxy-connection"};
  if (among(f.name, dropped)) return;
  if (same_token(f.name, "origin") || same_token(f.name, "referer")) {
    auto const meant = names.back(f.value, secure);
    if (meant) out.add(f.name, *meant);
    if (!meant && f.value == "null") out.add(f.name, f.value);
  } else if (same_token(f.name, "if-none-match")) {
    out.add(f.name, original_tags(f.value));
  } else {
    out.add(f.name, f.value);
  }
}

}  // namespace

std::string translated_request(sync::head_view const& head, gateway_names const& names, gateway_names::site const& to,
                               bool secure) {
  store::header_block fields;
  auto const origin = to.origin(secure);
  fields.add("Host", string_view{origin}.substr(origin.find("//") + 2));
  bool const foreign = from_another_site(head, names, to);
  bool const keeps_cookies = !foreign || follows_link(head);
  for (auto const& field : head) {
    if (!keeps_cookies && same_token(field.name, "cookie")) continue;
    if (foreign && same_token(field.name, "sec-fetch-site"))
      fields.add(field.name, "cross-site");
    else
      add_translated(fields, field, names, secure);
  }
  std::string out{head.method};
  out.append(" ").append(origin).append(head.target);
  out.append(head.minor == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n").append(fields.wire()).append("\r\n");
  return out;
}

store::header_block translated_fields(store::header_block const& fields, field_options const& options) {
  fields_writer writer{options};
  for (auto const& field : fields) writer.visit(field);
  writer.out.add("X-DNS-Prefetch-Control", "off");
  return std::move(writer.out);
}

std::string translated_cookie(string_view cookie, bool trustworthy) {
  std::string out;
  bool const prefixed = cookie.starts_with("__Host-") || cookie.starts_with("__Secure-");
  for (std::size_t at = 0, part = 0; at <= cookie.size(); ++part) {
    auto const end = std::min(cookie.find(';', at), cookie.size());
    auto const piece = trimmed(cookie.substr(at, end - at));
    at = end + 1;
    auto const name = trimmed(piece.substr(0, piece.find('=')));
    bool const attribute = part > 0;
    if (attribute && (piece.empty() || same_token(name, "domain"))) continue;
    // Names that promise Secure need it; browsers grant it to *.localhost.
    if (attribute && same_token(name, "secure") && !(prefixed && trustworthy)) continue;
    bool const cross_site =
        same_token(name, "samesite") && piece.size() > 4 && same_token(piece.substr(piece.size() - 4), "none");
    if (attribute && cross_site && !(prefixed && trustworthy)) continue;  // "None" without Secure is refused whole
    if (!out.empty()) out += "; ";
    out += piece;
  }
  return out;
}

std::string changed_tag(string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() < 2 || !etag.ends_with('"')) return std::string{etag};
  return "W/" + std::string{etag.substr(0, etag.size() - 1)} + std::string{tag_mark};
}

std::string original_tags(string_view list) {
  std::string out{list};
  for (auto at = out.find(tag_mark); at != std::string::npos; at = out.find(tag_mark, at))
    out.replace(at, tag_mark.size(), "\"");
  return out;
}

}  // namespace cistern::proxy
