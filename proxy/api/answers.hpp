#pragma once

/// What the API's parts share: how answers are made, and how bodies and queries are read.

#include "proxy/api/api.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

[[nodiscard]] api_answer say(boost::json::value const& value, unsigned status = 200);
/// Every refusal has the same shape: one sentence that says what to do.
[[nodiscard]] api_answer refuse(unsigned status, std::string message);

[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text);
/// "2026-11-16": its first second.
[[nodiscard]] std::optional<std::chrono::sys_seconds> day_in(std::string_view text);
/// An empty body is an empty object.
[[nodiscard]] std::optional<boost::json::object> object_in(std::string_view body);
[[nodiscard]] std::string text_of(boost::json::object const& from, std::string_view name);
[[nodiscard]] bool flag_of(boost::json::object const& from, std::string_view name, bool otherwise);
[[nodiscard]] std::vector<std::string> texts_of(boost::json::value const& value);

[[nodiscard]] std::string_view query_of(std::string_view target);
[[nodiscard]] std::optional<std::uint64_t> query_number(std::string_view query, std::string_view name);
/// Decoded; empty when it is not there.
[[nodiscard]] std::string query_text(std::string_view query, std::string_view name);

}  // namespace cistern::proxy
