#include "stitch/html/requisites.hpp"

#include "stitch/css/encoding.hpp"
#include "stitch/css/references.hpp"
#include "stitch/html/image_choice.hpp"
#include "stitch/html/references.hpp"
#include "stitch/site.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr int deepest_srcdoc = 2;
constexpr std::size_t longest_url = 8'192;

string_view without_fragment(string_view url) { return url.substr(0, url.find('#')); }

// Lower is fetched sooner.
int rank(requisite const& r) {
  switch (r.kind) {
    case requisite_kind::style:
      return r.required ? 0 : 4;
    case requisite_kind::image:
      return r.required ? 1 : 7;
    case requisite_kind::poster:
      return 2;
    case requisite_kind::next_page:
      return 3;
    case requisite_kind::script:
      return 5;
    case requisite_kind::font:
      return 6;
    case requisite_kind::frame:
      return 8;
    case requisite_kind::icon:
      return 9;
  }
  return 10;
}

/// What was found so far: each address once, at its most important.
class gathering {
public:
  gathering(string_view page_url, requisite_options const& options)
      : page_url_{page_url}, self_{resolve({}, without_fragment(page_url))}, options_{options} {}

  void add(url_resolver const& base, string_view written, requisite_kind kind, bool required) {
    written = trim_url(written);
    if (written.empty() || written.starts_with('#') || written.size() > longest_url) return;
    std::string url;
    base.append(without_fragment(written), url);
    if (!is_web_url(url) || url == self_) return;
    requisite r{std::move(url), kind, required};
    if (auto const known = places_.find(r.url); known != places_.end()) {
      auto& old = found_[known->second];
      if (rank(r) < rank(old)) old.kind = kind, old.required = required;
      return;
    }
    // Ten times the limit is looked at before the least important are cut, so that a page of icons keeps its styles.
    if (found_.size() >= options_.most * 10) return;
    if (options_.blocked && options_.blocked->blocks(r.url, page_url_)) return;
    places_.emplace(r.url, found_.size());
    found_.push_back(std::move(r));
  }

  std::vector<requisite> taken() {
    std::ranges::stable_sort(found_, {}, rank);
    if (found_.size() > options_.most) found_.resize(options_.most);
    return std::move(found_);
  }

  [[nodiscard]] std::string_view page_url() const { return page_url_; }
  [[nodiscard]] requisite_options const& options() const { return options_; }

private:
  std::string_view page_url_;
  std::string self_;
  requisite_options const& options_;
  std::vector<requisite> found_;
  std::unordered_map<std::string, std::size_t> places_;
};

bool is_usable_font(css::reference const& r) {
  if (!r.format.empty())
    return r.format.starts_with("woff") || r.format.starts_with("truetype") || r.format.starts_with("opentype");
  auto const path = string_view{r.written}.substr(0, r.written.find_first_of("?#"));
  return !path.ends_with(".eot") && !path.ends_with(".svg");
}

// Of one font a browser loads the first source it can use.
void add_fonts(std::vector<css::reference> const& all, url_resolver const& base, bool latin, gathering& into) {
  std::uint32_t done = 0;
  for (auto const& each : all) {
    if (each.kind != css::reference_kind::font || each.latin != latin || each.group == done || !is_usable_font(each))
      continue;
    done = each.group;
    into.add(base, each.written, requisite_kind::font, false);
  }
}

// "layer(x) supports(...) screen and (...)": the media query is what comes after the two functions.
bool condition_holds(string_view condition, css::screen const& screen) {
  for (string_view const word : {"layer", "supports"}) {
    condition = trim_url(condition);
    if (!has_word(condition.substr(0, word.size()), word)) continue;
    condition.remove_prefix(word.size());
    if (!condition.starts_with('(')) continue;
    std::size_t at = 0;
    int depth = 0;
    do depth += condition[at] == '(' ? 1 : condition[at] == ')' ? -1 : 0;
    while (++at < condition.size() && depth > 0);
    condition.remove_prefix(at);
  }
  return css::media_matches(trim_url(condition), screen);
}

void add_style(string_view sheet, url_resolver const& base, bool import_required, gathering& into) {
  if (sheet.find('(') == string_view::npos && sheet.find('@') == string_view::npos) return;
  auto const all = css::references(sheet);
  for (auto const& each : all) {
    if (each.kind == css::reference_kind::import && condition_holds(each.condition, into.options().screen))
      into.add(base, each.written, requisite_kind::style, import_required);
    if (each.kind == css::reference_kind::image) into.add(base, each.written, requisite_kind::image, false);
  }
  add_fonts(all, base, true, into);
  add_fonts(all, base, false, into);
}

class page_walk {
public:
  page_walk(document const& page, string_view page_url, int depth, gathering& into)
      : page_{page}, refs_{html::references(page, page_url)}, base_{refs_.base}, depth_{depth}, into_{into} {}

  void run() {
    for (auto const& place : refs_.places) visit(place);
    for (auto const& each : refs_.found)
      if (each.kind == reference_kind::icon) consider_icon(each);
    if (!icon_.empty()) add(icon_, requisite_kind::icon, false);
  }

private:
  void add(string_view written, requisite_kind kind, bool required) { into_.add(base_, written, kind, required); }

  // Shown to nobody who runs scripts, or only once a script has copied it.
  [[nodiscard]] bool is_aside(node_id n) const {
    for (; n != no_node && n != 0; n = page_[n].parent)
      if (page_.is(n, "noscript") || page_.is(n, "template")) return true;
    return depth_ > 0;
  }

