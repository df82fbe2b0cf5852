#include "stitch/feed/mender.hpp"

#include "stitch/entities.hpp"

#include <algorithm>
#include <array>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cistern::stitch::feed {
namespace {

using std::string;
using std::string_view;
constexpr auto npos = string_view::npos;

// A '<' that is no tag costs a look at as much as a tag may have. After so many bytes looked at in vain, a tag has to
// end sooner to be one.
constexpr std::size_t most_wasted = 64U << 20;
constexpr std::size_t small_tag = 1024;

// Used up to here, but the rest has to wait for more input.
constexpr std::size_t wait = npos;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
// Looked up, not compared: this runs over every name of the document, several times.
constexpr auto name_chars = [] {
  std::array<bool, 256> out{};
  for (unsigned i = 0; i < out.size(); ++i) {
    auto const c = static_cast<char>(i);
    out[i] = is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  }
  return out;
}();
bool is_name_char(char c) { return name_chars[static_cast<unsigned char>(c)]; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(string_view a, string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}
bool starts_with_word(string_view text, string_view word) { return same_word(text.substr(0, word.size()), word); }

std::uint32_t hash_of(string_view name) {
  std::uint32_t hash = 2166136261U;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 16777619U;
  return hash;
}

string_view name_at(string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_char(text[end])) ++end;
  return text.substr(0, end);
}

string_view local_part(string_view name) { return name.substr(name.rfind(':') + 1); }

bool is_one_of(string_view name, std::initializer_list<string_view> words) {
  return std::ranges::any_of(words, [name](string_view word) { return same_word(name, word); });
}

// What HTML never closes. `link`, `meta`, `source`, `track` and `base` are also elements of feeds.
bool is_void(string_view name) {
  switch (name.size()) {
    case 2:
      return is_one_of(name, {"br", "hr"});
    case 3:
      return is_one_of(name, {"img", "wbr", "col"});
    case 4:
      return is_one_of(name, {"area"});
    case 5:
      return is_one_of(name, {"embed", "input", "param"});
    default:
      return false;
  }
}

// What stands in front of a feed when a server complains in HTML before it answers.
bool is_page_tag(string_view name) {
  return is_one_of(name, {"html", "head",   "body",   "br",    "b",      "p",    "div", "pre", "table", "tr",
                          "td",   "font",   "script", "style", "center", "h1",   "h2",  "h3",  "span",  "a",
                          "i",    "strong", "em",     "meta",  "title",  "link", "hr",  "img"});
}

// A name as XML and its namespaces will have it: ASCII, at most one colon and that inside.
bool is_plain_name(string_view name) {
  bool colon = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (static_cast<unsigned char>(name[i]) >= 0x80) return false;
    if (name[i] != ':') continue;
    if (colon || i == 0 || i + 1 == name.size() || !is_name_start(name[i + 1])) return false;
    colon = true;
  }
  return !name.empty() && is_name_start(name[0]);
}

string plain_name(string_view name) {
  string out{name};
  for (char& c : out)
    if (static_cast<unsigned char>(c) >= 0x80 || c == ':') c = '_';
  return out;
}

std::size_t find_markup(string_view text) {
  std::size_t at = 0;
#if defined(__SSE2__)
  auto const open = _mm_set1_epi8('<'), mark = _mm_set1_epi8('&');
  for (; at + 16 <= text.size(); at += 16) {
    auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data() + at));
    auto const hit = _mm_or_si128(_mm_cmpeq_epi8(block, open), _mm_cmpeq_epi8(block, mark));
    if (auto const mask = static_cast<unsigned>(_mm_movemask_epi8(hit)))
      return at + static_cast<std::size_t>(__builtin_ctz(mask));
  }
#endif
  while (at < text.size() && text[at] != '<' && text[at] != '&') ++at;
  return at;
}

// Copies up to the next '<' or '&', at most `step` bytes. There is room for `step` at `to`, and all of it may be
// written.
constexpr std::size_t step = 16;
std::size_t copy_to_markup(char* to, string_view text) {
#if defined(__SSE2__)
  if (text.size() >= step) {
    auto const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(text.data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
    auto const hit = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('<')), _mm_cmpeq_epi8(block, _mm_set1_epi8('&')));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(hit));
    return mask == 0 ? step : static_cast<std::size_t>(__builtin_ctz(mask));
  }
