#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cistern::tools {

/// Gives a file (or standard input for "-") to `take` in blocks until it says no. Returns what went wrong, or nothing.
[[nodiscard]] std::string read_blocks(std::string const& file, std::function<bool(std::string_view)> const& take);

/// A whole file of at most `most` bytes, or what went wrong in `problem`.
[[nodiscard]] std::string read_whole(std::string const& file, std::size_t most, std::string& problem);

/// "standard input" or the file's own name, for messages.
[[nodiscard]] std::string name_of_input(std::string const& file);

/// One line on standard error; returns exit_code::failed.
int fail(std::string const& what);

}  // namespace cistern::tools