  void visit(carrier const& place) {
    switch (place.kind) {
      case reference_kind::image:
        return visit_image(place);
      case reference_kind::style:
        return visit_style(place);
      case reference_kind::poster:
        return add(value(place), requisite_kind::poster, !is_aside(place.node));
      case reference_kind::next_page:
        return add(value(place), requisite_kind::next_page, false);
      case reference_kind::script:
        return visit_script(place);
      case reference_kind::font:
        return add(value(place), requisite_kind::font, false);
      case reference_kind::frame:
        return visit_frame(place);
      case reference_kind::object:
        return visit_object(place);
      default:
        return;
    }
  }

  [[nodiscard]] string_view value(carrier const& place) const { return value_of(page_, place); }

  void visit_image(carrier const& place) {
    if (place.syntax == value_syntax::declarations) return add_style(value(place), base_, false, into_);
    auto const n = place.node;
    auto const& screen = into_.options().screen;
    auto const enough = into_.options().image_width;
    bool const in_picture = page_[n].parent != no_node && page_.is(page_[n].parent, "picture");
    if (page_.is(n, "source") && in_picture) return;  // chosen with its <img>
    if (page_.is(n, "img")) {
      if (n == last_image_ || is_one_pixel(page_, n)) return;
      last_image_ = n;
      auto const choice = chosen_image(page_, n, screen, enough);
      add(choice.needed, requisite_kind::image, !is_aside(n));
      add(choice.placeholder, requisite_kind::image, false);
      return;
    }
    if (place.syntax == value_syntax::srcset) {
      auto const sizes = page_.attribute_or_empty(n, page_.is(n, "link") ? "imagesizes" : "sizes");
      return add(chosen_candidate(value(place), sizes, screen, enough), requisite_kind::image, false);
    }
    if (page_.is(n, "link") && page_.find_attribute(n, "imagesrcset")) return;
    bool const content = page_.is(n, "input") || (page_[n].foreign && page_[n].name == "image");
    add(value(place), requisite_kind::image, content && !is_aside(n));
  }

  void visit_style(carrier const& place) {
    auto const n = place.node;
    bool const aside = is_aside(n);
    auto const media = page_.attribute_or_empty(n, "media");
    // Styles that are not to hold up the page are loaded for print, or as a preload, and switched by a handler.
    auto const handler = page_.attribute_or_empty(n, "onload");
    bool const switched = handler.find("media") != string_view::npos || handler.find("rel") != string_view::npos;
    if (!switched && !css::media_matches(media, into_.options().screen)) return;
    if (place.syntax == value_syntax::sheet) return add_style(value(place), base_, !aside, into_);
    auto const rel = page_.attribute_or_empty(n, "rel");
    if (has_word(rel, "alternate") || page_.find_attribute(n, "disabled")) return;
    add(value(place), requisite_kind::style, !aside && (has_word(rel, "stylesheet") || switched));
  }

  void visit_script(carrier const& place) {
    if (place.syntax == value_syntax::import_map) {
      for (auto const& url : import_map_urls(value(place)))
        if (!url.ends_with('/')) add(url, requisite_kind::script, false);
      return;
    }
    // Scripts for browsers without modules are for browsers nobody has any more.
    if (page_.find_attribute(place.node, "nomodule")) return;
    add(value(place), requisite_kind::script, false);
  }

  void visit_frame(carrier const& place) {
    if (place.syntax == value_syntax::html) {
      if (depth_ >= deepest_srcdoc) return;
      if (auto const inner = document::parse(value(place))) page_walk{*inner, base_.base(), depth_ + 1, into_}.run();
      return;
    }
    std::string url;
    base_.append(value(place), url);
    if (same_site(url, into_.page_url())) add(url, requisite_kind::frame, false);
  }

  void visit_object(carrier const& place) {
    auto const type = trim_url(page_.attribute_or_empty(place.node, "type"));
    auto const path = without_fragment(value(place));
    if (type.starts_with("image/") || (type.empty() && path.substr(0, path.find('?')).ends_with(".svg")))
      add(value(place), requisite_kind::image, !is_aside(place.node));
  }

  // The nearest to 32 pixels; what names no size is taken for 16, those for telephones come last.
  void consider_icon(reference const& each) {
    auto const n = refs_.places[each.place].node;
    bool const plain = has_word(page_.attribute_or_empty(n, "rel"), "icon");
    auto const sizes = trim_url(page_.attribute_or_empty(n, "sizes"));
    double size = 16;
    std::from_chars(sizes.data(), sizes.data() + sizes.size(), size);
    auto const distance = std::abs(size - 32) + (plain ? 0 : 10'000);
    if (!icon_.empty() && distance >= icon_distance_) return;
    icon_ = each.url;
    icon_distance_ = distance;
  }

  document const& page_;
  page_references refs_;
  url_resolver base_;
  int depth_;
  gathering& into_;
  node_id last_image_ = no_node;
  std::string icon_;
  double icon_distance_ = 0;
};

}  // namespace

std::vector<requisite> requisites(document const& page, string_view page_url, requisite_options const& options) {
  gathering found{page_url, options};
  page_walk{page, page_url, 0, found}.run();
  return found.taken();
}

std::vector<requisite> requisites_of_style(string_view bytes, string_view content_type, string_view sheet_url,
                                           string_view page_url, requisite_options const& options) {
  gathering found{page_url, options};
  add_style(css::as_utf8(bytes, content_type), url_resolver{sheet_url}, true, found);
  return found.taken();
}

}  // namespace cistern::stitch::html
