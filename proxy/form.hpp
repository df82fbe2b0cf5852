#pragma once

/// Forms and queries (application/x-www-form-urlencoded).

#include <string>
#include <string_view>

namespace cistern::proxy {

/// One value, blanks as %20.
[[nodiscard]] std::string encode_form(std::string_view text);

/// The value of one field of a form or a query; empty when it is not there or is not well-formed.
[[nodiscard]] std::string form_field(std::string_view form, std::string_view name);

}  // namespace cistern::proxy
