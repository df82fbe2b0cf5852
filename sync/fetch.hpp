#pragma once

#include "sync/downloads.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::sync {

/// How one attempt at a background fetch ended.
enum class fetch_end : std::uint8_t {
  complete,      // all of it came; in the repository when it may be kept (`object`)
  unchanged,     // 304: `object` is good again
  broken,        // it broke off, or what came was wrong (`error`); what was gained is kept and the next attempt goes on
  refused,       // an answer that is not the thing: `status`
  gone,          // 410
  retry_after,   // 429 or 503, or any answer that names a time: not before `retry_after`
  too_large,     // more than the wish's `most`
  forbidden,     // a redirect to where it may not lead, in circles, or to no address
  link_trouble,  // nothing answered at all, which may be our own link: moves no counter
};

struct redirect_hop {
  unsigned status = 0;
  std::string from{};
  std::string to{};
};

struct fetch_outcome {
  fetch_end how = fetch_end::broken;
  unsigned status = 0;  // of the last answer; 0 when there was none
  std::string final_url{};
  std::vector<redirect_hop> redirects{};
  std::uint64_t gained = 0;  // bytes of body that the repository has now and had not before
  std::optional<std::uint64_t> size{};
  std::optional<std::chrono::seconds> retry_after{};  // from now, whatever the status
  std::string content_type{};
  store::header_block fields{};  // of the last answer
  std::optional<store::stored_object> object{};
  boost::system::error_code error{};
};

/// One attempt, to the end of the body. Follows redirects (ten at most, no circles), each stored as the cache rules
/// say, always from the wish's own URL: where a redirect led the last time is not remembered. What an earlier attempt
/// left where it led then is used again only if a strong validator allows it. A host out on the internet cannot send us
/// to a private address. `client` and `from` outlive it; run it on `client`'s thread.
boost::asio::awaitable<fetch_outcome> fetch_once(downloads& from, http_client& client, wish what);

/// Retry-After as seconds from `now` (RFC 9110 §10.2.3): a number or a date; a past date is 0.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                                    std::chrono::sys_seconds now);

}  // namespace cistern::sync
