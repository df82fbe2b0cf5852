#include "stitch/rewrite.hpp"

#include "stitch/charset.hpp"
#include "stitch/entities.hpp"
#include "stitch/html/document.hpp"
#include "stitch/html/encoding.hpp"
#include "stitch/html/nesting.hpp"
#include "stitch/html/noscript.hpp"
#include "stitch/html/references.hpp"
#include "stitch/url.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr int deepest_srcdoc = 3;

struct edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

void append_json_map(boost::json::object& map, string_view base, address_map const& to, bool keys) {
  boost::json::object out;
  for (auto& [name, value] : map) {
    std::string mapped;
    auto key = std::string{name};
    if (keys && is_module_address(key) && map_address(base, key, to, mapped)) key = mapped;
    mapped.clear();
    if (value.is_string() && is_module_address(value.get_string()) && map_address(base, value.get_string(), to, mapped))
      out[key] = mapped;
    else
      out[key] = std::move(value);
  }
  map = std::move(out);
}

std::optional<std::string> rewritten_import_map(string_view json, string_view base, address_map const& map) {
  boost::system::error_code error;
  auto parsed = boost::json::parse({json.data(), json.size()}, error);
  if (error || !parsed.is_object()) return {};
  auto& top = parsed.get_object();
  if (auto* imports = top.if_contains("imports"); imports && imports->is_object())
    append_json_map(imports->get_object(), base, map, true);
  if (auto* scopes = top.if_contains("scopes"); scopes && scopes->is_object()) {
    append_json_map(scopes->get_object(), base, map, true);
    for (auto& [prefix, inner] : scopes->get_object())
      if (inner.is_object()) append_json_map(inner.get_object(), base, map, true);
  }
  auto text = boost::json::serialize(parsed);
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return text;
}

// Where `text` stands next, whatever its case.
std::size_t find_anycase(string_view source, string_view text, std::size_t from) {
  auto const same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  auto const found = std::search(source.begin() + static_cast<std::ptrdiff_t>(std::min(from, source.size())),
                                 source.end(), text.begin(), text.end(), same);
  return found == source.end() ? string_view::npos : static_cast<std::size_t>(found - source.begin());
}

// What nests too deep to be looked at is not shown, either: the document's source has it cut.
result<document> parsed(std::string utf8, bool fragment) {
  parse_options how;
  if (utf8.size() > how.limits.source) return errc::too_large;
  cut_nesting(utf8, how.limits.depth);
  how.content_type = "text/html; charset=utf-8";
  how.fragment = fragment;
  auto out = document::parse(utf8, how);
  return out && has_ambiguous_noscript(*out) ? document::parse(without_noscript(utf8), how) : out;
}

// The charset as browsers read it (Encoding Standard §4.2). Ones that only others know, in which plain letters can
// mean a tag (UTF-7, HZ, EBCDIC), are text in no particular charset to them.
std::string browsers_charset(string_view bytes, string_view content_type) {
  static constexpr std::array<string_view, 21> known{
      "utf-8",        "windows-", "iso-8859-", "iso8859",     "latin",  "koi8-",  "macintosh",
      "mac-cyrillic", "gb",       "big5",      "euc-",        "shift",  "sjis",   "cp125",
      "cp866",        "cp874",    "cp932",     "iso-2022-jp", "ibm866", "utf-16", "uhc"};
  auto charset = charset_of(bytes, content_type);
  auto const name = encoding_of_label(charset);
  auto const is = [&](string_view one) { return find_anycase(name, one, 0) == 0; };
  return std::ranges::any_of(known, is) ? charset : "windows-1252";
}

// A base of another kind ("data:", "javascript:") is none to a browser (HTML, "set the frozen base URL").
std::string base_of(document const& page, string_view page_url) {
  auto named = page.base_href().empty() ? std::string{} : resolve(page_url, page.base_href());
  return is_web_url(named) ? named : std::string{page_url};
}

class rewriter {
public:
  rewriter(document const& page, rewrite_options const& options, address_map const& map, int depth)
      : page_{page}, options_{options}, map_{map}, base_{base_of(page, options.page_url)}, depth_{depth} {}

