#include "store/storability.hpp"

#include "store/cache_control.hpp"
#include "store/field_list.hpp"
#include "store/hop_by_hop.hpp"
#include "store/http_date.hpp"
#include "store/invalidation.hpp"
#include "store/ranges.hpp"
#include "store/vary.hpp"

#include <algorithm>
#include <array>

namespace cistern::store {
namespace {

/// Every status of RFC 9110 §15 and what WebDAV and others registered whose caching is the default.
constexpr std::array<unsigned, 52> understood{200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302,
                                              303, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
                                              409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424,
                                              425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511};
static_assert(std::is_sorted(understood.begin(), understood.end()));

bool is_redirect(unsigned status) { return status == 302 || status == 303 || status == 307; }

bool usable_partial(header_block const& response) {
  auto const text = response.find("Content-Range");
  if (!text) return false;
  auto const range = parse_content_range(*text);
  return range && range->range && range->size;
}

}  // namespace

bool is_understood(unsigned status) { return std::binary_search(understood.begin(), understood.end(), status); }

storability may_store(storing_request const& request, unsigned status, header_block const& response,
                      cache_settings const& settings) {
  auto const d = read_response_directives(response);
  bool const has_lifetime = d.max_age || (settings.shared && d.s_maxage) || response.has("Expires");

  if (request.method == "POST") {
    if (status != 200 || !has_lifetime || !answers_get_of(request.url, response)) return storability::method;
  } else if (request.method != "GET") {
    return storability::method;
  }
  if (status < 200 || status == 304 || status > 599) return storability::status;
  if (d.must_understand && !is_understood(status)) return storability::status;
  if (status == 206 && !usable_partial(response)) return storability::partial;
  // must-understand lifts no-store for those who understand (§5.2.2.3)
  if (request.no_store || (d.no_store && !d.must_understand)) return storability::no_store;
  if (settings.shared && d.private_response) return storability::private_to_one;
  if (settings.shared && request.has_authorization && !d.public_response && !d.must_revalidate && !d.s_maxage)
    return storability::authorization;
  if (has_lifetime || d.public_response || (!settings.shared && d.private_response) ||
      is_heuristically_cacheable(status))
    return storability::stored;
  return is_redirect(status) && settings.offline_serves_everything ? storability::offline_only
                                                                   : storability::not_cacheable;
}

void add_missing_date(header_block& response, std::chrono::sys_seconds received) {
  if (!response.has("Date")) response.add("Date", format_http_date(received));
}

header_block fields_to_store(header_block const& response, std::chrono::sys_seconds received,
                             cache_settings const& settings) {
  auto const d = read_response_directives(response);
  std::string left_out = "Set-Cookie";
  if (d.no_cache_fields) left_out += ", " + listed_fields(response, "no-cache");
  if (settings.shared && d.private_fields) left_out += ", " + listed_fields(response, "private");

  header_block out;
  for (auto const& f : end_to_end(response))
    if (!list_has(left_out, f.name)) out.add(f.name, f.value);
  add_missing_date(out, received);
  return out;
}

object_head head_to_store(std::string_view url, unsigned status, header_block const& response, header_block const& sent,
                          arrival when, cache_settings const& settings) {
  object_head out{.url = std::string{url}, .status = static_cast<int>(status)};
  out.headers = fields_to_store(response, when.received, settings);
  auto const names = vary_names(response);
  if (!names.empty()) out.selecting.add(names, names == "*" ? "" : vary_key(names, sent));
  out.requested = when.requested;
  out.responded = when.received;
  return out;
}

bool replaces_good_copy(unsigned stored_status, unsigned new_status) {
  auto const is_page = [](unsigned status) { return status >= 200 && status < 300; };
  if (!is_page(stored_status)) return true;
  if (new_status == 206) return stored_status == 206;
  return is_page(new_status) || new_status == 301 || new_status == 308 || new_status == 404 || new_status == 410;
}

}  // namespace cistern::store
