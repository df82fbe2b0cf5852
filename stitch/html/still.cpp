#include "stitch/html/still.hpp"

#include "stitch/css/references.hpp"
#include "stitch/entities.hpp"
#include "stitch/html/document.hpp"
#include "stitch/html/references.hpp"
#include "stitch/template/layout.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::html {
namespace {

using std::string_view;
using templates::page_edit;

constexpr string_view policy =
    "<meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline' data:; img-src data:; font-src data:\">";

/// They load, run or hold a page of somebody else; with what is in them.
constexpr std::array<string_view, 14> gone{"applet", "base",   "embed",  "fencedframe", "frame",  "iframe", "link",
                                           "meta",   "object", "portal", "noscript",    "script", "source", "track"};
/// They start something, or name an address that is of no use here.
constexpr std::array<string_view, 16> dropped{"action", "autofocus", "autoplay", "background", "data",   "formaction",
                                              "lowsrc", "manifest",  "nonce",    "ping",       "poster", "src",
                                              "srcdoc", "srcset",    "target",   "integrity"};

bool is_one_of(auto const& list, string_view name) { return std::ranges::find(list, name) != list.end(); }

std::string base64(string_view bytes) {
  constexpr string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    auto const left = bytes.size() - i;
    out += digits[three >> 18];
    out += digits[three >> 12 & 63];
    out += left > 1 ? digits[three >> 6 & 63] : '=';
    out += left > 2 ? digits[three & 63] : '=';
  }
  return out;
}

class still_maker {
public:
  still_maker(document const& page, still_options const& options, shelf const& at_hand)
      : page_{page},
        options_{options},
        at_hand_{at_hand},
        base_{page.base_href().empty() ? std::string{options.page_url} : resolve(options.page_url, page.base_href())},
        left_{options.most_parts} {}

  std::string run() {
    for (node_id n = 1; n < page_.size(); ++n) {
      auto const& x = page_[n];
      if (x.kind != node_kind::element || !x.placed) continue;
      if (x.name == "style") {
        sheet(x);
      } else if (is_one_of(gone, x.name)) {
        remove(n);
        n = x.end - 1;
      } else {
        attributes(n);
      }
    }
    begin();
    return templates::apply(page_.source(), std::move(edits_));
  }

private:
  /// Before the first tag and behind the doctype, which decides how the page is laid out.
  void begin() {
    auto at = static_cast<std::uint32_t>(page_.source().size());
    for (node_id n = 1; n < page_.size(); ++n)
      if (page_[n].kind == node_kind::element && page_[n].placed) at = std::min(at, page_[n].begin);
    edits_.insert(edits_.begin(), {at, at, std::string{policy}});
    auto const end = static_cast<std::uint32_t>(page_.source().size());
    if (!options_.style.empty()) edits_.push_back({end, end, "<style>" + std::string{options_.style} + "</style>"});
  }

  /// What is at hand under an address of the page, as an address that holds it; empty when nothing is.
  std::string inlined(string_view written, string_view base, string_view kind) {
    if (written.starts_with("data:")) return std::string{written};
    auto const url = resolve(base, written);
    if (!is_web_url(url) || left_ == 0) return {};
    auto part = at_hand_(url);
    if (!part || !part->type.starts_with(kind) || part->bytes.size() > std::min(left_, options_.largest_part))
      return {};
    if (part->type.find_first_of("\"'<>;, ") != std::string::npos) return {};
    left_ -= part->bytes.size();
    return "data:" + part->type + ";base64," + base64(part->bytes);
  }

  std::string still_sheet(string_view text, string_view base) {
    std::string out;
    std::size_t copied = 0;
    for (auto const& r : css::references(text)) {
      if (r.written.starts_with('#') || r.begin < copied) continue;
      out += text.substr(copied, r.begin - copied);
      bool const picture = r.kind == css::reference_kind::image || r.kind == css::reference_kind::cursor;
      auto const data = picture ? inlined(r.written, base, "image/") : std::string{};
      bool const plain = data.find_first_of("\"\\\n") == std::string::npos;
      out += "url(\"" + (data.empty() || !plain ? std::string{"data:,"} : data) + "\")";
      copied = r.end;
    }
    return out += text.substr(copied);
  }

