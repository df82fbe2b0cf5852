#pragma once

#include "store/freshness.hpp"
#include "store/header_block.hpp"
#include "store/object.hpp"

#include <chrono>
#include <string_view>

namespace cistern::store {

/// May a response be kept at all (RFC 9111 §3, §3.3, §3.5)?
enum class storability {
  stored,          // yes
  offline_only,    // a cache may not (a redirect that says nothing about itself), a reader whose link is down wants it:
                   // kept as a history is (§6), always validated while the link is up (make_policy sees to that)
  method,          // only GET, and a POST that says which GET it answers; HEAD only updates (validation.hpp)
  no_store,        // by request or response
  private_to_one,  // and we are shared
  authorization,   // the request carried it and the response does not allow sharing (§3.5)
  status,          // interim, 304, or one that must be understood and is not
  partial,         // a 206 of several parts or without a usable Content-Range
  not_cacheable,   // neither lifetime nor `public`, and its status has none by default
};

struct storing_request {
  std::string_view method{};
  std::string_view url{};  // absolute; only looked at for POST
  bool has_authorization = false;
  bool no_store = false;  // request directive
};

[[nodiscard]] storability may_store(storing_request const& request, unsigned status, header_block const& response,
                                    cache_settings const& settings);

/// Whether a response without Date is kept or only passed on, it gets the time it was received (RFC 9110 §6.6.1).
void add_missing_date(header_block& response, std::chrono::sys_seconds received);

/// What of the response's fields is kept: hop-by-hop fields are not (§3.1), Set-Cookie is not (it would be replayed to
/// others), nor what no-cache="…" and, for a shared cache, private="…" name. A missing Date is added.
[[nodiscard]] header_block fields_to_store(header_block const& response, std::chrono::sys_seconds received,
                                           cache_settings const& settings);

/// The head under which an answer to a GET of `url` is kept; `sent` are the request's fields, for Vary.
[[nodiscard]] object_head head_to_store(std::string_view url, unsigned status, header_block const& response,
                                        header_block const& sent, arrival when, cache_settings const& settings);

/// May a new answer take the place of a good stored one? An error, a redirect to somewhere else, or a partial answer to
/// a page that was there does not: the reader would rather have the page. (404 and 410 do: the page was withdrawn.)
[[nodiscard]] bool replaces_good_copy(unsigned stored_status, unsigned new_status);

/// A status whose meaning for caching we implement (§3: "understands").
[[nodiscard]] bool is_understood(unsigned status);

}  // namespace cistern::store
