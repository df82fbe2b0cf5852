#pragma once

/// Forms with files (multipart/form-data, RFC 7578), of a body that is in memory already. Parts are views of it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

struct form_part {
  std::string name{};
  std::string file_name{};   // empty: it is no file
  std::string_view bytes{};  // lives as long as the body
};

/// Nothing when the type is another one, the body does not end as it must, or has more than `most` parts.
[[nodiscard]] std::optional<std::vector<form_part>> parts_of_form(std::string_view content_type, std::string_view body,
                                                                  std::size_t most = 64);

}  // namespace cistern::proxy
