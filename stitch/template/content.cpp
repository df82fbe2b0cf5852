#include "stitch/template/content.hpp"

#include "stitch/entities.hpp"
#include "stitch/template/text.hpp"

#include <algorithm>
#include <array>

namespace cistern::stitch::templates {
namespace {

using html::document;
using html::no_node;
using html::node_id;
using html::node_kind;

bool is_block(std::string_view name) {
  static constexpr std::array<std::string_view, 34> names{
      "address",  "article", "aside",      "blockquote", "center", "dd",  "div", "dl", "dt",
      "fieldset", "figure",  "figcaption", "footer",     "h1",     "h2",  "h3",  "h4", "h5",
      "h6",       "header",  "hr",         "li",         "main",   "nav", "ol",  "p",  "pre",
      "section",  "table",   "tbody",      "td",         "th",     "tr",  "ul"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_picture(document const& page, node_id from, node_id to) {
  for (auto n = from; n < to; ++n)
    if (page.is(n, "img") || page.is(n, "video") || page.is(n, "iframe")) return true;
  return false;
}

// One past the marks that follow a word.
std::size_t past_marks(std::string_view text, std::size_t at) {
  static constexpr std::string_view marks[] = {".",  ",",  "!",  "?",  ")",  "。", "、",
                                               "！", "？", "」", "』", "）", "؟",  "،"};
  for (;;) {
    auto const mark = std::find_if(std::begin(marks), std::end(marks),
                                   [&](std::string_view m) { return text.substr(at).starts_with(m); });
    if (mark == std::end(marks)) return at;
    at += mark->size();
  }
}

document parse_fragment(std::string_view text) {
  html::parse_options options;
  options.fragment = true;
  options.content_type = "text/html; charset=utf-8";
  static document const nothing = *document::parse("", options);  // what most items have for a summary
  if (text.empty()) return nothing;
  auto const d = document::parse(text, options);
  return d ? *d : nothing;
}

void open_tag(document const& page, node_id n, std::string& out) {
  (out += '<') += page[n].name;
  for (auto const* a = page.attributes_begin(n); a != page.attributes_end(n); ++a)
    ((((out += ' ') += a->name) += "=\"") += escape_attribute(a->value)) += '"';
  out += '>';
}

}  // namespace

std::vector<shown_word> shown_words(document const& page, node_id first, node_id end) {
  std::vector<shown_word> out;
  for (auto n = first; n < end;) {
    auto const& x = page[n];
    if (x.kind == node_kind::element && html::is_hidden(x.name)) {
      n = x.end;
      continue;
    }
    if (x.kind == node_kind::text)
      for (auto const& w : words_of(x.text))
        out.push_back({w, n, static_cast<std::uint32_t>(w.data() - x.text.data())});
    ++n;
  }
  return out;
}

content::content(std::string_view text) : page_{parse_fragment(text)} {
  words_ = shown_words(page_, 0, static_cast<node_id>(page_.size()));
  words_.shrink_to_fit();
  more_ = gap_ = words_.size();
  set_blocks();
  set_more();
  set_sentences();
  set_counts();
}

void content::set_blocks() {
  node_id top = 0;
  for (;;) {  // a single wrapper is not a block
    node_id only = no_node;
    std::size_t count = 0;
    for (auto c = page_.first_child(top); c != no_node; c = page_[c].next)
      if (page_[c].kind == node_kind::element || !blank(page_[c].text)) ++count, only = c;
    if (count != 1 || !(page_.is(only, "div") || page_.is(only, "section") || page_.is(only, "article"))) break;
    top = only;
  }
  std::size_t w = 0;
  for (auto c = page_.first_child(top); c != no_node; c = page_[c].next) {
    auto const before = w;
    while (w < words_.size() && words_[w].node < page_[c].end) ++w;
    bool const empty_lines = page_[c].kind == node_kind::text && blank(page_[c].text) &&
                             std::count(page_[c].text.begin(), page_[c].text.end(), '\n') >= 3;
    if (empty_lines && w > 0) gap_ = std::min(gap_, w);
    bool const shows = w > before || has_picture(page_, c, page_[c].end);
    if (shows && page_[c].kind == node_kind::element && is_block(page_[c].name)) blocks_.push_back(w);
  }
  if (blocks_.empty()) set_lines();
  if (blocks_.empty() || blocks_.back() < words_.size()) blocks_.push_back(words_.size());
}

// A text whose tags were taken out still has the line breaks that stood between its blocks.
void content::set_lines() {
  for (std::size_t i = 1; i < words_.size(); ++i) {
    auto const &last = words_[i - 1], &next = words_[i];
    if (last.node == next.node &&
        page_[next.node].text.substr(last.end(), next.begin - last.end()).find('\n') != std::string_view::npos)
      blocks_.push_back(i);
  }
}

void content::set_counts() {
  std::uint32_t spaced = 0, unbroken = 0, characters = 0;
  for (auto* counts : {&spaced_, &unbroken_, &characters_}) counts->reserve(words_.size() + 1);
  std::uint32_t reached = 0;
  node_id in = no_node;
  spaced_.push_back(0);
  unbroken_.push_back(0);
  characters_.push_back(0);
  for (auto const& word : words_) {
    bool const moved = word.node != in;
    bool tail_blank = false;  // white space at the end of the text before, or between the tags
    if (moved && in != no_node) {
      tail_blank = page_[in].text.substr(reached).find_first_of(" \t\r\n") != std::string_view::npos;
      for (auto n = in + 1; n < word.node; ++n)
        tail_blank |= page_[n].kind == node_kind::text && !page_[n].text.empty() && blank(page_[n].text);
    }
    if (moved) reached = 0;
    auto const between = page_[word.node].text.substr(reached, word.begin - reached);
    bool const space = between.find_first_of(" \t\r\n") != std::string_view::npos || tail_blank;
    if (moved || space || spaced == 0) ++spaced;
    if (space || unbroken == 0) ++unbroken;
    for (char const c : between) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (word.node != in && in != no_node) ++characters;
    for (char const c : word.text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    reached = word.end();
    in = word.node;
    spaced_.push_back(spaced);
    unbroken_.push_back(unbroken);
    characters_.push_back(characters);
  }
}

// Where authors end the teaser: <!--more--> or an element of that id.
void content::set_more() {
  std::size_t w = 0;
  for (node_id n = 1; n < page_.size(); ++n) {
    auto const& x = page_[n];
    bool const mark = x.kind == node_kind::comment
                          ? trimmed(x.text) == "more"
                          : x.kind == node_kind::element && page_.attribute_or_empty(n, "id") == "more";
    if (!mark) continue;
    while (w < words_.size() && words_[w].node < n) ++w;
    more_ = w;
    return;
  }
}

void content::set_sentences() {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    auto const& w = words_[i];
    auto const after = page_[w.node].text.substr(w.end(), 4);
    bool const mark =
        after.starts_with("。") || after.starts_with("！") || after.starts_with("？") ||
        (!after.empty() && (after[0] == '.' || after[0] == '!' || after[0] == '?') &&
         (after.size() == 1 || after[1] == ' ' || after[1] == '\n' || after[1] == '"' || after[1] == ')'));
    bool const last = i + 1 == words_.size() || std::binary_search(blocks_.begin(), blocks_.end(), i + 1);
    if (mark || last) sentences_.push_back(i + 1);
  }
}

// Where the pictures above the first word end.
node_id content::end_of_head() const {
  auto n = words_[0].node;
  while (n > 0 && !has_picture(page_, page_[n].parent, n)) n = page_[n].parent;
  return n;
}

std::string content::html(std::size_t count, bool inline_only) const {
  std::string out;
  bool const all = count >= words_.size();
  std::vector<node_id> open;
  auto const stop = all ? static_cast<node_id>(page_.size()) : count == 0 ? end_of_head() : words_[count - 1].node + 1;
  auto const close_until = [&](node_id n) {
    while (!open.empty() && page_[open.back()].end <= n) {
      ((out += "</") += page_[open.back()].name) += '>';
      open.pop_back();
    }
  };
  for (node_id n = 1; n < stop;) {
    auto const& x = page_[n];
    close_until(n);
    if (x.kind == node_kind::element) {
      if (html::is_hidden(x.name)) {
        n = x.end;
        continue;
      }
      bool const skip = inline_only && is_block(x.name);
      if (skip) {
        if (!out.empty() && !out.ends_with(' ')) out += ' ';
      } else {
        open_tag(page_, n, out);
        if (!html::is_void(x.name)) open.push_back(n);
      }
    } else if (x.kind == node_kind::text) {
      auto text = x.text;
      if (!all && count > 0 && n == words_[count - 1].node) {  // up to the word's end and the mark that follows it
        text = text.substr(0, past_marks(text, words_[count - 1].end()));
      }
      out += escape_text(text);
    }
    ++n;
  }
  while (!open.empty()) {
    ((out += "</") += page_[open.back()].name) += '>';
    open.pop_back();
  }
  return out;
}

std::string content::first_paragraph() const {
  for (auto const& w : words_)
    for (auto n = page_[w.node].parent; n != no_node; n = page_[n].parent)
      if (page_.is(n, "p"))
        return std::string{page_.source().substr(page_[n].inner_begin, page_[n].inner_finish - page_[n].inner_begin)};
  return {};
}

// What stands between the words of two text nodes: white space, punctuation in elements of its own, ends of blocks.
void content::add_between(node_id from, node_id to, std::string& out) const {
  for (auto p = page_[from].parent; p != no_node && page_[p].end <= to; p = page_[p].parent)
    if (is_block(page_[p].name)) out += ' ';
  for (auto n = from + 1; n < to; ++n) {
    auto const& x = page_[n];
    if (x.kind == node_kind::element && html::is_hidden(x.name))
      n = x.end - 1;
    else if (x.kind == node_kind::text)
      out += x.text;
    else if (x.kind == node_kind::element && (is_block(x.name) || x.name == "br"))
      out += ' ';
  }
}

std::string content::text(std::size_t count) const {
  std::string out;
  node_id in = no_node;
  std::uint32_t reached = 0;
  count = std::min(count, words_.size());
  for (std::size_t i = 0; i < count; ++i) {
    auto const& w = words_[i];
    auto const whole = page_[w.node].text;
    if (w.node != in) {
      if (in != no_node) out += page_[in].text.substr(reached);
      if (in != no_node) add_between(in, w.node, out);
      reached = 0;
      in = w.node;
    }
    out += whole.substr(reached, w.end() - reached);
    reached = w.end();
  }
  if (in != no_node) {
    auto const rest = page_[in].text.substr(reached);
    out += rest.substr(0, count == words_.size() ? rest.size() : past_marks(rest, 0));
  }
  return single_spaced(out);
}

following follow(std::vector<shown_word> const& shown, std::size_t from, std::vector<shown_word> const& told) {
  constexpr std::size_t reach = 12;
  following out{0, from, 0};
  std::size_t i = from, j = 0;
  while (i < shown.size() && j < told.size()) {
    if (shown[i].text == told[j].text) {
      ++out.matched;
      out.shown_end = ++i;
      out.told_end = ++j;
      continue;
    }
    bool found = false;
    for (std::size_t d = 1; d <= reach && !found; ++d) {
      for (std::size_t a = 0; a <= d && !found; ++a) {
        auto const b = d - a;
        if (i + a + 1 >= shown.size() || j + b + 1 >= told.size()) continue;
        if (shown[i + a].text == told[j + b].text && shown[i + a + 1].text == told[j + b + 1].text) {
          i += a;
          j += b;
          found = true;
        }
      }
    }
    if (!found) break;
  }
  return out;
}

}  // namespace cistern::stitch::templates
