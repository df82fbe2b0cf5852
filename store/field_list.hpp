#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cistern::store {

/// Reading of list-valued fields (RFC 9110 §5.6.1) without allocating. Views point into the value that was given.

[[nodiscard]] bool is_token(std::string_view text);
[[nodiscard]] std::string_view trim_blanks(std::string_view text);

/// The next element of a comma-separated list, which is taken off `rest`; commas inside quoted strings do not separate,
/// and empty elements are passed over (§5.6.1.2). Nothing when the list is at its end. An unclosed quote swallows the
/// rest.
[[nodiscard]] std::optional<std::string_view> next_element(std::string_view& rest);
/// The same for parameters, which semicolons separate.
[[nodiscard]] std::optional<std::string_view> next_parameter(std::string_view& rest);

/// Calls `visit(element)` for each element of a list.
template <class Visit>
void for_each_element(std::string_view list, Visit&& visit) {
  while (auto const element = next_element(list)) visit(*element);
}

/// Is `token` an element of the list, whatever the case?
[[nodiscard]] bool list_has(std::string_view list, std::string_view token);

/// The content of a quoted string with its escapes taken away; text that is not quoted comes back as it is.
[[nodiscard]] std::string unquoted(std::string_view text);

/// delta-seconds (RFC 9111 §1.2.2): digits only; what does not fit becomes 2^31 seconds, "a very long time".
[[nodiscard]] std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view digits);
inline constexpr std::chrono::seconds longest_delta{std::int64_t{1} << 31};

/// A quality value in thousandths (RFC 9110 §12.4.2): 0–1000, or nothing when it is not one.
[[nodiscard]] std::optional<int> parse_quality(std::string_view text);

}  // namespace cistern::store
