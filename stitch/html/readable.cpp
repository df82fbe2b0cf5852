#include "stitch/html/readable.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::html {
namespace {

constexpr std::size_t enough_text = 80;         // bytes, for a part to be taken for the article
constexpr std::size_t most_memory = 64u << 20;  // of Gumbo
constexpr std::size_t largest_fragment = 4u << 20;

template <std::size_t N>
bool among(std::string_view name, std::array<std::string_view, N> const& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Nothing that is read in them, ever.
bool is_silent(std::string_view name) {
  static constexpr std::array<std::string_view, 17> names{
      "script", "style",  "noscript", "template", "title",  "svg",   "math",     "iframe", "object",
      "canvas", "select", "option",   "textarea", "button", "input", "datalist", "dialog"};
  return among(name, names);
}

bool is_block(std::string_view name) {
  static constexpr std::array<std::string_view, 37> names{
      "p",       "div",     "li",     "ul",     "ol",    "dl",         "dt",    "dd",     "h1",      "h2",
      "h3",      "h4",      "h5",     "h6",     "br",    "hr",         "pre",   "tr",     "td",      "th",
      "table",   "section", "header", "footer", "main",  "blockquote", "aside", "figure", "article", "figcaption",
      "address", "details", "form",   "nav",    "tbody", "summary",    "body"};
  return among(name, names);
}

bool says_hidden(document const& page, node_id n) {
  return page.find_attribute(n, "hidden") || page.attribute_or_empty(n, "aria-hidden") == "true";
}

/// What stands around an article.
bool is_around(document const& page, node_id n, bool inside_article) {
  static constexpr std::array<std::string_view, 4> elements{"nav", "footer", "aside", "form"};
  static constexpr std::array<std::string_view, 6> roles{"navigation", "banner", "contentinfo",
                                                         "search",     "menu",   "complementary"};
  auto const& name = page[n].name;
  if (name == "header") return !inside_article;  // an article's own header has its title
  return among(name, elements) || among(page.attribute_or_empty(n, "role"), roles);
}

/// Blanks as one, blocks on lines of their own, nothing beyond a limit.
class writer {
public:
  explicit writer(std::size_t most) : most_{most} {}

  void add(std::string_view text) {
    for (char const c : text) {
      if (out_.size() >= most_) return;
      if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') {
        if (gap_ == 0) gap_ = ' ';
        continue;
      }
      if (gap_ != 0 && !out_.empty()) out_ += gap_;
      gap_ = 0;
      out_ += c;
    }
  }
  void end_block() { gap_ = '\n'; }
  [[nodiscard]] bool full() const { return out_.size() >= most_; }

  [[nodiscard]] std::string take() {
    if (out_.size() >= most_)  // it may end inside a character
      while (!out_.empty() && (static_cast<unsigned char>(out_.back()) & 0xC0) == 0x80) out_.pop_back();
    if (!out_.empty() && (static_cast<unsigned char>(out_.back()) & 0xC0) == 0xC0) out_.pop_back();
    return std::move(out_);
  }

private:
  std::size_t most_;
  std::string out_;
  char gap_ = 0;
};

enum class around : bool { left_out, kept };

std::string text_below(document const& page, node_id top, std::size_t most, around surroundings) {
  writer out{most};
  bool const in_article = page.is(top, "article") || page.is(top, "main");
  node_id article_end = in_article ? page[top].end : 0;
  for (node_id n = top; n < page[top].end && !out.full();) {
    auto const& x = page[n];
    auto next = n + 1;
    if (x.kind == node_kind::text) out.add(x.text);
    if (x.kind == node_kind::element) {
      if (is_block(x.name)) out.end_block();
      bool const skip = is_silent(x.name) || says_hidden(page, n) ||
                        (n != top && surroundings == around::left_out && is_around(page, n, n < article_end));
      if (skip) next = x.end;
      if (x.name == "article" || x.name == "main") article_end = std::max(article_end, x.end);
    }
    for (auto ended = n; ended != no_node && page[ended].end <= next; ended = page[ended].parent)
      if (page[ended].kind == node_kind::element && is_block(page[ended].name)) out.end_block();
    n = next;
  }
  return out.take();
}

/// The part that the page itself calls its main one, or its only article.
node_id main_part(document const& page) {
  node_id article = no_node;
  std::size_t articles = 0;
  for (node_id n = 0; n < page.size(); ++n) {
    if (page[n].kind != node_kind::element) continue;
    if (page.is(n, "main") || page.attribute_or_empty(n, "role") == "main") return n;
    bool const inside = article != no_node && n < page[article].end;
    if (page.is(n, "article") && !inside) article = n, ++articles;
  }
  return articles == 1 ? article : no_node;
}

std::string one_line(std::string_view text) {
  writer out{1024};
  out.add(text);
  return out.take();
}

}  // namespace

readable_page readable(document const& page, std::size_t most) {
  readable_page out;
  if (auto const n = page.find("title"); n != no_node) out.title = one_line(page.text_of(n));
  if (auto const n = page.find("h1"); out.title.empty() && n != no_node) out.title = one_line(page.text_of(n));
  if (auto const part = main_part(page); part != no_node) {
    out.text = text_below(page, part, most, around::left_out);
    if (out.text.size() >= enough_text) return out;
  }
  auto const body = page.find("body");
  auto const top = body == no_node ? 0 : body;
  auto whole = text_below(page, top, most, around::left_out);
  if (whole.empty()) whole = text_below(page, top, most, around::kept);
  out.text = std::move(whole);
  return out;
}

std::string readable_text(std::string_view html, std::size_t most) {
  if (html.size() > largest_fragment) return {};
  auto const page = document::parse(
      html, {.content_type = "text/html; charset=utf-8", .fragment = true, .limits = {.memory = most_memory}});
  return page ? text_below(*page, 0, most, around::kept) : std::string{};
}

}  // namespace cistern::stitch::html