#endif
  auto const run = find_markup(text.substr(0, step));
  std::copy_n(text.data(), run, to);
  return run;
}

// A reference XML itself defines, as nearly all in a feed with escaped HTML are; 0 when it is none of them.
std::size_t own_reference(string_view text) {
  if (text.size() < 4) return 0;
  switch (text[1]) {
    case 'l':
      return text[2] == 't' && text[3] == ';' ? 4 : 0;
    case 'g':
      return text[2] == 't' && text[3] == ';' ? 4 : 0;
    case 'a':
      return text.starts_with("&amp;") ? 5 : text.starts_with("&apos;") ? 6 : 0;
    case 'q':
      return text.starts_with("&quot;") ? 6 : 0;
    default:
      return 0;
  }
}

char own_character(string_view text, std::size_t length) {
  return length == 4 ? (text[1] == 'l' ? '<' : '>') : length == 5 ? '&' : text[1] == 'a' ? '\'' : '"';
}

// The ']' that ends the internal subset: not one in a value or a comment.
std::size_t subset_end(string_view text, std::size_t from) {
  char quote = 0;
  for (auto i = from + 1; i < text.size(); ++i) {
    if (quote) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == ']') {
      return i;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '<' && text.substr(i).starts_with("<!--")) {
      i = text.find("-->", i);
      if (i == npos) break;
    }
  }
  return npos;
}

// Past the '>' of the tag that starts `text`; 0 when this is no tag, `wait` when more input must come. A '<' outside
// quotes ends it too: what was taken for a tag was text. A quote that never closes, or only where another tag's opens,
// does not swallow the rest of the document: the first '>' behind it is then taken. `wasted` grows by what was looked
// at in vain.
std::size_t find_tag_end(string_view text, bool last, std::size_t limit, std::size_t& wasted) {
  auto const window = text.substr(0, limit);
  std::size_t inside = npos;  // the first '>' inside the open quote
  char quote = 0;
  char before = 0;  // the last character that was no blank: a quote opens only behind '='
  std::size_t i = 1;
  while (i < window.size() && (is_name_char(window[i]) || window[i] == '/')) before = window[i++];  // most are a name
  for (; i < window.size(); ++i) {
    auto const c = window[i];
    if (quote) {
      if (c == quote) {
        // ...="a> <b c=" is no value: the quote opens the next tag's.
        if (inside != npos && window[i - 1] == '=') return wasted += i - inside, inside + 1;
        quote = 0;
        inside = npos;
      } else if (c == '>' && inside == npos) {
        inside = i;
      }
      continue;
    }
    if (c == '>') return i + 1;
    if (c == '<') return wasted += i, 0;
    if ((c == '"' || c == '\'') && before == '=') quote = c;
    if (!is_blank(c)) before = c;
  }
  if (!last && window.size() < limit) return wait;
  wasted += window.size();
  return inside == npos ? 0 : inside + 1;
}

}  // namespace

string_view xml_mender::open_name(std::size_t index) const {
  auto const end = index + 1 < open_.size() ? open_[index + 1].name_at : names_.size();
  return string_view{names_}.substr(open_[index].name_at, end - open_[index].name_at);
}

bool xml_mender::is_root(string_view name) const {
  if (!root_.empty()) return same_word(name, root_);
  return is_one_of(local_part(name), {"rss", "feed", "rdf", "channel", "entry"});
}

void xml_mender::repair() {
  repaired_ = true;
  if (++repairs_ > limits_.repairs) ended_ = true;
}

void xml_mender::push(string_view text, sax_parser& to) {
  to_ = &to;
  take(text);
  flush();
}

void xml_mender::take(string_view text) {
  if (refused_ || ended_) return;
  if (pending_.empty()) {
    pending_.assign(text.substr(consume(text, false)));
    return;
  }
  pending_ += text;
  pending_.erase(0, consume(pending_, false));
}

