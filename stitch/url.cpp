#include "stitch/url.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace cistern::stitch {
namespace {

using std::string;
using std::string_view;

constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

string lowered(string_view text) {
  string out{text};
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool is_special(string_view scheme) {
  return scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file" || scheme == "ws" ||
         scheme == "wss";
}

string_view default_port(string_view scheme) {
  if (scheme == "http" || scheme == "ws") return "80";
  if (scheme == "https" || scheme == "wss") return "443";
  return scheme == "ftp" ? "21" : "";
}

struct url_parts {
  string scheme;                    // lower case, without the colon
  std::optional<string> authority;  // normalised
  string path;
  std::optional<string> query;
  std::optional<string> fragment;
};

// "." and ".." may be written with %2e (URL Standard, "single-dot URL path segment").
int dots(string_view segment) {
  int count = 0;
  while (!segment.empty()) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' && lower(segment[2]) == 'e') {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    if (++count > 2) return 0;
  }
  return count;
}

// Keeps the places where segments begin, so that a long chain of ".." costs one step each.
string without_dot_segments(string_view path) {
  string out;
  out.reserve(path.size());
  std::vector<std::size_t> starts;
  bool const rooted = path.starts_with('/');
  if (rooted) path.remove_prefix(1);
  for (bool more = true; more;) {
    auto const slash = path.find('/');
    more = slash != string_view::npos;
    auto const segment = path.substr(0, slash);
    path.remove_prefix(more ? slash + 1 : path.size());
    auto const count = dots(segment);
    if (count == 0) {
      starts.push_back(out.size());
      if (rooted || starts.size() > 1) out += '/';
      out += segment;
      continue;
    }
    if (count == 2 && !starts.empty()) {
      out.resize(starts.back());
      starts.pop_back();
    }
    if (!more) {
      starts.push_back(out.size());
      if (rooted || starts.size() > 1) out += '/';
    }
  }
  return out;
}

void append_encoded(string& out, string_view text) {
  static constexpr string_view hex = "0123456789ABCDEF";
  for (char const c : text) {
    auto const u = static_cast<unsigned char>(c);
    if (u <= 0x20 || u == 0x7f || c == '"' || c == '<' || c == '>' || c == '`') {
      out += '%';
      out += hex[u >> 4];
      out += hex[u & 15];
    } else {
      out += c;
    }
  }
}

string encoded(string_view text) {
  string out;
  out.reserve(text.size());
  append_encoded(out, text);
  return out;
}

string normal_authority(string_view scheme, string_view authority) {
  auto const at = authority.rfind('@');
  string out{at == string_view::npos ? string_view{} : authority.substr(0, at + 1)};
  auto host = at == string_view::npos ? authority : authority.substr(at + 1);
  auto const bracket = host.rfind(']');
  auto const colon = host.rfind(':');
  string_view port;
  if (colon != string_view::npos && (bracket == string_view::npos || colon > bracket)) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  out += encoded(lowered(host));
  if (!port.empty() && port != default_port(scheme)) {
    out += ':';
    out += port;
  }
  return out;
}

// What follows the scheme (or the whole of a relative reference) in its pieces; the path is not yet normalised.
url_parts split(string_view scheme, string_view rest, bool special, bool has_authority) {
  url_parts out{.scheme = string{scheme}, .authority = {}, .path = {}, .query = {}, .fragment = {}};
  if (auto const hash = rest.find('#'); hash != string_view::npos) {
    out.fragment = encoded(rest.substr(hash + 1));
    rest = rest.substr(0, hash);
  }
  if (auto const mark = rest.find('?'); mark != string_view::npos) {
    out.query = encoded(rest.substr(mark + 1));
    rest = rest.substr(0, mark);
  }
  out.path = encoded(rest);
  if (special) std::ranges::replace(out.path, '\\', '/');
  if (has_authority) {
    auto const start = out.path.find_first_not_of('/');
    // file: may have an empty host; the others skip any number of slashes to find theirs.
    auto const skip = scheme == "file" || !special ? std::min<std::size_t>(2, out.path.size())
                                                   : (start == string::npos ? out.path.size() : start);
    auto const slash = out.path.find('/', skip);
    out.authority =
        normal_authority(scheme, string_view{out.path}.substr(skip, slash == string::npos ? slash : slash - skip));
    out.path = slash == string::npos ? string{} : out.path.substr(slash);
  }
  return out;
}

string join(url_parts const& url) {
  string out = url.scheme + ':';
  if (url.authority) out += "//" + *url.authority;
  out += url.path;
  if (url.query) out += '?' + *url.query;
  if (url.fragment) out += '#' + *url.fragment;
  return out;
}

url_parts parse_absolute(string_view scheme_text, string_view rest) {
  auto const scheme = lowered(scheme_text);
  auto const special = is_special(scheme);
  auto url = split(scheme, rest, special, special || rest.starts_with("//"));
  if (special || url.authority) url.path = without_dot_segments(url.path);
  if (special && url.path == "/" && rest.find_last_of("/\\") < 2) url.path.clear();
  return url;
}

string cleaned(string_view text) {
  string out{trim_url(text)};
  std::erase_if(out, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return out;
}

// The common case, an address that is already as the rules would leave it, is recognised in one pass.
bool is_normal_web_url(string_view text) {
  auto const after = text.starts_with("http://") ? 7U : text.starts_with("https://") ? 8U : 0U;
  if (after == 0 || text.size() == after) return false;
  auto at = after;
  for (; at < text.size() && text[at] != '/'; ++at) {
    auto const c = text[at];
    if (!((c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.')) return false;
  }
  if (at == after) return false;
  bool in_path = true;
  for (; at < text.size(); ++at) {
    auto const c = text[at];
    auto const u = static_cast<unsigned char>(c);
    if (u <= 0x20 || u == 0x7f || c == '"' || c == '<' || c == '>' || c == '`' || c == '\\') return false;
    if (c == '?' || c == '#') in_path = false;
    if (in_path && c == '/' && at + 1 < text.size() && (text[at + 1] == '.' || text[at + 1] == '%')) return false;
  }
  return true;
}

// A relative reference that needs nothing but to be put behind an origin or a folder.
constexpr auto plain_in_path = [] {
  std::array<bool, 256> out{};
  for (unsigned c = 0; c < 128; ++c) {
    auto const letter = static_cast<char>(c);
    out[c] = is_alpha(letter) || is_digit(letter) || string_view{"/-_%.=?#+,~"}.find(letter) != string_view::npos;
  }
  return out;
}();

bool is_plain_path(string_view text) {
  bool in_path = true;
  char before = '/';
  for (char const c : text) {
    bool const plain = plain_in_path[static_cast<unsigned char>(c)];
    if (!plain || (in_path && before == '/' && (c == '.' || c == '%'))) return false;
    if (c == '?' || c == '#') in_path = false;
    before = c;
  }
  return true;
}

}  // namespace

url_resolver::url_resolver(string_view base) : base_{resolve({}, base)} {
  if (!is_web_url(base_)) return;
  auto const end = base_.find_first_of("/?#", base_.find("//") + 2);
  origin_ = base_.substr(0, end);
  auto const path = base_.substr(0, base_.find_first_of("?#"));
  folder_ = path.size() > origin_.size() ? path.substr(0, path.rfind('/') + 1) : origin_ + '/';
}

void url_resolver::append(string_view reference, string& out) const {
  if (!origin_.empty() && reference.size() > 1 && is_plain_path(reference)) {
    bool const rooted = reference[0] == '/' && reference[1] != '/';
    if (rooted || is_alpha(reference[0]) || is_digit(reference[0])) {
      out += rooted ? origin_ : folder_;
      out += reference;
      return;
    }
  }
  out += resolve(base_, reference);
}

string_view trim_url(string_view text) {
  auto const blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

string_view scheme_of(string_view url) {
  url = trim_url(url);
  if (url.empty() || !is_alpha(url.front())) return {};
  for (std::size_t i = 1; i < url.size(); ++i) {
    auto const c = url[i];
    if (c == ':') return url.substr(0, i);
    if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return {};
  }
  return {};
}

bool is_web_url(string_view url) {
  url = trim_url(url);
  auto const scheme = lowered(scheme_of(url));
  if (scheme != "http" && scheme != "https") return false;
  auto const host = url.substr(scheme.size() + 1);
  return host.size() > 2 && host.substr(0, 2) == "//" && host[2] != '/' && host[2] != '?' && host[2] != '#';
}

string resolve(string_view base, string_view reference) {
  reference = trim_url(reference);
  if (is_normal_web_url(reference)) return string{reference};
  auto const ref = cleaned(reference);
  auto const scheme = scheme_of(ref);
  auto const base_scheme = lowered(scheme_of(base));
  string_view rest = ref;
  if (!scheme.empty()) {
    rest.remove_prefix(scheme.size() + 1);
    auto const name = lowered(scheme);
    bool const slashed = rest.starts_with('/') || rest.starts_with('\\');
    if (!is_special(name)) return name + ':' + string{rest};
    if (slashed || name != base_scheme || name == "file") return join(parse_absolute(scheme, rest));
    // "http:page" under an http base is relative (URL Standard, special relative or authority state).
  }
  if (base_scheme.empty()) return ref;
  auto const clean_base = cleaned(base);
  auto url = parse_absolute(base_scheme, string_view{clean_base}.substr(base_scheme.size() + 1));
  bool const special = is_special(base_scheme);
  if (!special && !url.authority && !rest.starts_with('#')) return ref;

  auto const slash = [special](char c) { return c == '/' || (special && c == '\\'); };
  if (rest.size() >= 2 && slash(rest[0]) && slash(rest[1])) return join(parse_absolute(base_scheme, rest));
  auto const given = split(base_scheme, rest, special, false);
  url.fragment = given.fragment;
  if (!given.path.empty()) {
    auto const cut = url.path.rfind('/');
    auto const folder = cut == string::npos ? string{"/"} : url.path.substr(0, cut + 1);
    url.path = without_dot_segments(given.path.starts_with('/') ? given.path : folder + given.path);
    url.query = given.query;
  } else if (given.query) {
    url.query = given.query;
  }
  if (url.path.empty() && (url.query || url.fragment) && special) url.path = "/";
  return join(url);
}

}  // namespace cistern::stitch
