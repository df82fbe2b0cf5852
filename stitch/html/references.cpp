#include "stitch/html/references.hpp"

#include "stitch/css/references.hpp"
#include "stitch/html/reference_table.hpp"
#include "stitch/url.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>

namespace cistern::stitch::html {
namespace {

using std::string_view;

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(string_view a, string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

void add_text_carrier(document const& page, node_id id, std::vector<carrier>& out) {
  auto const& element = page[id];
  bool const style = element.name == "style";
  bool const map = page.is(id, "script") && same(trim_url(page.attribute_or_empty(id, "type")), "importmap");
  if (!style && !map) return;
  auto const child = page.first_child(id);
  if (child == no_node || page[child].kind != node_kind::text) return;
  // In a drawing a style may have elements inside, which have places of their own.
  bool const alone = element.placed && child + 1 == element.end;
  out.push_back({.node = id,
                 .attribute = nullptr,
                 .kind = style ? reference_kind::style : reference_kind::script,
                 .syntax = style ? value_syntax::sheet : value_syntax::import_map,
                 .lazy = false,
                 .begin = alone ? element.inner_begin : 0,
                 .end = alone ? element.inner_finish : 0});
}

// Of one candidate: what stands behind its address, "2x", "640w", "640w 480h". False when it is malformed.
bool read_descriptors(string_view text, image_candidate& out) {
  bool wide = false, dense = false;
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    auto end = at;
    while (end < text.size() && !is_space(text[end])) ++end;
    auto const word = text.substr(at, end - at);
    at = end;
    double number = 0;
    auto const [stop, error] = std::from_chars(word.data(), word.data() + word.size() - 1, number);
    if (error != std::errc{} || stop != word.data() + word.size() - 1 || !(number >= 0) || number > 1e6) return false;
    auto const unit = word.back();
    if (unit == 'w' && !wide && !dense && number >= 1) {
      out.width = static_cast<std::uint32_t>(number);
      wide = true;
    } else if (unit == 'x' && !dense && !wide) {
      out.density = number;
      dense = true;
    } else if (unit != 'h') {
      return false;
    }
  }
  return true;
}

// Where the descriptors that begin at `at` end: at a comma outside parentheses.
std::size_t end_of_descriptors(string_view srcset, std::size_t at) {
  int depth = 0;
  for (; at < srcset.size(); ++at) {
    if (srcset[at] == '(') ++depth;
    if (srcset[at] == ')' && depth > 0) --depth;
    if (srcset[at] == ',' && depth == 0) break;
  }
  return at;
}

class collector {
public:
  collector(document const& page, string_view page_url, reference_limits const& limits)
      : page_{page},
        limits_{limits},
        resolver_{page.base_href().empty() ? std::string{page_url} : resolve(page_url, page.base_href())} {
    out_.base = resolver_.base();
  }

  page_references run() {
    out_.places = carriers(page_);
    for (std::uint32_t i = 0; i < out_.places.size() && out_.found.size() < limits_.references; ++i) read(i);
    return std::move(out_);
  }

private:
  void add(std::uint32_t place, string_view written, reference_kind kind, double density = 1, std::uint32_t width = 0) {
    written = trim_url(written);
    if (written.empty() || written.starts_with('#') || written.size() > limits_.url) return;
    if (out_.found.size() >= limits_.references) return;
    std::string url;
    resolver_.append(written, url);
    if (!is_web_url(url)) return;
    auto const& c = out_.places[place];
    out_.found.push_back({kind, std::move(url), place, density, width, c.begin, c.end});
  }

  void read(std::uint32_t place) {
    auto const& c = out_.places[place];
    auto const value = value_of(page_, c);
    switch (c.syntax) {
      case value_syntax::url:
        return add(place, value, c.kind);
      case value_syntax::urls:
        return read_words(place, value);
      case value_syntax::srcset:
        for (auto const& each : candidates_of(value)) add(place, each.written, c.kind, each.density, each.width);
        return;
      case value_syntax::declarations:
      case value_syntax::sheet:
        return read_style(place, value);
      case value_syntax::refresh: {
        auto const target = refresh_target(value);
        return add(place, value.substr(target.begin, target.end - target.begin), c.kind);
      }
      case value_syntax::import_map:
        for (auto const& url : import_map_urls(value)) add(place, url, c.kind);
        return;
      case value_syntax::html:
        return;  // a page of its own: who wants it parses it
    }
  }

  void read_words(std::uint32_t place, string_view value) {
    for (std::size_t at = 0; at < value.size();) {
      auto const begin = std::find_if_not(value.begin() + long(at), value.end(), is_space);
      auto const end = std::find_if(begin, value.end(), is_space);
      add(place, value.substr(static_cast<std::size_t>(begin - value.begin()), static_cast<std::size_t>(end - begin)),
          out_.places[place].kind);
      at = static_cast<std::size_t>(end - value.begin());
    }
  }