  std::string run(string_view served_charset) {
    for (auto const& place : carriers(page_))
      if (place.end > place.begin) visit(place);
    visit_elements(served_charset);
    if (!options_.first.empty()) insert_first();
    return joined();
  }

private:
  // The value as the source may hold it: inside its quotes, or in new ones.
  void replace_value(std::uint32_t begin, std::uint32_t end, string_view text) {
    auto const source = page_.source();
    auto const quote = begin > 0 ? source[begin - 1] : ' ';
    edit e{begin, end, {}};
    bool const quoted = (quote == '"' || quote == '\'') && end < source.size() && source[end] == quote;
    if (!quoted) e.text += '"';
    for (char const c : text) {
      switch (c) {
        case '&':
          e.text += "&amp;";
          break;
        case '"':
          e.text += "&quot;";
          break;
        case '\'':
          e.text += "&#39;";
          break;
        case '<':
          e.text += "&lt;";
          break;
        case '>':
          e.text += "&gt;";
          break;
        default:
          e.text += c;
      }
    }
    if (!quoted) e.text += '"';
    edits_.push_back(std::move(e));
  }

  void visit(carrier const& place) {
    auto value = value_of(page_, place);
    // Gumbo makes U+FFFD of control characters; before an address browsers pass over them, and see a host.
    std::string exact;
    if (place.attribute && value.find("\xEF\xBF\xBD") != string_view::npos)
      value = exact =
          decode_references(page_.source().substr(place.begin, place.end - place.begin), reference_place::attribute);
    auto const now = new_value(place, value);
    if (!now || *now == value) return;
    if (place.attribute) return replace_value(place.begin, place.end, *now);
    if (!page_[place.node].foreign) return edits_.push_back({place.begin, place.end, *now});
    edit e{place.begin, place.end, {}};  // inside svg the text of <style> is ordinary text
    append_escaped(e.text, *now);
    edits_.push_back(std::move(e));
  }

  [[nodiscard]] std::optional<std::string> new_value(carrier const& place, string_view value) const {
    std::string out;
    switch (place.syntax) {
      case value_syntax::url:
        if (!map_address(place.kind == reference_kind::base ? options_.page_url : string_view{base_}, value, map_, out))
          return {};
        return out;
      case value_syntax::urls:
        return words(value);
      case value_syntax::srcset:
        return candidates(value);
      case value_syntax::declarations:
      case value_syntax::sheet:
        if (value.find('(') == string_view::npos && value.find('@') == string_view::npos) return {};
        return css::rewritten_text(value, base_, map_);
      case value_syntax::refresh: {
        auto const target = refresh_target(value);
        if (!map_address(base_, value.substr(target.begin, target.end - target.begin), map_, out)) return {};
        return std::string{value.substr(0, target.begin)} + out + std::string{value.substr(target.end)};
      }
      case value_syntax::import_map:
        return rewritten_import_map(value, base_, map_);
      case value_syntax::html:
        return inner_page(value);
    }
    return {};
  }

  [[nodiscard]] std::optional<std::string> inner_page(string_view value) const {
    auto const inner = depth_ < deepest_srcdoc ? parsed(std::string{value}, false) : result<document>{errc::too_large};
    if (!inner) return std::string{};  // what cannot be looked at is not shown
    auto options = options_;
    options.page_url = base_;
    options.first = options_.first_inside;
    return rewriter{*inner, options, map_, depth_ + 1}.run({});
  }

  [[nodiscard]] std::string words(string_view value) const {
    std::string out;
    for (std::size_t at = 0; at < value.size();) {
      auto const begin = value.find_first_not_of(" \t\r\n\f", at);
      if (begin == string_view::npos) break;
      auto const end = std::min(value.find_first_of(" \t\r\n\f", begin), value.size());
      auto const word = value.substr(begin, end - begin);
      if (!out.empty()) out += ' ';
      if (!map_address(base_, word, map_, out)) out += word;
      at = end;
    }
    return out;
  }

  [[nodiscard]] std::string candidates(string_view value) const {
    std::string out;
    std::size_t copied = 0;
    for (auto const& each : candidates_of(value)) {
      out += value.substr(copied, each.begin - copied);
      if (!map_address(base_, each.written, map_, out)) out += each.written;
      copied = each.end;
    }
    return out += value.substr(copied);
  }

  void visit_elements(string_view served_charset) {
    for (node_id n = 1; n < page_.size(); ++n) {
      auto const& x = page_[n];
      if (x.kind != node_kind::element || x.foreign) continue;
      if (x.name == "meta") visit_meta(n);
      if (x.name == "link") visit_link(n);
      if (x.name == "script") visit_script(n);
      if (x.name == "select" && x.placed) visit_select(x);
      bool const charset_lost = x.name == "form" && !served_charset.empty();
      if (charset_lost && x.placed && !page_.find_attribute(n, "accept-charset"))
        edits_.push_back({x.begin + 5, x.begin + 5, " accept-charset=\"" + std::string{served_charset} + '"'});
    }
  }

