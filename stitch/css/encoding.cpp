#include "stitch/css/encoding.hpp"

#include "stitch/charset.hpp"

namespace cistern::stitch::css {

std::string as_utf8(std::string_view bytes, std::string_view content_type) {
  auto label = charset_of_content_type(content_type);
  static constexpr std::string_view rule = "@charset \"";
  if (label.empty() && bytes.starts_with(rule))
    label = bytes.substr(rule.size(), bytes.substr(0, 1024).find('"', rule.size()) - rule.size());
  return to_utf8(bytes, label);
}

}  // namespace cistern::stitch::css
