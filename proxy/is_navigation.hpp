#pragma once

#include <string_view>

namespace cistern::proxy {

/// Who asks: a person who goes to a page, a page that needs its parts, or a browser that guesses what comes next. Only
/// the first is shown our own pages and may put something into the queue; the others get a quick 504.
enum class visitor { person, page, guess };

/// The request fields that tell; noted one by one, views into the request.
struct visit_hints {
  std::string_view method{};
  std::string_view fetch_dest{};  // Sec-Fetch-*: browsers send them to https and localhost only
  std::string_view fetch_mode{};
  std::string_view accept{};
  bool upgrades = false;     // Upgrade-Insecure-Requests: only navigations send it
  bool speculative = false;  // Purpose, Sec-Purpose, X-Purpose, X-Moz: prefetch, prerender, preview
  bool by_script = false;    // X-Requested-With, Service-Worker, Ping-To

  void note(std::string_view name, std::string_view value);
};

[[nodiscard]] visitor who_asks(visit_hints const& hints);

}  // namespace cistern::proxy