void xml_mender::end_input(sax_parser& to) {
  to_ = &to;
  if (refused_) return;
  auto const rest = std::exchange(pending_, {});
  consume(rest, true);
  if (mode_ == mode::cdata) {
    if (!around_) xml_ += "]]>";
    cut_inside_ = true;
  }
  if (!open_.empty()) cut_short_ = repaired_ = true;
  flush();
}

void xml_mender::close(sax_parser& to) {
  to_ = &to;
  if (!refused_) close_until(0);
  flush();
}

void xml_mender::flush() {
  if (!xml_.empty()) to_->push(xml_);
  xml_.clear();
  if (!text_.empty()) to_->text(text_);
  text_.clear();
}

// The first text behind a tag decides for all text up to the next one. A long one goes around libxml2: it is clean
// UTF-8 already, and nine tenths of a feed are such text.
void xml_mender::open_gap(string_view text) {
  if (!fresh_gap_) return;
  fresh_gap_ = false;
  constexpr std::size_t is_long = 192;
  if (text.starts_with("<![CDATA[")) {
    around_ = text.size() > is_long && text.substr(0, is_long).find("]]>") == npos;
  } else {
    auto const next = text.substr(0, is_long).find('<');
    around_ = next == npos ? text.size() > is_long : text.substr(next).starts_with("<![CDATA[");
  }
  if (around_) flush();
}

// Before a tag is written: what went around comes first.
void xml_mender::close_gap() {
  if (around_) flush();
  around_ = muted_ = false;
  fresh_gap_ = true;
}

void xml_mender::put(string_view plain) {
  if (muted_) return;
  if (around_)
    text_ += plain;
  else
    append_escaped(xml_, plain);
}

// Text without references or tags. To libxml2 "]]>" in it is an error that costs all the text in front: its '>' is
// written as a reference, also where the brackets may have been in the piece before.
void xml_mender::pass(string_view run) {
  if (around_) return void(text_ += run);
  std::size_t done = 0;
  for (auto at = run.find('>'); at != npos; at = run.find('>', at + 1)) {
    if (at > 1 && (run[at - 1] != ']' || run[at - 2] != ']')) continue;
    (xml_ += run.substr(done, at - done)) += "&gt;";
    done = at + 1;
  }
  xml_ += run.substr(done);
}

// As much as goes around the parser without a thought. Escaped HTML is nothing else, so this loop is short.
std::size_t xml_mender::pass_around(string_view text) {
  char block[1024];
  std::size_t used = 0, at = 0;
  for (;;) {
    if (used > sizeof block - step) {
      text_.append(block, used);
      used = 0;
    }
    auto const run = copy_to_markup(block + used, text.substr(at));
    used += run;
    at += run;
    if (run == step) continue;
    auto const length = at < text.size() && text[at] == '&' ? own_reference(text.substr(at)) : 0;
    if (length == 0) break;
    block[used++] = own_character(text.substr(at), length);
    at += length;
  }
  text_.append(block, used);
  return at;
}

// Returns how much was used; what is left waits for its end.
std::size_t xml_mender::consume(string_view text, bool last) {
  std::size_t at = 0;
  while (at < text.size() && !refused_ && !ended_) {
    auto const rest = text.substr(at);
    std::size_t used = 0;
    if (mode_ == mode::prolog) {
      used = rest[0] == '<' ? prolog(rest, last) : std::min(rest.size(), rest.find('<'));
      if (used == 0) used = tag(rest, last);
    } else if (mode_ == mode::comment) {
      used = comment(rest, last);
    } else if (mode_ == mode::cdata) {
      used = cdata(rest, last);
    } else if (around_ && !muted_ && !fresh_gap_ && (used = pass_around(rest)) > 0) {
    } else if (auto const run = find_markup(rest); run > 0) {
      open_gap(rest);
      if (!muted_) pass(rest.substr(0, run));
      used = run;
    } else {
      used = rest[0] == '&' ? reference(rest, last) : markup(rest, last);
    }
    if (used == wait) break;
    at += used;
  }
  return refused_ || ended_ ? text.size() : at;
}

