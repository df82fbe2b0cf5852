#pragma once

/// Dates as publishers write them: RFC 822 with all its damage, RFC 3339 and ISO 8601 in every precision, asctime,
/// plain Unix time, the orders and month names people use at home.
/// A time without a zone, or with one nobody knows, is read as UTC. What cannot be read is nothing: it is never "now".

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::stitch::feed {

[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_date(std::string_view text);

/// How far from UTC the writer's clock was, where the date ends with an offset: "+0530", "-07:00".
[[nodiscard]] std::optional<std::chrono::minutes> stated_offset(std::string_view text);

/// RFC 3339 in UTC, "2004-02-29T12:00:00Z".
[[nodiscard]] std::string format_date(std::chrono::sys_seconds time);

}  // namespace cistern::stitch::feed