  void visit_meta(node_id n) {
    if (!options_.policy || !has_word(page_.attribute_or_empty(n, "http-equiv"), "content-security-policy")) return;
    auto const* const content = page_.find_attribute(n, "content");
    if (content && content->value_end > content->value_begin)
      replace_value(content->value_begin, content->value_end, options_.policy(content->value));
  }

  void visit_link(node_id n) {
    auto const* const integrity = page_.find_attribute(n, "integrity");
    if (!integrity || integrity->end == integrity->begin) return;
    bool const style = has_word(page_.attribute_or_empty(n, "rel"), "stylesheet") ||
                       has_word(page_.attribute_or_empty(n, "as"), "style");
    if (style) edits_.push_back({integrity->begin, integrity->end, {}});
  }

  void visit_script(node_id n) {
    auto const* const type = page_.find_attribute(n, "type");
    if (nonce_.empty()) nonce_ = page_.attribute_or_empty(n, "nonce");
    if (type && type->value_end > type->value_begin && has_word(type->value, "speculationrules"))
      replace_value(type->value_begin, type->value_end, "x-speculationrules");
  }

  // Gumbo drops what older browsers did not allow here; newer ones show it. It is read as a piece of a page of its own.
  void visit_select(node const& select) {
    if (select.begin < selects_end_) return;  // done with the one around it
    bool const closed = select.finish > select.inner_finish;
    auto const end = closed ? select.inner_finish : static_cast<std::uint32_t>(page_.source().size());
    auto const inside = page_.source().substr(select.inner_begin, end - select.inner_begin);
    if (!has_unexpected_tag(inside)) return;
    selects_end_ = end;
    auto const inner = depth_ < deepest_srcdoc ? parsed(std::string{inside}, true) : result<document>{errc::too_large};
    auto options = options_;
    options.page_url = base_;
    options.first = {};
    edits_.push_back(
        {select.inner_begin, end, inner ? rewriter{*inner, options, map_, depth_ + 1}.run({}) : std::string{}});
  }

  static bool has_unexpected_tag(string_view inside) {
    for (auto at = inside.find('<'); at != string_view::npos; at = inside.find('<', at + 1)) {
      auto const rest = inside.substr(at + 1, 9);
      bool const expected = find_anycase(rest, "option", 0) == 0 || find_anycase(rest, "/option", 0) == 0 ||
                            find_anycase(rest, "optgroup", 0) == 0 || find_anycase(rest, "/optgroup", 0) == 0;
      if (!expected) return true;
    }
    return false;
  }

  // As the first thing in <head>, wherever that begins.
  void insert_first() {
    std::uint32_t at = static_cast<std::uint32_t>(page_.source().size());
    auto const head = page_.find("head"), top = page_.find("html");
    if (head != no_node && page_[head].placed) {
      at = page_[head].inner_begin;
    } else if (top != no_node && page_[top].placed) {
      at = page_[top].inner_begin;
    } else {
      for (node_id n = 1; n < page_.size(); ++n) {
        auto const& x = page_[n];
        bool const seen = x.kind == node_kind::element ||
                          (x.kind == node_kind::text && x.text.find_first_not_of(" \t\r\n\f") != string_view::npos);
        if (seen && x.placed && x.name != "html" && x.name != "head") at = std::min(at, x.begin);
      }
    }
    std::string text{options_.first};
    if (auto const mark = text.find("{nonce}"); mark != std::string::npos) {
      std::string nonce;
      append_escaped(nonce, nonce_, reference_place::attribute);
      text.replace(mark, 7, nonce);
    }
    edits_.push_back({at, at, std::move(text)});
  }

  std::string joined() {
    std::ranges::stable_sort(
        edits_, [](edit const& a, edit const& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    auto const source = page_.source();
    std::string out;
    out.reserve(source.size() + source.size() / 8);
    std::uint32_t copied = 0;
    for (auto const& e : edits_) {
      if (e.begin < copied) continue;
      out += source.substr(copied, e.begin - copied);
      out += e.text;
      copied = e.end;
    }
    return out += source.substr(copied);
  }

  document const& page_;
  rewrite_options const& options_;
  address_map const& map_;
  std::string base_;
  int depth_;
  std::string nonce_;
  std::uint32_t selects_end_ = 0;
  std::vector<edit> edits_;
};

}  // namespace

result<std::string> rewritten(string_view bytes, rewrite_options const& options, address_map const& map) {
  auto const charset = browsers_charset(bytes, options.content_type);
  bool const converted = encoding_of_label(charset) != "utf-8";
  auto const page = parsed(converted ? to_utf8(bytes, charset) : std::string{bytes}, false);
  if (!page) return page.error();
  return rewriter{*page, options, map, 0}.run(converted ? charset : std::string{});
}

}  // namespace cistern::stitch::html
