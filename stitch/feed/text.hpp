#pragma once

/// Small readings of text that several formats share. All linear.

#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

/// Without white space at both ends (no-break spaces stay).
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lowered(std::string_view text);
/// Equal without regard to the case of ASCII letters.
[[nodiscard]] bool same(std::string_view a, std::string_view b);

/// Which `<...>` in a text are taken for tags: all that look so, or only HTML's own, so that `x <y> z` stays.
enum class tags { all, known };

/// HTML as a person would read it in one line: tags, comments, scripts and styles gone, references decoded once,
/// trimmed.
[[nodiscard]] std::string html_to_text(std::string_view html, tags which = tags::all);

/// Nothing when the text is not base64 of text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Elements of HTML that have neither content nor an end tag.
[[nodiscard]] bool is_void_element(std::string_view name);

/// One person as RSS writes them: "mail (Name)", "Name (mail)", "Name <mail>", "mailto:mail". The name when there is
/// one.
[[nodiscard]] std::string person_name(std::string_view text);

/// `text` cut to at most `size` bytes, never inside a character.
[[nodiscard]] std::string_view clipped(std::string_view text, std::size_t size);

}  // namespace cistern::stitch::feed
