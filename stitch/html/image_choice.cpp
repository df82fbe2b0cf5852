#include "stitch/html/image_choice.hpp"

#include "stitch/css/tokenizer.hpp"
#include "stitch/html/references.hpp"
#include "stitch/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr std::array<string_view, 9> shown_types{"image/jpeg",    "image/png", "image/gif",  "image/webp", "image/avif",
                                                 "image/svg+xml", "image/jpg", "image/apng", "image/bmp"};
constexpr std::array<string_view, 3> lazy_sets{"data-srcset", "data-lazy-srcset", "data-bgset"};
constexpr std::array<string_view, 8> lazy_sources{"data-src",     "data-lazy-src",     "data-original",   "data-lazy",
                                                  "data-img-src", "data-original-src", "data-hi-res-src", "data-image"};

bool is_shown(string_view type) {
  type = trim_url(type.substr(0, type.find(';')));
  return type.empty() || std::ranges::any_of(shown_types, [type](string_view t) { return has_word(type, t); });
}

template <std::size_t N>
string_view first_of(document const& page, node_id n, std::array<string_view, N> const& names) {
  for (auto const name : names)
    if (auto const value = trim_url(page.attribute_or_empty(n, name)); !value.empty()) return value;
  return {};
}

bool is_inline(string_view url) { return url.empty() || url.starts_with("data:") || url.starts_with("blob:"); }

// "300", "300px": as browsers read a dimension. Nothing when it is no number or a percentage.
std::optional<double> dimension(string_view text) {
  text = trim_url(text);
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || (end != text.data() + text.size() && *end == '%')) return {};
  return value;
}

struct declared_size {
  std::optional<double> width, height;
};

declared_size size_in_style(string_view style) {
  declared_size out;
  if (style.find("px") == string_view::npos && style.find('0') == string_view::npos) return out;
  css::tokenizer tokens{style.substr(0, 4096)};
  css::token name;
  std::optional<double>* wanted = nullptr;
  for (auto t = tokens.next(); t.kind != css::token_kind::end; t = tokens.next()) {
    if (t.kind == css::token_kind::ident) name = t;
    if (t.kind == css::token_kind::colon)
      wanted = tokens.is(name, "width") ? &out.width : tokens.is(name, "height") ? &out.height : nullptr;
    if (t.kind == css::token_kind::number && wanted) *wanted = dimension(style.substr(t.begin, t.end - t.begin));
    if (t.kind == css::token_kind::number || t.kind == css::token_kind::semicolon) wanted = nullptr;
  }
  return out;
}

struct image_set {
  string_view candidates, sizes;
};

// The <source> a browser takes: the first whose media and type fit.
image_set set_of_picture(document const& page, node_id image, css::screen const& screen) {
  auto const picture = page[image].parent;
  if (picture == no_node || !page.is(picture, "picture")) return {};
  for (auto n = page.first_child(picture); n != no_node && n < image; n = page[n].next) {
    if (!page.is(n, "source") || !is_shown(page.attribute_or_empty(n, "type"))) continue;
    if (!css::media_matches(page.attribute_or_empty(n, "media"), screen)) continue;
    auto const lazy = first_of(page, n, lazy_sets);
    auto const set = lazy.empty() ? page.attribute_or_empty(n, "srcset") : lazy;
    if (set.empty() || set.starts_with("data:")) continue;
    return {set, page.attribute_or_empty(n, "sizes")};
  }
  return {};
}

}  // namespace

std::string chosen_candidate(string_view srcset, string_view sizes, css::screen const& screen, double enough) {
  auto const all = candidates_of(srcset);
  if (all.empty()) return {};
  bool const automatic = trim_url(sizes) == "auto" || trim_url(sizes).empty();
  auto const shown = std::min(automatic ? screen.width : css::source_size(sizes, screen), enough);
  auto const density = [&](image_candidate const& c) {
    return c.width > 0 ? c.width / std::max(shown, 1.0) : c.density;
  };
  image_candidate const* best = nullptr;
  for (auto const& each : all) {
    if (is_inline(each.written)) continue;
    if (!best) {
      best = &each;
      continue;
    }
    auto const mine = density(each), other = density(*best);
    bool const mine_enough = mine >= screen.density, other_enough = other >= screen.density;
    if (mine_enough ? !other_enough || mine < other : !other_enough && mine > other) best = &each;
  }
  return best ? std::string{best->written} : std::string{};
}

image_choice chosen_image(document const& page, node_id image, css::screen const& screen, double enough) {
  image_choice out;
  auto const src = trim_url(page.attribute_or_empty(image, "src"));
  auto const lazy = first_of(page, image, lazy_sources);
  auto const lazy_set = first_of(page, image, lazy_sets);
  auto const set = trim_url(page.attribute_or_empty(image, "srcset"));
  auto const sizes = page.attribute_or_empty(image, "sizes");
  auto const lazy_sizes = page.attribute_or_empty(image, "data-sizes");
  if (auto const picture = set_of_picture(page, image, screen); !picture.candidates.empty())
    out.needed = chosen_candidate(picture.candidates, picture.sizes, screen, enough);
  if (out.needed.empty() && !lazy_set.empty())
    out.needed = chosen_candidate(lazy_set, lazy_sizes.empty() ? sizes : lazy_sizes, screen, enough);
  if (out.needed.empty() && !lazy.empty()) out.needed = lazy;
  bool const by_script = !lazy.empty() || !lazy_set.empty();
  if (out.needed.empty() && !set.empty()) out.needed = chosen_candidate(set, sizes, screen, enough);
  // Without a width in sight the address itself is the candidate for ordinary screens.
  if (!out.needed.empty() && !by_script && !set.empty() && screen.density <= 1 && !is_inline(src)) {
    auto const all = candidates_of(set);
    bool const densities = std::ranges::none_of(all, [](auto const& c) { return c.width > 0; });
    bool const no_single = std::ranges::none_of(all, [](auto const& c) { return c.density == 1; });
    bool const own = std::ranges::any_of(all, [&](auto const& c) { return c.written == out.needed; });
    if (own && densities && no_single) out.needed = src;
  }
  if (out.needed.empty()) out.needed = src;
  if (by_script && !is_inline(src) && src != out.needed) out.placeholder = src;
  return out;
}

bool is_one_pixel(document const& page, node_id image) {
  auto const width = dimension(page.attribute_or_empty(image, "width"));
  auto const height = dimension(page.attribute_or_empty(image, "height"));
  if ((width || height) && width.value_or(0) <= 1 && height.value_or(0) <= 1) return true;
  // A style that gives one length only ("height: 0", and a padding) is how pictures are kept in shape.
  auto const styled = size_in_style(page.attribute_or_empty(image, "style"));
  return styled.width && styled.height && *styled.width <= 1 && *styled.height <= 1;
}

}  // namespace cistern::stitch::html
