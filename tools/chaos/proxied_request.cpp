#include "tools/chaos/proxied_request.hpp"

#include <algorithm>
#include <charconv>

namespace cistern::chaos {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

/// Notes what a field says of the body; false when it is the proxy's own and does not go further.
bool keep(std::string_view line, proxied_request& out) {
  auto const colon = std::min(line.find(':'), line.size());
  auto const name = lower(line.substr(0, colon));
  auto value = line.substr(std::min(colon + 1, line.size()));
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "content-length") std::from_chars(value.data(), value.data() + value.size(), out.body);
  if (name == "transfer-encoding") out.endless_body = true;
  return name != "proxy-connection" && name != "proxy-authorization";
}

}  // namespace

std::optional<proxied_request> parse_proxied(std::string_view head) {
  auto const first = head.substr(0, head.find(line_end));
  auto const method_end = first.find(' ');
  auto const target_end = first.rfind(' ');
  if (method_end == first.npos || target_end <= method_end) return {};
  auto const method = first.substr(0, method_end);
  auto target = first.substr(method_end + 1, target_end - method_end - 1);
  proxied_request out;
  out.tunnel = method == "CONNECT";
  constexpr std::string_view scheme = "http://";
  if (!out.tunnel && !target.starts_with(scheme)) return {};
  if (!out.tunnel) target.remove_prefix(scheme.size());
  auto const authority = target.substr(0, target.find_first_of("/?"));
  auto to = parse_host_port(authority, out.tunnel ? 443 : 80);
  if (!to) return {};
  out.to = std::move(*to);
  if (out.tunnel) return out;

  auto const path = target.substr(authority.size());
  out.head.append(method).append(path.starts_with('/') ? " " : " /").append(path);
  out.head.append(first.substr(target_end)).append(line_end);
  for (auto rest = head.substr(first.size() + line_end.size()); !rest.starts_with(line_end) && !rest.empty();) {
    auto const line = rest.substr(0, rest.find(line_end));
    if (keep(line, out)) out.head.append(line).append(line_end);
    rest.remove_prefix(std::min(line.size() + line_end.size(), rest.size()));
  }
  out.head.append(line_end);
  return out;
}

}  // namespace cistern::chaos
