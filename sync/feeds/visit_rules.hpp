#pragma once

/// The manners of a feed reader, as pure rules: what is sent, when it may come again, what a refusal means. Each stands
/// in docs/feeds.md with the reason for it.

#include "store/header_block.hpp"
#include "store/tables.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace cistern::sync {

struct visit_floors {
  std::chrono::seconds with_validators = std::chrono::hours{1};
  std::chrono::seconds without_validators = std::chrono::hours{24};
  std::chrono::seconds longest_wish = std::chrono::hours{24};  // of an origin's Cache-Control: some say 16 years
  std::chrono::seconds longest_retry_after = std::chrono::hours{24 * 7};
  std::chrono::seconds first_retry = std::chrono::minutes{15};  // after a failure, doubled each time
  std::chrono::seconds longest_retry = std::chrono::hours{24};
};

/// Retry-After as a time: seconds or an HTTP date (RFC 9110 §10.2.3); nothing when it says neither.
[[nodiscard]] std::optional<std::chrono::sys_seconds> retry_after(store::header_block const& fields,
                                                                  std::chrono::sys_seconds now);

/// Until when the answer asks to be left alone, by Cache-Control max-age or Expires less its Age; `now` when it does
/// not say. Never guessed, never beyond `floors.longest_wish`.
[[nodiscard]] std::chrono::sys_seconds fresh_until(store::header_block const& fields, std::chrono::sys_seconds now,
                                                   visit_floors const& floors);

/// The first moment at which the feed may be asked again, whatever the plan says.
[[nodiscard]] std::chrono::sys_seconds earliest_visit(store::subscription const& feed, visit_floors const& floors);

/// How long to stay away after a refusal or a failure, the `failures`th in a row. Without the jitter.
[[nodiscard]] std::chrono::seconds stay_away(unsigned status, std::uint32_t failures, visit_floors const& floors);

/// Puts the conditions for `url` in: both validators byte for byte as they came, and only for the address that gave
/// them. Whether there were any.
bool add_conditions(store::header_block& request, store::subscription const& feed, std::string const& url,
                    std::chrono::sys_seconds now);

/// Both validators are replaced by what a 200, 226 or 304 carries; what a 200 does not carry is forgotten.
void take_validators(store::subscription& feed, unsigned status, store::header_block const& answer,
                     std::string const& final_url);

/// A permanent redirect was seen to lead to a feed. True when it has been seen often and long enough to be believed.
bool note_move(store::subscription& feed, std::string const& target, std::chrono::sys_seconds now);

}  // namespace cistern::sync
