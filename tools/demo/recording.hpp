#pragma once

/// A minute of something that sounds like drops in a cistern: a file that is long enough to be cut a few times.

#include <string>

namespace cistern::demo {

/// A WAV file of about 2.6 MB, the same every time.
[[nodiscard]] std::string const& recording();

}  // namespace cistern::demo
