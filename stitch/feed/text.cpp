#include "stitch/feed/text.hpp"

#include "stitch/charset.hpp"
#include "stitch/entities.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == ':'; }

// HTML's elements, those of its past included.
constexpr string_view known_elements =
    " a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body "
    "br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em "
    "embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
    "iframe img input ins kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter "
    "nav nobr noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb "
    "rp rt rtc ruby s samp script search section select slot small source spacer span strike strong style sub summary "
    "sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp ";

bool breaks_line(string_view name) {
  return same(name, "br") || same(name, "p") || same(name, "div") || same(name, "li") || same(name, "tr");
}

// Past the tag's '>', quotes respected; npos when it never ends.
std::size_t tag_end(string_view text) {
  char quote = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    auto const c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return i + 1;
    } else if ((c == '"' || c == '\'') && text[i - 1] == '=') {
      quote = c;
    }
  }
  auto const plain = text.find('>');
  return plain == npos ? npos : plain + 1;
}

// How much of `html`, which begins with '<', is markup; 0 when it is just a sign. `space` is set when a line ends
// there.
std::size_t markup_length(string_view html, tags which, bool& space) {
  if (html.starts_with("<!--")) {
    auto const end = html.find("-->", 4);
    return end == npos ? html.size() : end + 3;
  }
  if (html.starts_with("<![CDATA[")) return 9;
  bool const closing = html.starts_with("</");
  std::size_t const at = closing ? 2 : 1;
  if (at >= html.size()) return 0;
  if (html[at] == '!' || html[at] == '?') {
    bool const prolog = same(html.substr(at, 8), "!doctype") || same(html.substr(at, 4), "?xml");
    if (which == tags::known && !prolog) return 0;
    auto const end = html.find('>');
    return end != npos ? end + 1 : which == tags::all ? html.size() : 0;
  }
  if (!is_letter(html[at])) return 0;
  auto end = at;
  while (end < html.size() && is_name(html[end])) ++end;
  auto const name = html.substr(at, end - at);
  bool const mail = end < html.size() && html[end] == '@';  // <a@host>: a name goes on to a blank, '/' or '>'
  if (which == tags::known && (mail || !is_html_element(name))) return 0;
  auto const length = tag_end(html);
  if (length == npos) return 0;
  space = breaks_line(name);
  if (closing || (!same(name, "script") && !same(name, "style"))) return length;
  for (auto close = html.find("</", length); close != npos; close = html.find("</", close + 2)) {
    if (!same(html.substr(close + 2, name.size()), name)) continue;
    auto const tail = html.find('>', close);
    return tail == npos ? html.size() : tail + 1;
  }
  return html.size();
}

bool is_host_char(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}
// RFC 5322's atext and the dot; O'Neill has an address too.
bool is_mail_char(char c) { return is_host_char(c) || string_view{"!#$%&'*+/=?^_`{|}~"}.find(c) != npos; }

// The mail address around the '@' at `at`, empty when there is none.
std::pair<std::size_t, std::size_t> mail_around(string_view text, std::size_t at) {
  auto begin = at, end = at + 1;
  while (begin > 0 && is_mail_char(text[begin - 1])) --begin;
  if (begin < at && text[begin] == '\'') ++begin;  // 'mail@host' in quotes
  while (end < text.size() && is_host_char(text[end])) ++end;
  while (end > at + 1 && text[end - 1] == '.') --end;
  if (begin == at || end == at + 1) return {at, at};
  return {begin, end};
}

// What a mailto: address says in its escapes, without the question mark's part (RFC 6068).
string from_mailto(string_view address) {
  address = address.substr(0, address.find('?'));
  string out;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned code = 0;
    auto const digits = address.substr(i + 1, 2);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    bool const escape = address[i] == '%' && error == std::errc{} && end == digits.data() + 2;
    out += escape ? static_cast<char>(code) : address[i];
    i += escape ? 2 : 0;
  }
  return to_utf8(out);
}

// Empty brackets and quotes go, and those that become empty by it; a gap that something left is one blank.
string without_brackets(string_view text) {
  string kept;
  for (char const c : text) {
    char const last = kept.empty() ? '\0' : kept.back();
    bool const pair = (last == '(' && c == ')') || (last == '<' && c == '>') || (last == '[' && c == ']') ||
                      (last == c && (c == '\'' || c == '"'));
    if (pair)
      kept.pop_back();
    else if (c != ' ' || last != ' ')
      kept += c;
  }
  auto view = trimmed(kept);
  auto const wrapped = [&view](char open, char close) {
    if (view.size() < 2 || view.front() != open || view.back() != close) return false;
    auto const inner = view.substr(1, view.size() - 2);
    return inner.find(close) == npos || inner.find(open) < inner.find(close);  // "(A) and (B)" are two pairs
  };
  if (wrapped('(', ')') || wrapped('<', '>') || wrapped('[', ']') || wrapped('"', '"'))
    view = trimmed(view.substr(1, view.size() - 2));
  constexpr string_view glue = ",;-:";
  while (!view.empty() && glue.find(view.back()) != npos) view = trimmed(view.substr(0, view.size() - 1));
  while (!view.empty() && glue.find(view.front()) != npos) view = trimmed(view.substr(1));
  return string{view};
}

// The comma that ends the first of several people: behind a mail address, with another one to come.
std::size_t person_end(string_view plain) {
  auto const at = plain.find('@');
  if (at == npos) return plain.size();
  auto const [begin, end] = mail_around(plain, at);
  auto const comma = begin == end ? npos : plain.find_first_of(",;", end);
  return comma != npos && plain.find('@', comma) != npos ? comma : plain.size();
}

