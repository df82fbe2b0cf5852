#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// HTTP dates (RFC 9110 §5.6.7): the three forms a recipient must accept, to the letter but for the case of names,
/// which real servers get wrong. Anything else is not a date: guessing would make a response fresher than its author
/// said.
///   IMF-fixdate  Sun, 06 Nov 1994 08:49:37 GMT
///   RFC 850      Sunday, 06-Nov-94 08:49:37 GMT     (the century is chosen so that it is at most 50 years ahead of
///   `now`) asctime      Sun Nov  6 08:49:37 1994
/// The weekday must be one, but is not compared with the date: origins that get it wrong mean the date.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                                      std::chrono::sys_seconds now);

/// IMF-fixdate, the only form that is ever sent. Years outside 0–9999 are clamped.
[[nodiscard]] std::string format_http_date(std::chrono::sys_seconds when);

}  // namespace cistern::store
