#pragma once

#include <string>
#include <string_view>

namespace cistern::proxy {

/// The value of one field of a form or a query; empty when it is not there or is not well-formed.
[[nodiscard]] std::string form_field(std::string_view form, std::string_view name);
/// A value as it stands in a form or a query.
[[nodiscard]] std::string encode_form(std::string_view text);

}  // namespace cistern::proxy