// Without the addresses of pages: whoever has a name is called by it.
string without_web_addresses(string_view text) {
  string kept;
  for (auto at = text.find("http"); at != npos; at = text.find("http", at)) {
    auto const rest = text.substr(at + 4);
    if (!rest.starts_with("://") && !rest.starts_with("s://")) {
      at += 4;
      continue;
    }
    kept += text.substr(0, at);
    text.remove_prefix(at);
    text.remove_prefix(std::min(text.size(), text.find_first_of(" \t\r\n)]>")));
    at = 0;
  }
  return kept += text;
}

// Without mail addresses and what mailto: puts around them; `first` is the first of them. A handle (@me@host) is none.
string without_mail_addresses(string_view text, string& first) {
  string kept;
  for (std::size_t from = 0;;) {
    auto const at = text.find('@', from);
    if (at == npos) return kept += text;
    auto const [begin, end] = mail_around(text, at);
    if (begin == end || (begin > 0 && text[begin - 1] == '@')) {
      from = std::max(at + 1, end);
      continue;
    }
    if (first.empty()) first = text.substr(begin, end - begin);
    auto before = text.substr(0, begin);
    if (before.ends_with("mailto:")) before.remove_suffix(7);
    kept += before;
    text.remove_prefix(end);
    if (text.starts_with('?')) text.remove_prefix(std::min(text.size(), text.find_first_of(" \t\r\n)]>,;")));
    from = 0;
  }
}

string one_person(string_view plain) {
  string decoded, mail;
  if (same(plain.substr(0, 7), "mailto:")) plain = decoded = from_mailto(plain.substr(7));
  auto name = without_brackets(without_mail_addresses(without_web_addresses(plain), mail));
  if (!name.empty()) return name;
  return mail.empty() ? without_brackets(plain) : mail;
}

}  // namespace

string_view trimmed_line(string_view text) {
  // No-break, the typographical ones, the ideographic one, and those without any width.
  constexpr auto blanks = std::to_array<string_view>(
      {"\u00a0", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
       "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"});
  for (;;) {
    text = trimmed(text);
    auto const first = std::ranges::find_if(blanks, [&](string_view blank) { return text.starts_with(blank); });
    if (first != blanks.end()) text.remove_prefix(first->size());
    auto const last = std::ranges::find_if(blanks, [&](string_view blank) { return text.ends_with(blank); });
    if (last != blanks.end()) text.remove_suffix(last->size());
    if (first == blanks.end() && last == blanks.end()) return text;
  }
}

string lowered(string_view text) {
  string out{text};
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

string_view clipped(string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

string html_to_text(string_view html, tags which) {
  if (html.find('<') == npos && html.find('&') == npos) return string{trimmed_line(html)};  // as most titles are
  string bare;
  bare.reserve(html.size());
  auto const* const last = html.data() + (html.rfind('>') == npos ? 0 : html.rfind('>'));
  for (auto rest = html; !rest.empty();) {
    auto const open = rest.data() > last ? npos : rest.find('<');  // no tag can end any more
    bare += rest.substr(0, open);
    if (open == npos) break;
    rest.remove_prefix(open);
    bool space = false;
    auto const length = markup_length(rest, which, space);
    if (length == 0) bare += '<';
    if (space && !bare.empty() && bare.back() != ' ' && bare.back() != '\n') bare += ' ';
    rest.remove_prefix(std::max<std::size_t>(1, length));
  }
  // References last: what they make is text, never markup.
  auto const text = bare.find('&') == npos ? std::move(bare) : decode_references(bare);
  return string{trimmed_line(text)};
}

std::optional<string> decode_base64(string_view text) {
  string out;
  unsigned bits = 0;
  int count = 0, padding = 0;
  for (char const c : text) {
    int const value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+' || c == '-' ? 62
                      : c == '/' || c == '_' ? 63
                                             : -1;
    if (value < 0) {
      padding += c == '=';
      if (c == '=' || c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      return {};
    }
    bits = (bits << 6) | static_cast<unsigned>(value);
    if (++count < 4) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>((bits >> shift) & 255);
    bits = 0;
    count = 0;
  }
  if ((count + padding) % 4 != 0) return {};
  if (count >= 2) out += static_cast<char>((bits >> (count == 3 ? 10 : 4)) & 255);
  if (count == 3) out += static_cast<char>((bits >> 2) & 255);
  if (out.find('\0') != string::npos) return string{};  // a picture, not a text
  return to_utf8(out);
}

bool is_html_element(string_view name) {
  string const needle = ' ' + lowered(name) + ' ';
  return known_elements.find(needle) != npos;
}

bool is_void_element(string_view name) {
  static constexpr auto names =
      std::to_array<string_view>({"area", "base", "br", "col", "command", "embed", "hr", "img", "input", "keygen",
                                  "link", "meta", "param", "source", "track", "wbr"});
  return std::ranges::any_of(names, [name](string_view known) { return same(known, name); });
}

string person_name(string_view text) {
  auto plain = html_to_text(text, tags::known);
  if (plain.find('<') != string::npos && plain.find('@') == string::npos) plain = html_to_text(plain);
  string out;
  for (string_view rest = plain; !rest.empty();) {
    auto const end = person_end(rest);
    auto name = one_person(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (!out.empty() && !name.empty()) out += ", ";
    out += name;
  }
  return out;
}

}  // namespace cistern::stitch::feed