// In front of the root element. Returns 0 when the root starts here.
std::size_t xml_mender::prolog(string_view text, bool last) {
  if (text.size() < 16 && !last && text.find('>') == npos) return wait;
  if (text.starts_with("<?")) {
    if (starts_with_word(text, "<?xml") && text.size() > 5 && !is_name_char(text[5])) page_ = false;
    auto const end = text.find('>');
    return end == npos ? (last || text.size() > limits_.tag_bytes ? text.size() : wait) : end + 1;
  }
  if (text.starts_with("<!")) {
    return declaration(text, last);
  }
  auto const name = name_at(text.substr(1, limits_.tag_bytes));
  if (1 + name.size() == text.size() && !last) return wait;
  if (name.empty() || text[1] == '/') return repair(), 1;
  if (is_root(name) && !page_) return 0;
  repair();
  if (is_one_of(name, {"html", "head", "body"})) page_ = true;
  if (is_page_tag(name) || (page_ && name.find(':') == npos)) return 1 + name.size();
  refused_ = true;
  return text.size();
}

std::size_t xml_mender::markup(string_view text, bool last) {
  if (text.size() == 1 && !last) return wait;
  auto const next = text.size() > 1 ? text[1] : ' ';
  if (next == '!' || next == '?') return declaration(text, last);
  if (is_name_start(next) || next == '/') return tag(text, last);
  open_gap(text);
  put("<");
  repair();
  return 1;
}

// <!-- -->, <![CDATA[, <!DOCTYPE>, <? ?>: all but CDATA end here.
std::size_t xml_mender::declaration(string_view text, bool last) {
  if (text.size() < 9 && !last && text.find('>') == npos) return wait;
  if (text.starts_with("<![CDATA[")) {
    if (mode_ == mode::prolog) return 9;
    open_gap(text);
    if (!around_) xml_ += "<![CDATA[";
    mode_ = mode::cdata;
    return 9;
  }
  if (text.starts_with("<!--")) {
    mode_ = mode::comment;
    return 4;
  }
  auto const doctype = starts_with_word(text, "<!doctype");
  auto const subset = doctype ? text.find('[') : npos;
  auto end = text.find(text[1] == '?' ? "?>" : ">");
  if (subset != npos && subset < end) {
    auto const close = subset_end(text, subset);
    end = close == npos ? npos : text.find('>', close);
  }
  bool const whole = end != npos;
  if (!whole && !last && text.size() < limits_.tag_bytes) return wait;
  if (doctype && mode_ == mode::prolog) read_doctype(text.substr(0, end));
  if (!whole) return repair(), text.size();
  return end + (text[1] == '?' ? 2 : 1);
}

// Forgotten while it streams, so that its length costs nothing.
std::size_t xml_mender::comment(string_view text, bool last) {
  auto const end = text.find("-->");
  if (end == npos) {
    if (last) cut_inside_ = true;
    return last ? text.size() : text.size() > 2 ? text.size() - 2 : wait;
  }
  mode_ = open_.empty() ? mode::prolog : mode::content;
  return end + 3;
}

std::size_t xml_mender::cdata(string_view text, bool last) {
  auto& to = around_ ? text_ : xml_;
  auto const end = text.find("]]>");
  if (end != npos) {
    if (!muted_) to.append(text, 0, end);
    if (!around_) to += "]]>";
    mode_ = mode::content;
    return end + 3;
  }
  auto const keep = last ? 0 : std::min<std::size_t>(2, text.size());
  if (text.size() == keep) return wait;
  if (!muted_) to.append(text, 0, text.size() - keep);
  return text.size() - keep;
}

std::size_t xml_mender::reference(string_view text, bool last) {
  if (muted_) return 1;
  open_gap(text);
  if (auto const length = own_reference(text)) {
    if (!around_)
      xml_.append(text, 0, length);
    else
      text_ += own_character(text, length);
    return length;
  }
  if (text.size() < 40 && !last && text.find_first_of(text.starts_with("&#") ? "<" : "; <\n", 1) == npos) return wait;
  if (auto const name = name_at(text.substr(1, 64)); name.size() + 1 < text.size() && text[name.size() + 1] == ';') {
    if (auto const entity = entities_.find(name); entity != entities_.end()) {
      expansion_ += entity->second.size() + 1;
      if (expansion_ <= limits_.expansion && nesting_ < 4) {
        ++nesting_;
        consume(entity->second, true);
        --nesting_;
      } else {
        repair();
      }
      return name.size() + 2;
    }
  }
  auto const found = read_reference(text, reference_place::text);
  if (found.length == 0) {
    put("&");
    repair();
    return 1;
  }
  put(found.text);
  return found.length;
}

