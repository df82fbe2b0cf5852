#include "proxy/multipart.hpp"

#include "store/header_block.hpp"

#include <algorithm>

namespace cistern::proxy {
namespace {

constexpr std::size_t longest_boundary = 70;  // RFC 2046 §5.1.1
constexpr std::size_t longest_head = 8u << 10;

/// `name=value` or `name="value"` among the parameters of a field. Browsers write quotes inside a name as %22.
std::string parameter(std::string_view field, std::string_view name) {
  for (auto at = field.find(';'); at != field.npos; at = field.find(';', at)) {
    at = field.find_first_not_of("; \t", at);
    if (at == field.npos) break;
    auto const equals = field.find('=', at);
    if (equals == field.npos) break;
    bool const wanted = store::same_token(field.substr(at, equals - at), name);
    bool const quoted = equals + 1 < field.size() && field[equals + 1] == '"';
    auto const begin = equals + (quoted ? 2 : 1);
    auto const end = std::min(field.size(), field.find_first_of(quoted ? "\"" : "; \t", begin));
    if (wanted) return std::string{field.substr(begin, end - begin)};
    at = std::min(field.size(), quoted ? end + 1 : end);
  }
  return {};
}

}  // namespace

std::optional<std::vector<form_part>> parts_of_form(std::string_view content_type, std::string_view body,
                                                    std::size_t most) {
  auto const type = content_type.substr(0, content_type.find_first_of("; \t"));
  auto const boundary = parameter(content_type, "boundary");
  if (!store::same_token(type, "multipart/form-data") || boundary.empty() || boundary.size() > longest_boundary)
    return std::nullopt;
  auto const line = "--" + boundary;
  if (!body.starts_with(line)) return std::nullopt;
  body.remove_prefix(line.size());
  std::vector<form_part> out;
  while (!body.starts_with("--")) {
    auto const head_end = body.substr(0, longest_head).find("\r\n\r\n");
    if (!body.starts_with("\r\n") || head_end == body.npos || out.size() == most) return std::nullopt;
    auto const fields = store::header_block::from_wire(std::string{body.substr(2, head_end)});
    auto const named = fields.find("Content-Disposition").value_or("");
    body.remove_prefix(head_end + 4);
    auto const end = body.find("\r\n" + line);
    if (end == body.npos) return std::nullopt;
    out.push_back({parameter(named, "name"), parameter(named, "filename"), body.substr(0, end)});
    body.remove_prefix(end + 2 + line.size());
  }
  return out;
}

}  // namespace cistern::proxy
