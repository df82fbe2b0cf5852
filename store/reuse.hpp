#pragma once

#include "store/cache_control.hpp"
#include "store/freshness.hpp"

#include <chrono>

namespace cistern::store {

/// May this stored response answer this request now (RFC 9111 §4, §4.2.4, RFC 5861)? The variant has been chosen before
/// (vary.hpp). No allocation, no clock: it is asked on every hit.
enum class reuse {
  fresh,                   // send it
  stale_while_validating,  // send it and validate in the background
  stale_by_request,        // send it: the client's max-stale allows this much
  offline,                 // send it, marked: the link is down and stale is better than nothing
  validate,                // ask the origin first; on failure see `may_serve_on_error`
  unavailable,             // only-if-cached and not usable: 504
  forbidden,               // not to be used at all: the link is down and the settings hold to the RFC, 504
};

/// Whether it is sent without asking first.
[[nodiscard]] constexpr bool usable_now(reuse what) {
  return what == reuse::fresh || what == reuse::stale_by_request || what == reuse::offline ||
         what == reuse::stale_while_validating;
}

struct link_view {
  bool down = false;
};

struct reuse_decision {
  reuse what = reuse::validate;
  std::chrono::seconds age{};  // for Age
  std::chrono::seconds ttl{};  // for Cache-Status
};

[[nodiscard]] reuse_decision decide(stored_policy const& policy, request_directives const& request, link_view link,
                                    std::chrono::sys_seconds now, cache_settings const& settings);

/// Validation failed: no answer, or a 500, 502, 503 or 504. May the stored response be sent instead (§4.2.4, §4.3.3)?
/// Not where the response forbids it (must-revalidate and its kin, no-cache); there the error page offers the copy.
[[nodiscard]] bool may_serve_on_error(stored_policy const& policy, std::chrono::sys_seconds now);

/// An answer that means "the origin is in trouble", not "this is how the page is now" (§4.3.3, RFC 5861 §4).
[[nodiscard]] bool is_origin_failure(unsigned status);

}  // namespace cistern::store
