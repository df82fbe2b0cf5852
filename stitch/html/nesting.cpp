#include "stitch/html/nesting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cistern::stitch::html {
namespace {

constexpr std::size_t max_formatting = 24;
constexpr std::size_t max_attributes = 256;

// Gumbo walks up what is open for almost every tag. A page may make it take so many steps, which is six times what the
// densest menus need; past that it stays shallow.
constexpr std::size_t most_steps(std::size_t page_size) { return (32U << 10) + 8 * page_size; }
constexpr std::size_t shallow = 32;

constexpr std::array formatting{"a",    "b", "big",   "code",   "em",     "font", "i",
                                "nobr", "s", "small", "strike", "strong", "tt",   "u"};
constexpr std::array voids{"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                           "input", "link", "meta", "param", "source", "track", "wbr"};
constexpr std::array raw_text{"script", "style",   "textarea", "title",    "xmp",
                              "iframe", "noembed", "noframes", "plaintext"};
// A start tag of these ends an open one of the same group, so they follow one another and do not nest.
constexpr std::array groups{std::pair{"p", 1},     std::pair{"li", 2},    std::pair{"dt", 3},    std::pair{"dd", 3},
                            std::pair{"tr", 4},    std::pair{"td", 5},    std::pair{"th", 5},    std::pair{"option", 6},
                            std::pair{"tbody", 7}, std::pair{"thead", 7}, std::pair{"tfoot", 7}, std::pair{"a", 8}};

template <class List>
bool one_of(std::string_view name, List const& list) {
  return std::any_of(list.begin(), list.end(), [&](char const* x) { return name == x; });
}

int group_of(std::string_view name) {
  for (auto const& [n, g] : groups)
    if (name == n) return g;
  return 0;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

struct tag {
  std::string name;
  std::size_t begin = 0, end = 0;  // from '<' to one past '>'
  bool closing = false, self_closing = false;
};

class scanner {
public:
  scanner(std::string& page, std::size_t depth) : page_{page}, depth_{depth} {}

  void run() {
    std::size_t at = 0;
    while ((at = page_.find('<', at)) != std::string::npos) {
      if (page_.compare(at, 4, "<!--") == 0) {
        at = after_comment(at + 4);
      } else if (auto const next = at + 1 < page_.size() ? page_[at + 1] : '\0';
                 is_letter(next) || (next == '/' && at + 2 < page_.size() && is_letter(page_[at + 2]))) {
        at = on_tag(read_tag(at));
      } else {
        ++at;
      }
    }
  }

private:
  // As HTML has it: "<!-->" and "<!--->" are whole comments, and "--!>" ends one too.
  std::size_t after_comment(std::size_t at) const {
    if (page_.compare(at, 1, ">") == 0) return at + 1;
    if (page_.compare(at, 2, "->") == 0) return at + 2;
    for (at = page_.find("--", at); at != std::string::npos; at = page_.find("--", at + 1)) {
      if (page_.compare(at + 2, 1, ">") == 0) return at + 3;
      if (page_.compare(at + 2, 2, "!>") == 0) return at + 4;
    }
    return page_.size();
  }

  tag read_tag(std::size_t at) {
    tag t{.name = {}, .begin = at, .end = at, .closing = page_[at + 1] == '/', .self_closing = false};
    std::size_t i = at + (t.closing ? 2 : 1);
    while (i < page_.size() && !is_space(page_[i]) && page_[i] != '>' && page_[i] != '/') t.name += lower(page_[i++]);
    std::size_t attributes = 0;
    while (i < page_.size() && page_[i] != '>') {
      while (i < page_.size() && (is_space(page_[i]) || page_[i] == '/')) ++i;
      if (i >= page_.size() || page_[i] == '>') break;
      auto const begin = i++;  // a name may start with '='
      while (i < page_.size() && !is_space(page_[i]) && page_[i] != '>' && page_[i] != '/' && page_[i] != '=') ++i;
      skip_value(i);
      if (++attributes > max_attributes) std::fill(page_.begin() + long(begin), page_.begin() + long(i), ' ');
    }
    t.end = std::min(i + 1, page_.size());
    t.self_closing = i > at && i < page_.size() && page_[i - 1] == '/';
    return t;
  }

  void skip_value(std::size_t& i) const {
    auto j = i;
    while (j < page_.size() && is_space(page_[j])) ++j;
    if (j >= page_.size() || page_[j] != '=') return;
    ++j;
    while (j < page_.size() && is_space(page_[j])) ++j;
    if (j < page_.size() && (page_[j] == '"' || page_[j] == '\'')) {
      auto const close = page_.find(page_[j], j + 1);
      i = close == std::string::npos ? page_.size() : close + 1;
      return;
    }
    while (j < page_.size() && !is_space(page_[j]) && page_[j] != '>') ++j;
    i = j;
  }

  std::size_t on_tag(tag const& t) {
    steps_ += open_.size();
    bool const tired = steps_ > most_steps(page_.size());
    if (t.closing) {
      if (tired && (open_.empty() || open_.back() != t.name)) return blank(t);
      close(t.name);
      return t.end;
    }
    if (tired && open_.size() >= shallow && !one_of(t.name, raw_text)) return blank(t);
    if (one_of(t.name, voids)) return t.end;
    if (one_of(t.name, raw_text)) return t.name == "plaintext" ? page_.size() : after_raw_text(t);
    if (auto const g = group_of(t.name); g != 0 && !open_.empty() && group_of(open_.back()) == g) pop();
    bool const format = one_of(t.name, formatting);
    if (open_.size() >= depth_ || (format && unclosed_ >= max_formatting)) return blank(t);
    if (format && (t.name != "a" || formats_["a"] == 0)) {
      ++formats_[t.name];
      ++unclosed_;
    }
    ++counts_[t.name];
    open_.push_back(t.name);
    return t.end;
  }

  std::size_t blank(tag const& t) {
    std::fill(page_.begin() + long(t.begin), page_.begin() + long(t.end), ' ');
    return t.end;
  }

  void close(std::string const& name) {
    if (auto f = formats_.find(name); f != formats_.end() && f->second > 0) {
      --f->second;
      --unclosed_;
    }
    auto const c = counts_.find(name);
    if (c == counts_.end() || c->second == 0) return;
    while (open_.back() != name) pop();
    pop();
    if (name == "td" || name == "th" || name == "table") {  // what a cell leaves open ends with it
      formats_.clear();
      unclosed_ = 0;
    }
  }

  void pop() {
    --counts_[open_.back()];
    open_.pop_back();
  }

  // The end tag of raw text is looked for once per name from here on: when there is none, the text runs to the end.
  std::size_t after_raw_text(tag const& t) {
    for (auto at = page_.find("</", t.end); at != std::string::npos; at = page_.find("</", at + 2)) {
      auto const name = std::string_view{page_}.substr(at + 2, t.name.size());
      if (std::equal(name.begin(), name.end(), t.name.begin(), t.name.end(),
                     [](char x, char y) { return lower(x) == y; }))
        return at;
    }
    return page_.size();
  }

  std::string& page_;
  std::size_t depth_;
  std::size_t unclosed_ = 0;
  std::size_t steps_ = 0;
  std::vector<std::string> open_;
  std::unordered_map<std::string, std::size_t> counts_, formats_;
};

}  // namespace

void cut_nesting(std::string& page, std::size_t depth) { scanner{page, depth}.run(); }

}  // namespace cistern::stitch::html
