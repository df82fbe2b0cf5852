#pragma once

/// The tokens of a style sheet (CSS Syntax Level 3, §4), each with the bytes it came from, so that a sheet can be
/// changed by replacing byte ranges and never has to be written anew.
///
/// The sheet is UTF-8. Nothing is copied while reading: a name or an address is a range of the sheet, and is decoded
/// (`unescaped`) only when someone wants it. One pass, linear, no recursion; any bytes are a sheet.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cistern::stitch::css {

enum class token_kind : std::uint8_t {
  ident,
  function,  // a name and its '('; the value is the name
  at_keyword,
  hash,
  string,
  bad_string,  // ended by a line break
  url,         // url(...) without quotes; with quotes it is a function and a string
  bad_url,     // what a browser drops up to the next ')'
  delim,       // one character that is nothing else
  number,      // numbers, percentages and dimensions: the value is the number, the unit follows it
  whitespace,
  colon,
  semicolon,
  comma,
  open,            // ( [ {
  close,           // ) ] }
  markup_comment,  // <!-- or -->
  end,
};

struct token {
  token_kind kind = token_kind::end;
  char sign = 0;         // of open, close and delim
  bool escaped = false;  // the value has to be decoded
  std::uint32_t begin = 0, end = 0;
  std::uint32_t value_begin = 0, value_end = 0;  // the name, or what stands between quotes or parentheses
};

/// Reads `sheet`, which must outlive it and be shorter than 4 GB. Comments are passed over.
class tokenizer {
public:
  explicit tokenizer(std::string_view sheet) noexcept : text_{sheet} {}

  [[nodiscard]] token next() noexcept;
  [[nodiscard]] std::string_view raw_value(token const& t) const noexcept {
    return text_.substr(t.value_begin, t.value_end - t.value_begin);
  }
  [[nodiscard]] std::string value(token const& t) const;
  /// Without regard to case and escapes.
  [[nodiscard]] bool is(token const& t, std::string_view lower_case_name) const;

private:
  [[nodiscard]] char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }
  [[nodiscard]] bool escape_at(std::size_t i) const noexcept;
  [[nodiscard]] bool name_starts_at(std::size_t i) const noexcept;
  [[nodiscard]] bool number_starts_at(std::size_t i) const noexcept;
  void skip_comments() noexcept;
  void skip_escape() noexcept;
  bool skip_name() noexcept;  // whether it has escapes
  token read_name_like(token t) noexcept;
  token read_url(token t) noexcept;
  token read_bad_url(token t) noexcept;
  token read_string(token t) noexcept;
  token read_number(token t) noexcept;
  token read_mark(token t) noexcept;
  token finished(token t, token_kind kind) const noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A name or address with its escapes replaced by what they stand for.
[[nodiscard]] std::string unescaped(std::string_view raw);

/// Any text as a quoted string of a style sheet, safe inside a <style> element too.
void append_quoted(std::string& out, std::string_view text);

}  // namespace cistern::stitch::css
