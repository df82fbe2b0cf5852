#include "stitch/css/tokenizer.hpp"

#include "stitch/entities.hpp"

namespace cistern::stitch::css {
namespace {

constexpr bool is_newline(char c) { return c == '\n' || c == '\r' || c == '\f'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || is_newline(c); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_hex(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
// A zero byte is read as U+FFFD (§3.3), which may stand in a name.
constexpr bool starts_name(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80 || c == '\0';
}
constexpr bool in_name(char c) { return starts_name(c) || is_digit(c) || c == '-'; }
// "Non-printable code point" (§4.2) without the zero byte.
constexpr bool unprintable(char c) {
  auto const u = static_cast<unsigned char>(c);
  return (u >= 1 && u <= 8) || u == 0x0b || (u >= 0x0e && u <= 0x1f) || u == 0x7f;
}

constexpr unsigned hex_value(char c) { return static_cast<unsigned>(is_digit(c) ? c - '0' : lower(c) - 'a' + 10); }

}  // namespace

bool tokenizer::escape_at(std::size_t i) const noexcept {
  return at(i) == '\\' && (i + 1 >= text_.size() || !is_newline(text_[i + 1]));
}

bool tokenizer::name_starts_at(std::size_t i) const noexcept {
  if (i >= text_.size()) return false;
  if (text_[i] == '-') {
    ++i;
    if (i >= text_.size()) return false;
    return text_[i] == '-' || starts_name(text_[i]) || escape_at(i);
  }
  return starts_name(text_[i]) || escape_at(i);
}

bool tokenizer::number_starts_at(std::size_t i) const noexcept {
  if (at(i) == '+' || at(i) == '-') ++i;
  if (at(i) == '.') ++i;
  return is_digit(at(i));
}

void tokenizer::skip_comments() noexcept {
  while (at(at_) == '/' && at(at_ + 1) == '*') {
    auto const close = text_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? text_.size() : close + 2;
  }
}

// Behind the backslash: up to six hexadecimal digits and one blank, or any one character.
void tokenizer::skip_escape() noexcept {
  ++at_;
  if (at_ >= text_.size()) return;
  if (!is_hex(text_[at_])) {
    ++at_;
    return;
  }
  for (int digits = 0; digits < 6 && is_hex(at(at_)); ++digits) ++at_;
  if (at(at_) == '\r' && at(at_ + 1) == '\n')
    at_ += 2;
  else if (at_ < text_.size() && is_space(text_[at_]))
    ++at_;
}

bool tokenizer::skip_name() noexcept {
  bool escaped = false;
  while (at_ < text_.size()) {
    if (in_name(text_[at_])) {
      escaped = escaped || text_[at_] == '\0';
      ++at_;
    } else if (escape_at(at_)) {
      escaped = true;
      skip_escape();
    } else {
      break;
    }
  }
  return escaped;
}

token tokenizer::finished(token t, token_kind kind) const noexcept {
  t.kind = kind;
  t.end = static_cast<std::uint32_t>(at_);
  return t;
}

token tokenizer::read_name_like(token t) noexcept {
  t.value_begin = t.begin;
  t.escaped = skip_name();
  t.value_end = static_cast<std::uint32_t>(at_);
  if (at(at_) != '(') return finished(t, token_kind::ident);
  ++at_;
  if (!is(t, "url")) return finished(t, token_kind::function);
  auto i = at_;
  while (i < text_.size() && is_space(text_[i])) ++i;
  if (at(i) == '"' || at(i) == '\'') return finished(t, token_kind::function);
  at_ = i;
  return read_url(t);
}

token tokenizer::read_url(token t) noexcept {
  t.escaped = false;
  t.value_begin = t.value_end = static_cast<std::uint32_t>(at_);
  while (at_ < text_.size() && text_[at_] != ')') {
    auto const c = text_[at_];
    if (is_space(c)) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ < text_.size() && text_[at_] != ')') return read_bad_url(t);
      break;
    }
    if (c == '"' || c == '\'' || c == '(' || unprintable(c)) return read_bad_url(t);
    if (c == '\\') {
      if (!escape_at(at_)) return read_bad_url(t);
      t.escaped = true;
      skip_escape();
    } else {
      t.escaped = t.escaped || c == '\0';
      ++at_;
    }
    t.value_end = static_cast<std::uint32_t>(at_);
  }
  if (at_ < text_.size()) ++at_;  // the ')'
  return finished(t, token_kind::url);
}

token tokenizer::read_bad_url(token t) noexcept {
  t.value_begin = t.value_end = t.begin;
  t.escaped = false;
  while (at_ < text_.size() && text_[at_] != ')') {
    if (escape_at(at_))
      skip_escape();
    else
      ++at_;
  }
  if (at_ < text_.size()) ++at_;
  return finished(t, token_kind::bad_url);
}

token tokenizer::read_string(token t) noexcept {
  auto const quote = text_[at_++];
  t.value_begin = static_cast<std::uint32_t>(at_);
  while (at_ < text_.size() && text_[at_] != quote) {
    auto const c = text_[at_];
    if (is_newline(c)) {
      t.value_end = static_cast<std::uint32_t>(at_);
      return finished(t, token_kind::bad_string);
    }
    t.escaped = t.escaped || c == '\\' || c == '\0';
    if (c == '\\' && !escape_at(at_)) {  // a line that goes on
      ++at_;
      at_ += at(at_) == '\r' && at(at_ + 1) == '\n' ? 2 : 1;
    } else if (c == '\\') {
      skip_escape();
    } else {
      ++at_;
    }
  }
  t.value_end = static_cast<std::uint32_t>(at_);
  if (at_ < text_.size()) ++at_;
  return finished(t, token_kind::string);
}

token tokenizer::read_number(token t) noexcept {
  t.value_begin = t.begin;
  if (at(at_) == '+' || at(at_) == '-') ++at_;
  while (is_digit(at(at_))) ++at_;
  if (at(at_) == '.' && is_digit(at(at_ + 1))) {
    ++at_;
    while (is_digit(at(at_))) ++at_;
  }
  if (lower(at(at_)) == 'e') {
    auto const sign = at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 1U : 0U;
    if (is_digit(at(at_ + 1 + sign))) {
      at_ += 1 + sign;
      while (is_digit(at(at_))) ++at_;
    }
  }
  t.value_end = static_cast<std::uint32_t>(at_);
  if (at(at_) == '%')
    ++at_;
  else if (name_starts_at(at_))
    skip_name();
  return finished(t, token_kind::number);
}

token tokenizer::read_mark(token t) noexcept {
  auto const c = text_[at_++];
  t.sign = c;
  switch (c) {
    case ':':
      return finished(t, token_kind::colon);
    case ';':
      return finished(t, token_kind::semicolon);
    case ',':
      return finished(t, token_kind::comma);
    case '(':
    case '[':
    case '{':
      return finished(t, token_kind::open);
    case ')':
    case ']':
    case '}':
      return finished(t, token_kind::close);
    default:
      return finished(t, token_kind::delim);
  }
}

token tokenizer::next() noexcept {
  skip_comments();
  token t;
  t.begin = t.end = t.value_begin = t.value_end = static_cast<std::uint32_t>(at_);
  if (at_ >= text_.size()) return t;
  auto const c = text_[at_];
  if (is_space(c)) {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return finished(t, token_kind::whitespace);
  }
  if (c == '"' || c == '\'') return read_string(t);
  if (number_starts_at(at_)) return read_number(t);
  if (text_.substr(at_, 4) == "<!--" || text_.substr(at_, 3) == "-->") {
    at_ += c == '<' ? 4 : 3;
    return finished(t, token_kind::markup_comment);
  }
  if (name_starts_at(at_)) return read_name_like(t);
  bool const keyword = c == '@' && name_starts_at(at_ + 1);
  if (keyword || (c == '#' && at_ + 1 < text_.size() && (in_name(text_[at_ + 1]) || escape_at(at_ + 1)))) {
    ++at_;
    t.value_begin = static_cast<std::uint32_t>(at_);
    t.escaped = skip_name();
    t.value_end = static_cast<std::uint32_t>(at_);
    return finished(t, keyword ? token_kind::at_keyword : token_kind::hash);
  }
  return read_mark(t);
}

std::string tokenizer::value(token const& t) const {
  return t.escaped ? unescaped(raw_value(t)) : std::string{raw_value(t)};
}

bool tokenizer::is(token const& t, std::string_view name) const {
  auto const same = [name](std::string_view text) {
    if (text.size() != name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (lower(text[i]) != name[i]) return false;
    return true;
  };
  // The longest escape of one character has six digits, a backslash and a line break of two bytes.
  if (t.escaped) return raw_value(t).size() <= name.size() * 9 && same(unescaped(raw_value(t)));
  return same(raw_value(t));
}

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] == '\0') {
      append_utf8(out, 0xfffd);
      ++i;
      continue;
    }
    if (raw[i] != '\\') {
      out += raw[i++];
      continue;
    }
    if (++i >= raw.size()) {
      append_utf8(out, 0xfffd);
      break;
    }
    if (is_newline(raw[i])) {
      i += raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (!is_hex(raw[i])) {
      if (raw[i] == '\0')
        append_utf8(out, 0xfffd);
      else
        out += raw[i];
      ++i;
      continue;
    }
    char32_t code = 0;
    for (int digits = 0; digits < 6 && i < raw.size() && is_hex(raw[i]); ++digits)
      code = code * 16 + hex_value(raw[i++]);
    if (i < raw.size() && is_space(raw[i])) i += raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n' ? 2 : 1;
    append_utf8(out, code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0xfffd : code);
  }
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  for (char const c : text) {
    auto const u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>') {
      out += '\\';
      if (u >= 0x10) out += digits[u >> 4];
      out += digits[u & 15];
      out += ' ';
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace cistern::stitch::css
