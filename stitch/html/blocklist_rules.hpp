#pragma once

#include <span>
#include <string_view>

namespace cistern::stitch::html {

/// The rules that come with Cistern, in the syntax of html/blocklist.hpp. Private to html/blocklist.cpp.
[[nodiscard]] std::span<std::string_view const> blocklist_rules() noexcept;

}  // namespace cistern::stitch::html
