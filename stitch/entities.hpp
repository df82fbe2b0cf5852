#pragma once

/// HTML's character references: all 2,125 names (capitals matter: &AElig; is not &aelig;) and the numeric forms with
/// the repairs browsers make (128-159 mean windows-1252, nonsense becomes U+FFFD).

#include <cstddef>
#include <string>
#include <string_view>

namespace cistern::stitch {

/// Where a reference stands decides whether `&copy=1` is a sign or a query variable.
enum class reference_place { text, attribute };

/// One reference at the start of `text` (which begins with '&').
struct reference {
  std::size_t length = 0;  // bytes it takes, 0 when there is none: then the '&' is just an ampersand
  std::string text;        // UTF-8; empty when the reference means nothing (a control character)
};
[[nodiscard]] reference read_reference(std::string_view text, reference_place place);

/// The text of the named reference, empty when HTML does not know the name.
[[nodiscard]] std::string_view named_text(std::string_view name);

/// All references replaced, once.
[[nodiscard]] std::string decode_references(std::string_view text, reference_place place = reference_place::text);

/// `& < >` (and `"` for attributes, which we always quote so) written as references.
void append_escaped(std::string& out, std::string_view text, reference_place place = reference_place::text);
[[nodiscard]] std::string escape_text(std::string_view text);
[[nodiscard]] std::string escape_attribute(std::string_view text);

/// Safe wherever somebody else's template puts it: as text or between either quotes. NUL becomes U+FFFD.
[[nodiscard]] std::string escape_anywhere(std::string_view text);

void append_utf8(std::string& out, char32_t code);

/// What a numeric reference, or a stray C1 control, stands for on the web: 0x80-0x9f are windows-1252.
[[nodiscard]] char32_t from_windows_1252(char32_t code);

}  // namespace cistern::stitch
