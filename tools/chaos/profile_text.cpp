#include "tools/chaos/profile_text.hpp"

#include "tools/cistern/config_value.hpp"

#include <charconv>

namespace cistern::chaos {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<window> parse_window(std::string_view text, std::string_view state) {
  if (!text.starts_with(state)) return {};
  text = trimmed(text.substr(state.size()));
  bool const random = text.starts_with('~');
  auto const time = tools::parse_duration(text.substr(random ? 1 : 0));
  if (!time || time->count() <= 0) return {};
  return window{.length = std::chrono::duration_cast<std::chrono::milliseconds>(*time), .random = random};
}

}  // namespace

std::optional<std::vector<window>> parse_windows(std::string_view text) {
  std::vector<window> out;
  for (bool more = true; more;) {
    auto const comma = text.find(',');
    auto const next = parse_window(trimmed(text.substr(0, comma)), out.size() % 2 == 0 ? "up " : "down ");
    if (!next) return {};
    out.push_back(*next);
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (out.size() % 2 != 0) return {};
  return out;
}

std::optional<host_port> parse_host_port(std::string_view text, std::uint16_t otherwise) {
  auto host_end = text.rfind(':');
  if (host_end != text.npos && text.find(']', host_end) != text.npos) host_end = text.npos;
  host_port out{std::string{text.substr(0, host_end)}, otherwise};
  if (host_end != text.npos) {
    auto const digits = text.substr(host_end + 1);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  } else if (otherwise == 0) {
    return {};
  }
  if (out.host.starts_with('[') && out.host.ends_with(']')) out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty()) return {};
  return out;
}

}  // namespace cistern::chaos
