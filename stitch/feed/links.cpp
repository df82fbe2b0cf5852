#include "stitch/feed/links.hpp"

#include "stitch/entities.hpp"
#include "stitch/feed/text.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Looked up, not compared: this runs over the name of every tag and attribute.
constexpr auto name_ends = [] {
  std::array<bool, 256> out{};
  for (char const c : {' ', '\t', '\n', '\r', '\f', '/', '>', '='}) out[static_cast<unsigned char>(c)] = true;
  return out;
}();
bool ends_name(char c) { return name_ends[static_cast<unsigned char>(c)]; }

bool stays(string_view value) {
  auto const text = trim_url(value);
  if (text.empty() || text[0] == '#') return true;
  if (text.size() != value.size()) return false;
  if (text.starts_with("http://") || text.starts_with("https://")) return true;
  auto const scheme = scheme_of(text);
  bool const half = text.substr(scheme.size()).starts_with(':') && !text.substr(scheme.size() + 1).starts_with('/');
  return !scheme.empty() && !(half && (same(scheme, "http") || same(scheme, "https")));  // "http:x" is relative
}

// "a.png 1x, b.png 2x": addresses may hold commas, so a candidate ends at a comma that follows a blank or ends an
// address. What would grow by more than `most` is left as it is from there on.
string absolute_set(string_view value, url_resolver const& base, std::size_t most) {
  auto const limit = value.size() + most;
  string out;
  while (!value.empty()) {
    if (out.size() > limit) return out.append(value);
    auto const first = value.find_first_not_of(" \t\r\n\f,");
    if (first == npos) break;
    value.remove_prefix(first);
    auto const end = std::min(value.size(), value.find_first_of(" \t\r\n\f"));
    auto url = value.substr(0, end);
    value.remove_prefix(end);
    bool const ended = url.ends_with(',');
    while (url.ends_with(',')) url.remove_suffix(1);
    if (!out.empty()) out += ", ";
    if (stays(url))
      out += url;
    else
      base.append(url, out);
    if (ended) continue;
    auto const comma = std::min(value.size(), value.find(','));
    if (auto const descriptor = trimmed(value.substr(0, comma)); !descriptor.empty()) {
      out += ' ';
      out += descriptor;
    }
    value.remove_prefix(comma);
  }
  return out;
}

/// Walks the attributes of one tag and copies what changes.
class tag_rewriter {
public:
  tag_rewriter(string const& html, url_resolver const& base, std::size_t most)
      : html_{html}, base_{base}, most_{most} {}

  string_view element;

  // Reads one attribute at `at` (not blank, not the end of the tag) and returns what follows it.
  std::size_t attribute(std::size_t at) {
    auto const name_begin = at;
    ++at;  // even '=' may start a name
    while (at < html_.size() && !ends_name(html_[at])) ++at;
    auto const name = string_view{html_}.substr(name_begin, at - name_begin);
    while (at < html_.size() && is_blank(html_[at])) ++at;
    if (at >= html_.size() || html_[at] != '=') return at;
    do ++at;
    while (at < html_.size() && is_blank(html_[at]));
    if (at >= html_.size()) return at;
    auto const quote = html_[at] == '"' || html_[at] == '\'' ? html_[at] : '\0';
    auto const begin = at + (quote ? 1 : 0);
    auto end = quote ? html_.find(quote, begin) : html_.find_first_of(" \t\r\n\f>", begin);
    if (quote && end == string::npos) return html_.size();  // a tag cut off inside a value is none
    end = std::min(end, html_.size());
    value(name, begin, end, quote);
    return quote ? end + 1 : end;
  }

