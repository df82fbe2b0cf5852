#pragma once

#include "store/header_block.hpp"

#include <chrono>
#include <cstdint>
#include <type_traits>

namespace cistern::store {

/// How this cache behaves where the RFC leaves room. One value for the whole proxy, read from the configuration.
struct cache_settings {
  bool shared = true;                                   // several people use it: RFC 9111's "shared cache"
  int heuristic_percent = 10;                           // of the time since Last-Modified (§4.2.2)
  std::chrono::seconds heuristic_limit{7 * 24 * 3600};  // however old the page
  std::chrono::seconds negative_lifetime{30};           // of a 404 or 410 that says nothing about itself
  bool offline_serves_everything = true;                // also what must be validated, when the link is down
};

/// When a response was asked for and when its head arrived, by our clock.
struct arrival {
  std::chrono::sys_seconds requested{};
  std::chrono::sys_seconds received{};
};

/// What must be known of a stored response to decide whether it may be used: made once, when it is stored or validated,
/// kept beside the object, read on each hit. Plain bytes: it may be copied to disk and back (same machine, same
/// version).
struct stored_policy {
  enum flag : std::uint16_t {
    must_revalidate = 1,    // or, for a shared cache, proxy-revalidate: never stale without asking
    always_validate = 2,    // no-cache, and what is only kept for a reader whose link is down
    immutable = 4,          // RFC 8246: a reload need not ask while it is fresh
    explicit_lifetime = 8,  // not guessed
    has_etag = 16,
    has_last_modified = 32,
    varies = 64,
    varies_on_everything = 128,    // Vary: *
    shared_must_revalidate = 256,  // s-maxage says so too (§5.2.2.10), unless stale-while-revalidate or stale-if-error
                                   // stand beside it: then the origin has said how stale it may be
  };
  std::int64_t received = 0;     // seconds since 1970, our clock
  std::int64_t initial_age = 0;  // corrected_initial_age of §4.2.3
  std::int64_t lifetime = 0;     // freshness_lifetime of §4.2.1
  std::int64_t stale_while_revalidate = 0;
  std::int64_t stale_if_error = -1;  // -1: the response does not say
  std::uint16_t status = 0;
  std::uint16_t flags = 0;

  [[nodiscard]] bool is(flag f) const { return (flags & f) != 0; }
  [[nodiscard]] bool can_be_validated() const { return (flags & (has_etag | has_last_modified)) != 0; }
};
static_assert(std::is_trivially_copyable_v<stored_policy>);

/// One pass over the fields. Multiple Age, Expires or Date fields: the first counts. Nothing here reads a clock.
[[nodiscard]] stored_policy make_policy(unsigned status, header_block const& fields, arrival when,
                                        cache_settings const& settings);

/// What Age is to be sent, and what is left of the lifetime: negative when stale (also Cache-Status's ttl).
[[nodiscard]] std::chrono::seconds current_age(stored_policy const& policy, std::chrono::sys_seconds now);
[[nodiscard]] std::chrono::seconds time_to_live(stored_policy const& policy, std::chrono::sys_seconds now);
[[nodiscard]] inline bool is_fresh(stored_policy const& policy, std::chrono::sys_seconds now) {
  return time_to_live(policy, now).count() > 0;  // response_is_fresh = freshness_lifetime > current_age
}

/// Status codes that may be given a guessed lifetime (RFC 9110 §15.1).
[[nodiscard]] bool is_heuristically_cacheable(unsigned status);

}  // namespace cistern::store
