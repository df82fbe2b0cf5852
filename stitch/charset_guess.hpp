#pragma once

/// The charset of a text that names none. Only for texts that are no UTF-8: what else a text without a label can be is
/// windows-1252, unless its bytes make much more sense in another script.

#include <string_view>

namespace cistern::stitch {

/// The name under which the decoder knows the charset. `head` is the text's beginning, with at least one byte that
/// UTF-8 does not allow where it stands or the escapes of ISO-2022.
[[nodiscard]] std::string_view guessed_encoding(std::string_view head);

/// The escapes by which ISO-2022 changes to Japanese or Korean and which stand in nothing else; empty when there are
/// none.
[[nodiscard]] std::string_view escaped_encoding(std::string_view head);

}  // namespace cistern::stitch