  string finish() && {
    if (copied_ == 0) return {};
    out_.append(html_, copied_, npos);
    return std::move(out_);
  }
  bool changed() const { return copied_ > 0; }
  /// What was put in front of the addresses has become so much that it is not done for good.
  bool swollen() const { return out_.size() > copied_ + most_; }

private:
  void value(string_view name, std::size_t begin, std::size_t end, char quote) {
    auto const raw = string_view{html_}.substr(begin, end - begin);
    if (raw.empty() || raw[0] == '#' || !holds_address(element, name)) return;
    bool const set = same(name, "srcset") || same(name, "imagesrcset");
    if (!set && stays(raw)) return;
    auto const copy_to = [&](std::size_t where) {
      if (copied_ == 0) out_.reserve(html_.size() + html_.size() / 8 + 64);
      out_.append(html_, copied_, where - copied_);
    };
    copy_to(begin);
    copied_ = end;
    if (!set && raw.find('&') == npos) {
      base_.append(raw, out_);
      return;
    }
    auto const made = absolute_value(name, decode_references(raw, reference_place::attribute), base_, most_);
    for (char const c : made) switch (c) {
        case '&':
          out_ += "&amp;";
          break;
        case '"':
          out_ += quote == '"' ? "&quot;" : "\"";
          break;
        case '\'':
          out_ += quote == '\'' ? "&#39;" : "'";
          break;
        default:
          out_ += c;
      }
  }

  string const& html_;
  url_resolver const& base_;
  std::size_t most_;
  string out_;
  std::size_t copied_ = 0;
};

/// Elements whose text is text, also where it looks like tags (the HTML Standard: raw text and RCDATA).
class raw_texts {
public:
  explicit raw_texts(string const& html) : html_{html} {}

  // Where the text of `element`, whose start tag ends at `at`, is over; `at` for other elements and where nothing ends
  // it. What has no end behind one place has none behind a later one: that keeps this linear.
  std::size_t skip(string_view element, std::size_t at) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!same(element, names[i])) continue;
      auto const end = unended_[i] ? npos : end_tag(names[i], at);
      unended_[i] = end == npos;
      return end == npos ? at : end;
    }
    return at;
  }

private:
  static constexpr std::array<string_view, 5> names{"script", "style", "textarea", "title", "xmp"};

  std::size_t end_tag(string_view name, std::size_t at) const {
    while ((at = html_.find("</", at)) != npos) {
      auto const rest = string_view{html_}.substr(at + 2, name.size() + 1);
      if (rest.size() > name.size() && same(rest.substr(0, name.size()), name) && ends_name(rest.back())) return at;
      at += 2;
    }
    return npos;
  }

  string const& html_;
  std::array<bool, names.size()> unended_{};
};

}  // namespace

bool holds_address(string_view element, string_view attribute) {
  auto const is = [attribute](auto... known) { return (same(attribute, known) || ...); };
  switch (attribute.size()) {
    case 3:
      return is("src");
    case 4:
      return is("href", "cite") || (is("data") && same(element, "object"));
    case 6:
      return is("srcset", "poster", "action", "usemap");
    case 7:
      return is("profile", "classid");
    case 8:
      return is("longdesc", "codebase");
    case 10:
      return is("background");
    case 11:
      return is("imagesrcset");
    default:
      return false;
  }
}

string absolute_value(string_view attribute, string_view value, url_resolver const& base, std::size_t most) {
  if (same(attribute, "srcset") || same(attribute, "imagesrcset")) return absolute_set(value, base, most);
  if (stays(value)) return string{value};
  string out;
  base.append(value, out);
  return out;
}

string absolute_links(string html, url_resolver const& base, std::size_t most) {
  if (base.base().empty()) return html;
  tag_rewriter rewriter{html, base, most};
  raw_texts raw{html};
  std::size_t at = 0;
  while (!rewriter.swollen() && (at = html.find('<', at)) != string::npos) {
    if (++at >= html.size()) break;
    if (html.compare(at, 3, "!--") == 0) {
      auto const end = html.find("-->", at + 3);
      if (end == string::npos) break;
      at = end + 3;
      continue;
    }
    if (!is_letter(html[at])) continue;
    auto const begin = at;
    while (at < html.size() && !ends_name(html[at])) ++at;
    rewriter.element = string_view{html}.substr(begin, at - begin);
    while (at < html.size() && html[at] != '>') {
      if (is_blank(html[at]) || html[at] == '/')
        ++at;
      else
        at = rewriter.attribute(at);
    }
    at = raw.skip(rewriter.element, at);
  }
  if (!rewriter.changed()) return html;
  return std::move(rewriter).finish();
}

}  // namespace cistern::stitch::feed
