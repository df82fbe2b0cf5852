#pragma once

#include "proxy/page_template.hpp"
#include "proxy/page_texts.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cistern::proxy {

/// The two pages a reader sees instead of the one that was asked for: "not stored yet" while the link is down, and "the
/// site is in trouble" while only its origin fails. Both come from webroot/offline.html and webroot/texts/*.json, carry
/// everything they need, and work without scripts. Pure: facts in, HTML (UTF-8) out, everything escaped.
///
/// With a script the first page asks `status_url` for a JSON object every few seconds and loads itself again once it
/// says
///   {"state": "stored"}  or, for a page that is not queued, when "link" turns from "down" to "up";
/// states: "none", "queued", "fetching" (with "bytes" and, where known, "total"), "stored", "failed" (with "message").
/// Without one it refreshes itself. The button is a POST of `url` and `token` to `queue_url`; answer it with 303 back
/// to `url`, or with 204 where the request says `Accept: application/json`. Where the budget is what is in the way, a
/// second button posts the same to `insist_url`, for this once.

struct stored_neighbour {
  std::string url;    // only http and https are shown
  std::string title;  // the URL is shown when empty
  std::chrono::sys_seconds stored{};
};

/// site: the link is up, only this origin fails; budget: it is up, and no byte more may be spent
enum class link_trouble { down, forced, portal, site, budget };
enum class queue_state { none, queued, fetching, failed };

/// Where the page's own requests go, and what they prove themselves with.
struct page_addresses {
  std::string queue_url;  // same origin as the page
  std::string insist_url{};
  std::string status_url;
  std::string dashboard_url;  // may be another origin; empty leaves the link out
  std::string token;          // against forged requests
  std::string nonce;          // for the Content-Security-Policy
};

enum class origin_trouble { refused, timed_out, no_such_host, bad_certificate, broke_off, bad_answer, status };

struct offline_facts {
  std::string url;
  link_trouble why = link_trouble::down;
  origin_trouble origin = origin_trouble::refused;  // for link_trouble::site
  std::optional<std::chrono::sys_seconds> down_since{};
  queue_state queue = queue_state::none;
  std::optional<std::chrono::sys_seconds> next_try{};   // nothing: when the link is back
  std::optional<std::chrono::sys_seconds> last_seen{};  // when this page was last stored, if it ever was
  std::uint64_t stored_here = 0;                        // how much of this site is stored
  std::vector<stored_neighbour> nearby{};               // a few of them, best first; at most 12 are shown
  std::chrono::sys_seconds now{};
};

struct trouble_facts {
  std::string url;
  origin_trouble what = origin_trouble::refused;
  unsigned status = 0;                                // for origin_trouble::status
  std::optional<std::chrono::sys_seconds> copy_of{};  // a stored copy exists, of that time
  std::string copy_url{};                             // where one click gets it
  std::chrono::sys_seconds now{};
};

[[nodiscard]] std::string offline_page(page_template const& page, page_texts const& texts, page_addresses const& where,
                                       offline_facts const& facts);
[[nodiscard]] std::string trouble_page(page_template const& page, page_texts const& texts, page_addresses const& where,
                                       trouble_facts const& facts);

/// The Content-Security-Policy to send with either page: nothing but its own style, script and requests.
[[nodiscard]] std::string own_page_policy(std::string_view nonce);

/// "3 minutes ago", "in 2 hours", "just now".
[[nodiscard]] std::string relative_time(page_texts const& texts, std::chrono::sys_seconds when,
                                        std::chrono::sys_seconds now);

}  // namespace cistern::proxy
