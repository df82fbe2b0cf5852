#include "proxy/is_navigation.hpp"

#include "store/field_list.hpp"
#include "store/header_block.hpp"

namespace cistern::proxy {
namespace {

using store::same_token;

/// "prefetch", "prefetch;prerender", "prefetch;anonymous-client-ip", "preview", "instant"
bool is_speculative(std::string_view value) {
  while (auto const element = store::next_element(value)) {
    auto parameters = *element;
    while (auto const part = store::next_parameter(parameters))
      if (same_token(*part, "prefetch") || same_token(*part, "prerender") || same_token(*part, "preview")) return true;
  }
  return false;
}

/// Where Sec-Fetch-* is missing: browsers list HTML first when a person goes somewhere, and nowhere else.
bool accepts_html_first(std::string_view accept) {
  auto const first = store::next_element(accept);
  if (!first) return false;
  auto const type = first->substr(0, first->find(';'));
  return same_token(store::trim_blanks(type), "text/html") ||
         same_token(store::trim_blanks(type), "application/xhtml+xml");
}

}  // namespace

void visit_hints::note(std::string_view name, std::string_view value) {
  auto const is = [&](std::string_view wanted) { return same_token(name, wanted); };
  if (is("Accept"))
    accept = value;
  else if (is("Sec-Fetch-Dest"))
    fetch_dest = value;
  else if (is("Sec-Fetch-Mode"))
    fetch_mode = value;
  else if (is("Upgrade-Insecure-Requests"))
    upgrades = value == "1";
  else if (is("Purpose") || is("Sec-Purpose") || is("X-Purpose") || is("X-Moz"))
    speculative = speculative || is_speculative(value);
  else if (is("X-Requested-With") || is("Service-Worker") || is("Ping-To"))
    by_script = true;
}

visitor who_asks(visit_hints const& hints) {
  if (hints.speculative) return visitor::guess;
  if (hints.method != "GET" || hints.by_script) return visitor::page;
  if (!hints.fetch_dest.empty() || !hints.fetch_mode.empty()) {
    bool const goes_there = hints.fetch_mode.empty() || same_token(hints.fetch_mode, "navigate");
    return goes_there && same_token(hints.fetch_dest, "document") ? visitor::person : visitor::page;
  }
  bool const upgrading = hints.upgrades && hints.accept.find("text/html") != std::string_view::npos;
  return upgrading || accepts_html_first(hints.accept) ? visitor::person : visitor::page;
}

}  // namespace cistern::proxy
