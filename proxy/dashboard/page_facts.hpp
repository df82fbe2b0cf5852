#pragma once

/// What the API says, as values for a page: the pages show the API's answers and nothing else, so both always agree.

#include "proxy/page_template.hpp"
#include "proxy/page_texts.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::proxy {

/// Every member by its name, those of objects inside as "outer.inner", arrays as lists. Beside them, where they make
/// sense: "name.ago" (a time in words), "name.size" (bytes in words), "name.some" (empty for 0), "name.is.VALUE" ("1"
/// for a short text that is VALUE, blanks as "_"), "name.n" (how many entries a list has; empty for none).
void add_facts(page_values& into, boost::json::object const& facts, page_texts const& texts,
               std::chrono::sys_seconds now);

/// The text of that name; empty when there is none.
[[nodiscard]] std::string text_in(page_values const& values, std::string_view name);

/// "2026-11-16T08:00:00Z"
[[nodiscard]] std::optional<std::chrono::sys_seconds> read_time(std::string_view text);

}  // namespace cistern::proxy
