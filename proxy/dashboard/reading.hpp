#pragma once

/// The text of an item as it is shown in the reading view.

#include <string>
#include <string_view>

namespace cistern::proxy {

/// `clean` comes from the sanitiser, whose output is regular: attributes are in double quotes. Links lead to where they
/// lead from `base`; pictures are asked for here (/picture), so that only what is stored is shown and nobody elsewhere
/// learns that it was read.
[[nodiscard]] std::string reading_text(std::string_view clean, std::string_view base);

}  // namespace cistern::proxy