std::size_t xml_mender::tag(string_view text, bool last) {
  auto const window = wasted_ < most_wasted ? limits_.tag_bytes : small_tag;
  auto const length = find_tag_end(text, last, window, wasted_);
  if (length == wait) return wait;
  if (length == 0) {
    repair();
    if (mode_ == mode::prolog) return 1;
    if (auto const end = open_end_tag(text); end > 0) return close_until(open_.size() - 1), end;
    if (text.size() >= limits_.tag_bytes && text.substr(1, limits_.tag_bytes - 1).find('<') == npos)
      return limits_.tag_bytes;
    if (last && text.find('<', 1) == npos) {
      cut_inside_ = true;
      return text.size();
    }
    open_gap(text);
    put("<");
    return 1;
  }
  if (text[1] == '/')
    end_tag(text.substr(2, length - 3));
  else
    start_tag(text.substr(0, length));
  return length;
}

// How long the end tag of the innermost element is that lacks nothing but its '>' before the next tag; 0 for others.
std::size_t xml_mender::open_end_tag(string_view text) const {
  if (open_.empty() || !text.starts_with("</")) return 0;
  auto const name = name_at(text.substr(2));
  auto const next = text.find_first_not_of(" \t\r\n", 2 + name.size());
  return next != npos && text[next] == '<' && name == open_name(open_.size() - 1) ? next : 0;
}

// Fills attributes_; true when the tag can be passed on as it is.
bool xml_mender::read_attributes(string_view text) {
  attributes_.clear();
  bool plain = true;
  std::size_t at = 0;
  for (;;) {
    auto const gap = at;
    while (at < text.size() && (is_blank(text[at]) || text[at] == '/')) plain = plain && text[at] != '/', ++at;
    if (at == text.size()) return plain;
    plain = plain && gap != at;
    auto const name = name_at(text.substr(at));
    if (name.empty()) {  // no name can start here
      plain = false;
      ++at;
      continue;
    }
    at += name.size();
    while (at < text.size() && is_blank(text[at])) ++at;
    attribute found{name, {}, 0};
    if (at < text.size() && text[at] == '=') {
      do ++at;
      while (at < text.size() && is_blank(text[at]));
      if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
        found.quote = text[at++];
        auto const end = std::min(text.size(), text.find(found.quote, at));
        plain = plain && end < text.size();
        found.value = text.substr(at, end - at);
        at = std::min(text.size(), end + 1);
      } else {
        auto const end = std::min(text.size(), text.find_first_of(" \t\r\n", at));
        found.value = text.substr(at, end - at);
        at = end;
      }
    }
    bool const known = std::ranges::find(attributes_, name, &attribute::name) != attributes_.end();
    if (known || attributes_.size() >= limits_.attributes || !is_plain_name(name)) {
      plain = false;
      continue;
    }
    plain = plain && found.quote && find_markup(found.value) == found.value.size();
    attributes_.push_back(found);
  }
}

void xml_mender::append_value(string& out, string_view value) {
  for (;;) {
    auto const at = value.find_first_of("<&\"");
    out += value.substr(0, at);
    if (at == npos) return;
    value.remove_prefix(at);
    std::size_t used = 1;
    if (value[0] != '&') {
      out += value[0] == '<' ? "&lt;" : "&quot;";
    } else if (auto const own = own_reference(value)) {
      out += value.substr(0, own);
      used = own;
    } else if (auto const name = name_at(value.substr(1, 64));
               value.substr(1 + name.size()).starts_with(';') && entities_.contains(name)) {
      auto const& text = entities_.find(name)->second;
      expansion_ += text.size() + 1;
      if (expansion_ <= limits_.expansion) append_escaped(out, decode_references(text), reference_place::attribute);
      used = name.size() + 2;
    } else if (auto const found = read_reference(value, reference_place::attribute); found.length > 0) {
      if (found.text == "\n" || found.text == "\r" || found.text == "\t") {
        out += found.text == "\n"   ? "&#10;"
               : found.text == "\r" ? "&#13;"
                                    : "&#9;";  // written plain they would be blanks
      } else {
        append_escaped(out, found.text, reference_place::attribute);
      }
      used = found.length;
    } else {
      out += "&amp;";
      repair();
    }
    value.remove_prefix(used);
  }
}