  /// As the text of <style>: nothing in it may end the element.
  std::string element_text(string_view sheet) {
    std::string out;
    for (std::size_t at = 0; at < sheet.size(); ++at) {
      out += sheet[at];
      if (sheet[at] == '<' && at + 1 < sheet.size() && sheet[at + 1] == '/') out += '\\';
    }
    return out;
  }

  void sheet(node const& x) {
    auto const text = page_.source().substr(x.inner_begin, x.inner_finish - x.inner_begin);
    if (text.find('(') == string_view::npos && text.find('@') == string_view::npos) return;
    edits_.push_back({x.inner_begin, x.inner_finish, element_text(still_sheet(text, base_))});
  }

  void remove(node_id n) {
    page_edit e{page_[n].begin, page_[n].finish, {}};
    auto const rel = page_.attribute_or_empty(n, "rel");
    bool const style = page_.is(n, "link") && has_word(rel, "stylesheet") && !has_word(rel, "alternate");
    if (style && !page_.find_attribute(n, "disabled")) {
      auto const url = resolve(base_, page_.attribute_or_empty(n, "href"));
      auto part = is_web_url(url) && left_ > 0 ? at_hand_(url) : std::nullopt;
      if (part && part->type.starts_with("text/css") && part->bytes.size() <= std::min(left_, options_.largest_part)) {
        left_ -= part->bytes.size();
        e.text = "<style media=\"" + escape_attribute(page_.attribute_or_empty(n, "media")) + "\">" +
                 element_text(still_sheet(part->bytes, url)) + "</style>";
      }
    }
    edits_.push_back(std::move(e));
  }

  void attributes(node_id n) {
    auto const& x = page_[n];
    bool const picture = x.name == "img" || (x.name == "image" && x.foreign);
    std::string shown;
    for (auto const* a = page_.attributes_begin(n); a != page_.attributes_end(n); ++a) {
      if (a->end <= a->begin) continue;
      bool const address = a->name == "href" || a->name == "xlink:href";
      if (picture && shown.empty()) shown = picture_in(*a, address);
      if (a->name == "style" || (x.foreign && a->value.find("url(") != string_view::npos)) {
        if (a->value.find('(') != string_view::npos)
          edits_.push_back(
              {a->begin, a->end, std::string{a->name} + "=\"" + escape_attribute(still_sheet(a->value, base_)) + '"'});
      } else if (address) {
        link(x, *a);
      } else if (a->name.starts_with("on") || a->name.starts_with("data-src") || is_one_of(dropped, a->name)) {
        edits_.push_back({a->begin, a->end, {}});
      }
    }
    if (shown.empty()) return;
    auto const at = x.begin + 1 + static_cast<std::uint32_t>(x.name.size());
    edits_.push_back({at, at, (x.foreign ? " href=\"" : " src=\"") + escape_attribute(shown) + '"'});
  }

  /// Pictures are named in many ways; the first that is at hand is shown.
  std::string picture_in(attribute const& a, bool address) {
    if (a.name == "srcset" || a.name == "data-srcset") {
      for (auto const& candidate : candidates_of(a.value))
        if (auto found = inlined(candidate.written, base_, "image/"); !found.empty()) return found;
      return {};
    }
    bool const named = address || a.name == "src" || a.name == "data-src" || a.name == "data-lazy-src";
    return named && !a.value.starts_with('#') ? inlined(a.value, base_, "image/") : std::string{};
  }

  /// A link still looks like one, and stays where it is.
  void link(node const& x, attribute const& a) {
    if (a.value.starts_with('#') && x.name != "a") return;
    bool const leads = x.name == "a" || x.name == "area";
    edits_.push_back({a.begin, a.end, leads ? "href=\"#\" tabindex=\"-1\"" : ""});
  }

  document const& page_;
  still_options const& options_;
  shelf const& at_hand_;
  std::string base_;
  std::size_t left_;
  std::vector<page_edit> edits_;
};

}  // namespace

result<std::string> still(string_view bytes, still_options const& options, shelf const& at_hand) {
  parse_options how;
  how.content_type = options.content_type;
  auto const page = document::parse(bytes, how);
  if (!page) return page.error();
  return still_maker{*page, options, at_hand}.run();
}

}  // namespace cistern::stitch::html