  void read_style(std::uint32_t place, string_view value) {
    if (value.find('(') == string_view::npos && value.find('@') == string_view::npos) return;
    for (auto const& each : css::references(value)) {
      auto const kind = each.kind == css::reference_kind::import ? reference_kind::style
                        : each.kind == css::reference_kind::font ? reference_kind::font
                                                                 : reference_kind::image;
      add(place, each.written, kind);
    }
  }

  document const& page_;
  reference_limits limits_;
  url_resolver resolver_;
  page_references out_;
};

}  // namespace

bool has_word(string_view list, string_view word) noexcept {
  for (std::size_t at = 0; at < list.size();) {
    while (at < list.size() && is_space(list[at])) ++at;
    auto end = at;
    while (end < list.size() && !is_space(list[end])) ++end;
    if (end > at && same(list.substr(at, end - at), word)) return true;
    at = end;
  }
  return false;
}

std::vector<carrier> carriers(document const& page) {
  std::vector<carrier> out;
  for (node_id id = 1; id < page.size(); ++id) {
    if (page[id].kind != node_kind::element) continue;
    for (auto const* a = page.attributes_begin(id); a != page.attributes_end(id); ++a)
      if (auto const found = look_up(page, id, *a))
        out.push_back({id, a, found->kind, found->syntax, found->lazy, a->value_begin, a->value_end});
    add_text_carrier(page, id, out);
  }
  // A clone repeats the attributes of its original, at the same bytes, after it.
  std::ranges::stable_sort(out, {}, &carrier::begin);
  auto const repeats = [](carrier const& a, carrier const& b) {
    return a.end > a.begin && a.begin == b.begin && a.end == b.end;
  };
  out.erase(std::unique(out.begin(), out.end(), repeats), out.end());
  return out;
}

string_view value_of(document const& page, carrier const& c) noexcept {
  if (c.attribute) return c.attribute->value;
  if (!page[c.node].foreign && c.end > c.begin) return page.source().substr(c.begin, c.end - c.begin);
  auto const child = page.first_child(c.node);
  return child == no_node ? string_view{} : page[child].text;
}

std::vector<image_candidate> candidates_of(string_view srcset) {
  std::vector<image_candidate> out;
  std::size_t at = 0;
  while (at < srcset.size()) {
    while (at < srcset.size() && (is_space(srcset[at]) || srcset[at] == ',')) ++at;
    auto end = at;
    while (end < srcset.size() && !is_space(srcset[end])) ++end;
    if (end == at) break;
    image_candidate c;
    auto const next = end;
    while (end > at && srcset[end - 1] == ',') --end;  // "a.jpg, b.jpg": the comma ends it, no descriptors follow
    bool const ended = end != next;
    c.written = srcset.substr(at, end - at);
    c.begin = static_cast<std::uint32_t>(at);
    c.end = static_cast<std::uint32_t>(end);
    at = next;
    bool fine = true;
    if (!ended) {
      auto const stop = end_of_descriptors(srcset, at);
      fine = read_descriptors(srcset.substr(at, stop - at), c);
      at = stop;
    }
    if (fine && !c.written.empty()) out.push_back(c);
  }
  return out;
}

text_range refresh_target(string_view content) {
  std::size_t at = 0;
  auto const skip = [&](auto&& what) {
    while (at < content.size() && what(content[at])) ++at;
  };
  skip(is_space);
  auto const digits = at;
  skip([](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (at == digits) return {};
  skip(is_space);
  if (at < content.size() && (content[at] == ';' || content[at] == ',')) ++at;
  skip(is_space);
  if (same(content.substr(at, 3), "url")) {
    auto const before = at;
    at += 3;
    skip(is_space);
    if (at < content.size() && content[at] == '=') {
      ++at;
      skip(is_space);
    } else {
      at = before;
    }
  }
  if (at >= content.size()) return {};
  if (auto const quote = content[at]; quote == '"' || quote == '\'') {
    ++at;
    return {at, std::min(content.find(quote, at), content.size())};
  }
  return {at, content.size()};
}

page_references references(document const& page, string_view page_url, reference_limits const& limits) {
  return collector{page, page_url, limits}.run();
}

// Anything else is a bare name, which means nothing as an address (HTML, "resolve a URL-like module specifier").
bool is_module_address(string_view text) noexcept {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../") || is_absolute(text);
}

std::vector<std::string> import_map_urls(string_view json) {
  std::vector<std::string> out;
  boost::system::error_code error;
  auto const parsed = boost::json::parse({json.data(), json.size()}, error);
  if (error || !parsed.is_object()) return out;
  auto const take = [&out](boost::json::value const* map) {
    if (!map || !map->is_object()) return;
    for (auto const& [name, url] : map->get_object())
      if (url.is_string() && is_module_address(url.get_string())) out.emplace_back(url.get_string().c_str());
  };
  take(parsed.get_object().if_contains("imports"));
  if (auto const* scopes = parsed.get_object().if_contains("scopes"); scopes && scopes->is_object())
    for (auto const& [prefix, map] : scopes->get_object()) take(&map);
  return out;
}

}  // namespace cistern::stitch::html
