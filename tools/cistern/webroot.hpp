#pragma once

#include <filesystem>

namespace cistern::tools {

/// The folder of the program's own pages: `configured` when it is not empty, else the one installed beside the program
/// (PREFIX/bin/cistern, PREFIX/share/cistern/webroot), else the one in the source tree it was built from.
[[nodiscard]] std::filesystem::path find_webroot(std::filesystem::path const& configured);

}  // namespace cistern::tools