void xml_mender::start_tag(string_view text) {
  if (++tags_ > limits_.tags) {
    ended_ = repaired_ = true;
    return;
  }
  auto name = name_at(text.substr(1));
  bool const empty = text[text.size() - 2] == '/';
  if (too_deep_ > 0 || open_.size() >= limits_.depth) {
    repair();
    if (!empty && !is_void(name)) ++too_deep_;
    return;
  }
  auto const inner = text.substr(1 + name.size(), text.size() - 2 - name.size() - (empty ? 1 : 0));
  bool const plain_tag = is_plain_name(name);
  bool const plain = read_attributes(inner) && plain_tag;
  string mended;
  if (!plain_tag) name = mended = plain_name(name);
  if (empty && is_one_of(name, {"item", "entry"}) && attributes_.empty() && inside_item()) return repair();
  close_open_item(name);
  close_gap();
  bool const closed = empty || is_void(name);
  if (plain) {
    xml_ += text.substr(0, text.size() - (empty ? 2 : 1));
  } else {
    xml_ += '<';
    xml_ += name;
    for (auto const& [key, value, quote] : attributes_) {
      xml_ += ' ';
      xml_ += key;
      xml_ += "=\"";
      append_value(xml_, value);
      xml_ += '"';
    }
  }
  xml_ += closed ? "/>" : ">";
  mode_ = mode::content;
  if (!closed) {
    open_.push_back({static_cast<std::uint32_t>(names_.size()), hash_of(name)});
    names_ += name;
  } else if (open_.empty()) {
    ended_ = true;
  }
}

bool xml_mender::inside_item() const {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (is_one_of(open_name(i), {"item", "entry"})) return true;
  return false;
}

// Two items are never one inside the other: the first was not closed. (Entries are, in `source` and `content`, and
// items in what an extension builds of its own elements.)
void xml_mender::close_open_item(string_view name) {
  if (!same_word(name, "item") && !same_word(name, "entry")) return;
  auto const prefix = [this](std::size_t i) { return open_name(i).substr(0, open_name(i).find(':') + 1); };
  auto const depth = open_.size();
  if (depth > 1 && !prefix(depth - 1).empty() && prefix(depth - 1) == prefix(depth - 2)) return;
  for (auto i = open_.size(); i-- > 0;) {
    auto const outer = open_name(i);
    if (same_word(outer, name)) {
      repair();
      return close_until(i);
    }
    if (is_one_of(local_part(outer), {"content", "source", "description", "summary", "encoded"})) return;
  }
}

void xml_mender::close_until(std::size_t depth) {
  close_gap();
  while (open_.size() > depth) {
    xml_ += "</";
    xml_ += open_name(open_.size() - 1);
    xml_ += '>';
    names_.resize(open_.back().name_at);
    open_.pop_back();
  }
  if (open_.empty()) ended_ = true;
}

void xml_mender::end_tag(string_view text) {
  if (too_deep_ > 0) {
    --too_deep_;
    return;
  }
  auto name = name_at(text);
  if (!open_.empty() && name == open_name(open_.size() - 1)) return close_until(open_.size() - 1);  // as it should be
  string mended;
  if (!is_plain_name(name)) name = mended = plain_name(name);
  auto const hash = hash_of(name);
  for (auto i = open_.size(); i-- > 0;) {
    if (open_[i].hash != hash || !same_word(open_name(i), name)) continue;
    if (i + 1 != open_.size()) repair();
    return close_until(i);
  }
  repair();
  // With another prefix or none it means the innermost element all the same; others close nothing that is open.
  if (auto const last = open_.size() - 1; !open_.empty() && same_word(local_part(open_name(last)), local_part(name)))
    close_until(last);
}

}  // namespace cistern::stitch::feed
