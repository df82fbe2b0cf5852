#pragma once

/// Small readings of text that several formats share. All linear.

#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// Without white space at both ends (XML's; no-break spaces and their like stay).
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  auto const is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
/// A title or a name: without Unicode's white space at both ends either.
[[nodiscard]] std::string_view trimmed_line(std::string_view text);
[[nodiscard]] std::string lowered(std::string_view text);
/// Equal without regard to the case of ASCII letters.
[[nodiscard]] inline bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  auto const fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (std::size_t i = 0; i < a.size(); ++i)
    if (fold(a[i]) != fold(b[i])) return false;
  return true;
}

/// Which `<...>` in a text are taken for tags: all that look so, or only HTML's own, so that `x <y> z` stays.
enum class tags { all, known };

/// HTML as a person would read it in one line: tags, comments, scripts and styles gone, references decoded once,
/// trimmed as a line.
[[nodiscard]] std::string html_to_text(std::string_view html, tags which = tags::all);

/// Nothing when the text is not base64, an empty text when it is base64 of no text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// One of HTML's elements, those of its past included.
[[nodiscard]] bool is_html_element(std::string_view name);

/// Elements of HTML that have neither content nor an end tag.
[[nodiscard]] bool is_void_element(std::string_view name);

/// One person as RSS writes them: "mail (Name)", "Name (mail)", "Name <mail>", "mailto:mail". The name when there is
/// one.
[[nodiscard]] std::string person_name(std::string_view text);

/// `text` cut to at most `size` bytes, never inside a character.
[[nodiscard]] std::string_view clipped(std::string_view text, std::size_t size);

}  // namespace cistern::stitch::feed
