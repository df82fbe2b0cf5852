#include "proxy/asked.hpp"

#include "store/field_list.hpp"
#include "store/hop_by_hop.hpp"

namespace cistern::proxy {

using store::same_token;

asked read_request(sync::head_view const& head, std::string url) {
  asked out{.method = head.method, .url = std::move(url)};
  out.is_head = head.method == "HEAD";
  out.one_dot_zero = head.minor == 0;
  out.hints.method = head.method;
  for (auto const& field : head) {
    out.directives.note(field.name, field.value);
    out.conditions.note(field.name, field.value);
    out.hints.note(field.name, field.value);
    if (same_token(field.name, "accept-encoding")) {
      out.accept_encoding = field.value;
      out.has_accept_encoding = true;
    } else if (same_token(field.name, "authorization")) {
      out.has_authorization = true;
    }
  }
  return out;
}

store::header_block forwarded_fields(sync::head_view const& head) {
  auto out = store::end_to_end(store::header_block::from_wire(std::string{head.fields}));
  out.erase("Host");
  out.add("Via", head.minor == 0 ? "1.0 cistern" : "1.1 cistern");
  return out;
}

bool accepts_coding(asked const& request, std::string_view coding) {
  if (coding.empty() || same_token(coding, "identity")) return true;
  if (!request.has_accept_encoding) return false;  // anything goes by the letter, but old clients mean "plain"
  bool star = false;
  auto rest = request.accept_encoding;
  while (auto const element = store::next_element(rest)) {
    auto parameters = *element;
    auto const name = store::next_parameter(parameters).value_or("");
    bool refused = false;
    while (auto const parameter = store::next_parameter(parameters))
      if (parameter->starts_with("q=") || parameter->starts_with("Q="))
        refused = store::parse_quality(parameter->substr(2)) == 0;
    if (same_token(name, coding) || (same_token(name, "x-gzip") && same_token(coding, "gzip"))) return !refused;
    if (name == "*") star = !refused;
  }
  return star;
}

}  // namespace cistern::proxy
